/** The type of the trigger that an accepted event fires. */
export const triggerType = 'external.event'

/** `{...data, eventName, connectionId}`: the service's two keys replace fields of the same name. */
export type TriggerPayload = { readonly [field: string]: unknown } & {
  readonly eventName: string
  readonly connectionId: string
}

/** An accepted event as workflows see it. `payload` keeps the original digits of every number. */
export type Trigger = {
  readonly type: typeof triggerType
  readonly eventId: string
  readonly connectionId: string
  readonly workspaceId: string
  readonly eventName: string
  /** Milliseconds since 1970. */
  readonly receivedAt: number
  readonly repeat: boolean
  readonly replayOf: string | null
  readonly payload: TriggerPayload
}

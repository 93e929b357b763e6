/** The type of the trigger that an accepted event fires. */
export const triggerType = 'external.event'

/** `{...data, eventName, connectionId}`: the service's two keys replace fields of the same name. */
export type TriggerPayload = { readonly [field: string]: unknown } & {
  readonly eventName: string
  readonly connectionId: string | null
}

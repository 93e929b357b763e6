import type { LoggedEvent } from '#main/store/event-log.ts'
import type { KeptAttempt } from './attempts.ts'

/** What became of a request or a replay; the activity feed and the log listen. */
export type InboundOutcome =
  | {
      readonly kind: 'accepted'
      readonly event: LoggedEvent
      /** Whether a copy was stored. */
      readonly stored: boolean
      /** Signed with the secret before the last rotation. */
      readonly previousSecret: boolean
    }
  | { readonly kind: 'repeated'; readonly event: LoggedEvent }
  | { readonly kind: 'replayed'; readonly event: LoggedEvent; readonly replayOf: string }
  /** `bytes` is the size of the body as far as it was read. */
  | { readonly kind: 'refused'; readonly attempt: KeptAttempt; readonly bytes: number }
  /** The event log could not make an event durable; the sender was told 503. */
  | { readonly kind: 'unavailable'; readonly connectionId: string; readonly error: unknown }

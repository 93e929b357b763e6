import type { LoggedEvent } from '#main/storage/event-log.ts'
import type { KeptAttempt } from './attempts.ts'

/**
 * An event without its header fields: the feed keeps a thousand of these, and what it does not show would
 * only lengthen each collection of garbage.
 */
export type SeenEvent = Omit<LoggedEvent, 'headerLines'>

export function seen(event: LoggedEvent): SeenEvent {
  const { eventId, connectionId, eventName, bodyText, receivedAt, repeat, replayOf } = event
  return { eventId, connectionId, eventName, bodyText, receivedAt, repeat, replayOf }
}

/** What became of a request or a replay; the activity feed and the log listen. */
export type InboundOutcome =
  | {
      readonly kind: 'accepted'
      readonly event: SeenEvent
      /** Whether a copy was stored. */
      readonly stored: boolean
      /** Signed with the secret before the last rotation. */
      readonly previousSecret: boolean
      /** Milliseconds from the request's header fields to here. */
      readonly tookMs: number
    }
  | { readonly kind: 'repeated'; readonly event: SeenEvent; readonly tookMs: number }
  | { readonly kind: 'replayed'; readonly event: SeenEvent; readonly replayOf: string }
  /** `bytes` is the size of the body as far as it was read. */
  | { readonly kind: 'refused'; readonly attempt: KeptAttempt; readonly bytes: number }
  /** The event log could not make an event durable; the sender was told 503. */
  | { readonly kind: 'unavailable'; readonly connectionId: string; readonly error: unknown }

import type { LoggedEvent } from '#main/storage/event-log.ts'
import type { InboundErrorCode } from '#shared/errors/inbound.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'

export const attemptPrefix = 'att_'
export const diagnosisPrefix = 'diag_'
export const unavailablePrefix = 'una_'

/**
 * The facts of an event, without its header fields: the feed keeps a thousand of these, and what it does not show
 * would only lengthen each garbage collection.
 */
type EventFacts = {
  /** The id of the event itself. */
  readonly id: string
  /** When it was received, in milliseconds since 1970. */
  readonly at: number
  readonly connectionId: string
  readonly eventName: string
  readonly bodyText: string
}

export type Accepted = EventFacts & {
  readonly kind: 'event.accepted'
  readonly repeat: boolean
  /** Whether a copy was stored. */
  readonly stored: boolean
  /** Signed with the secret before the last rotation. */
  readonly previousSecret: boolean
  /** Milliseconds from the request's header fields to here. */
  readonly tookMs: number
}

/** An exact repeat that was answered and ignored. */
export type Repeated = EventFacts & { readonly kind: 'event.repeated'; readonly tookMs: number }

export type Replayed = EventFacts & { readonly kind: 'event.replayed'; readonly replayOf: string }

/** A refused request. Its header fields and body are kept by its id, as long as there is room: `attempts.ts`. */
export type Rejected = {
  readonly kind: 'event.rejected'
  readonly id: string
  /** When it was refused, in milliseconds since 1970. */
  readonly at: number
  /** Null where the token is unknown. */
  readonly connectionId: string | null
  readonly code: InboundErrorCode
  /** Replaces the catalogue's sentence where more can be said. */
  readonly detail: string | undefined
  /** Size of the body as far as it was read. */
  readonly bytes: number
  /** Milliseconds from its header fields to its refusal. */
  readonly tookMs: number
  /** Whether its connection logged events from its arrival on: only then is its body written to disk. */
  readonly isBodyStored: boolean
}

/** The mistake behind a refused request, found after its answer. */
export type Diagnosed = {
  readonly kind: 'event.diagnosed'
  readonly id: string
  readonly at: number
  readonly connectionId: string | null
  readonly attemptId: string
  readonly diagnosis: Diagnosis
  /** Whether the texts of the body that it compares may be written to disk. */
  readonly isBodyStored: boolean
}

/** The event log could not make an event durable, or there was no memory for it; the sender was told 503. */
export type Unavailable = {
  readonly kind: 'event.unavailable'
  readonly id: string
  readonly at: number
  readonly connectionId: string
  readonly error: unknown
}

/** What happened to a request or a replay. */
export type InboundOccurrence = Accepted | Repeated | Replayed | Rejected | Diagnosed | Unavailable

/** Records what happened; who does so does not know who reads it. */
export type RecordInbound = (occurrence: InboundOccurrence) => void

export function eventFacts({
  eventId,
  connectionId,
  eventName,
  bodyText,
  receivedAt,
}: LoggedEvent): EventFacts {
  return { id: eventId, at: receivedAt, connectionId, eventName, bodyText }
}

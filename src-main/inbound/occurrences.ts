import type { LoggedEvent } from '#main/storage/event-log.ts'
import type { InboundErrorCode } from '#shared/errors/inbound.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'

export const attemptPrefix = 'att_'
export const diagnosisPrefix = 'diag_'
export const unavailablePrefix = 'una_'

/**
 * The facts of an event without its header fields. The feed keeps a thousand of these, and fields that it does not
 * show would make each garbage collection longer.
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
  /** Milliseconds from the end of the request's header to its acceptance. */
  readonly tookMs: number
}

/** An exact repeat that was answered and ignored. */
export type Repeated = EventFacts & { readonly kind: 'event.repeated'; readonly tookMs: number }

export type Replayed = EventFacts & { readonly kind: 'event.replayed'; readonly replayOf: string }

/** A refused request. `attempts.ts` keeps its header fields and body under its id while there is memory. */
export type Rejected = {
  readonly kind: 'event.rejected'
  readonly id: string
  /** When it was refused, in milliseconds since 1970. */
  readonly at: number
  /** Null if the token is unknown. */
  readonly connectionId: string | null
  readonly code: InboundErrorCode
  /** A more specific message than the catalogue's. */
  readonly detail: string | undefined
  /** Bytes of the body that were read. */
  readonly bytes: number
  /** Milliseconds from the end of its header to its refusal. */
  readonly tookMs: number
  /** Whether its body may be written to disk: only if its connection has logged events since its arrival. */
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
  /** Whether the body's excerpts in the diagnosis may be written to disk. */
  readonly isBodyStored: boolean
}

/** An event that could not be stored, or for which there was no memory. The sender got 503. */
export type Unavailable = {
  readonly kind: 'event.unavailable'
  readonly id: string
  readonly at: number
  readonly connectionId: string
  readonly error: unknown
}

export type InboundOccurrence = Accepted | Repeated | Replayed | Rejected | Diagnosed | Unavailable

/** Publishes an occurrence to all readers. */
export type RecordInbound = (occurrence: InboundOccurrence) => void

export function eventFacts(event: LoggedEvent): EventFacts {
  const { eventId, connectionId, eventName, bodyText, receivedAt } = event
  return { id: eventId, at: receivedAt, connectionId, eventName, bodyText }
}

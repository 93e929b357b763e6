import { z } from 'zod'
import { hundredth } from '#main/lib/hundredth.ts'
import { eventPrefix, idOf } from '#main/lib/sequence.ts'
import type { KindsOf, Lookups, Place } from '#main/occurrences/kind.ts'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import { dayMs } from '#shared/durations.ts'
import { type InboundErrorCode, inboundErrors } from '#shared/errors/inbound.ts'
import { parseJson } from '#shared/json/parse-json.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'
import { keptAttempts } from '#shared/model/kept.ts'

export const attemptPrefix = 'att_'
export const diagnosisPrefix = 'diag_'
export const unavailablePrefix = 'una_'

const maxShownText = 64 * 1024
/** About how many bytes an occurrence takes beside its text. */
const overhead = 512

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
  /** See LoggedEvent. */
  readonly reading?: string
}

export type Accepted = EventFacts & {
  readonly kind: 'event.accepted'
  readonly repeat: boolean
  /** Whether a copy was stored. */
  readonly stored: boolean
  /** Signed with the secret before the last rotation. */
  readonly previousSecret: boolean
  /** The run that has the key of a run that it would have started; null for most events. */
  readonly duplicateOf: string | null
  /** Milliseconds from the end of the request's header to its acceptance. */
  readonly tookMs: number
  /** Whether no workflow takes it; not kept after it was counted. */
  readonly startsNothing?: boolean
  /** The time of its signature, in milliseconds since 1970. Lists do not keep it. */
  readonly sentAt?: number | null
  /** Whether it only asks about the URL, perhaps without a proof, so that it counts as no event. */
  readonly isQuestion?: true
}

/** An exact repeat that was answered and ignored. */
export type Repeated = EventFacts & {
  readonly kind: 'event.repeated'
  readonly tookMs: number
  /** Present if it was delivered again: the first event, and how many of its runs were started again. */
  readonly redelivery?: { readonly of: string; readonly runs: number }
}

export type Replayed = EventFacts & {
  readonly kind: 'event.replayed'
  readonly replayOf: string
  /** Whether a copy was stored. */
  readonly stored: boolean
}

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
  /** The event of a list that was wrong. */
  readonly index?: number | undefined
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
  const { eventId, connectionId, eventName, bodyText, reading, receivedAt } = event
  return {
    ...{ id: eventId, at: receivedAt, connectionId, eventName, bodyText },
    ...(reading !== undefined && { reading }),
  }
}

type EventOccurrence = Accepted | Repeated | Replayed

const event = {
  prefix: eventPrefix,
  stored: null,
  weightOf: ({ bodyText }: EventOccurrence) => bodyText.length + overhead,
  logLevel: 'debug',
  logFields: ({ id: eventId, eventName, connectionId }: EventOccurrence) => ({
    eventId,
    eventName,
    connectionId,
  }),
} as const

function eventItem(occurrence: EventOccurrence, place: Place, { isDeclared }: Lookups) {
  const { id: eventId, connectionId, eventName, bodyText, reading } = occurrence
  return {
    ...place,
    connectionId,
    eventId,
    eventName,
    declared: isDeclared(occurrence),
    bodyText: bodyText.slice(0, maxShownText),
    bytes: Buffer.byteLength(bodyText),
    ...(reading !== undefined && { reading }),
  }
}

const StoredRejection = z.object({
  code: z.custom<InboundErrorCode>(code => typeof code === 'string' && Object.hasOwn(inboundErrors, code)),
  detail: z.string().optional(),
  index: z.int().optional(),
  tookMs: z.number(),
  bytes: z.int(),
})

/** The kinds of the inbound channel. */
export const inboundKinds = {
  'event.accepted': {
    ...event,
    logMessage: 'Event accepted',
    toItem(occurrence, place, lookups) {
      const { repeat, stored, previousSecret, duplicateOf, tookMs } = occurrence
      return {
        ...eventItem(occurrence, place, lookups),
        type: 'event.accepted',
        tookMs: hundredth(tookMs),
        repeat,
        stored,
        previousSecret,
        duplicateOf,
        notes: lookups.notesOf(occurrence),
      }
    },
    count(occurrence, counts) {
      if (occurrence.isQuestion !== true)
        counts.accepted(occurrence, occurrence.tookMs, occurrence.previousSecret)
      return true
    },
  },
  'event.repeated': {
    ...event,
    logMessage: 'Event repeated',
    toItem: (occurrence, place, lookups) => ({
      ...eventItem(occurrence, place, lookups),
      type: 'event.repeated',
      tookMs: hundredth(occurrence.tookMs),
      ...(occurrence.redelivery && { redelivery: occurrence.redelivery }),
    }),
    count(occurrence, counts) {
      counts.repeated(occurrence, occurrence.tookMs)
      return true
    },
  },
  'event.replayed': {
    ...event,
    logMessage: 'Event replayed',
    toItem: (occurrence, place, lookups) => ({
      ...eventItem(occurrence, place, lookups),
      type: 'event.replayed',
      replayOf: occurrence.replayOf,
      stored: occurrence.stored,
      tookMs: null,
    }),
    count: () => false,
  },
  'event.rejected': {
    prefix: attemptPrefix,
    stored: {
      name: 'attempt',
      most: keptAttempts.most,
      maxAgeMs: keptAttempts.days * dayMs,
      writesPerSecond: 20,
      searched: [
        ...['code', 'detail', 'status', 'headerLines', 'bodyText', 'message'],
        ...['difference.signed', 'difference.sent'],
      ],
      subjectOf: () => '',
      // With the status, because a search covers it.
      summaryOf: rejected => ({
        ...StoredRejection.parse(rejected),
        status: inboundErrors[rejected.code].status,
      }),
      fromSummary({ number, at, connectionId, summary }) {
        const { data } = StoredRejection.safeParse(parseJson(summary))
        if (data === undefined) return null
        const id = idOf(attemptPrefix, number)
        const { detail, ...facts } = data
        return { kind: 'event.rejected', id, at, connectionId, detail, ...facts, isBodyStored: false }
      },
    },
    weightOf: () => overhead,
    toItem({ id: attemptId, connectionId, code, detail, bytes, tookMs }, place, { diagnosisOf }) {
      return {
        ...place,
        type: 'event.rejected',
        connectionId,
        attemptId,
        code,
        message: detail ?? inboundErrors[code].message,
        diagnosis: diagnosisOf(attemptId),
        bytes,
        tookMs: hundredth(tookMs),
      }
    },
    logLevel: 'debug',
    logMessage: 'Event refused',
    logFields: ({ id: attemptId, connectionId, code }) => ({ attemptId, connectionId, code }),
    count({ id, at, code }, counts) {
      counts.rejected({ at, attemptId: id, code, diagnosis: null })
      return true
    },
  },
  'event.diagnosed': {
    prefix: diagnosisPrefix,
    stored: null,
    weightOf: () => overhead,
    toItem: ({ connectionId, attemptId, diagnosis }, place) => ({
      ...place,
      type: 'event.diagnosed',
      connectionId,
      attemptId,
      diagnosis,
    }),
    logLevel: 'debug',
    logMessage: 'Refused event diagnosed',
    logFields: ({ attemptId, connectionId, diagnosis }) => ({
      attemptId,
      connectionId,
      diagnosis: diagnosis.code,
    }),
    count: ({ attemptId, diagnosis }, counts) => counts.diagnosed(attemptId, diagnosis.code),
  },
  'event.unavailable': {
    prefix: unavailablePrefix,
    stored: null,
    weightOf: () => overhead,
    toItem: ({ connectionId }, place) => ({
      ...place,
      type: 'event.rejected',
      connectionId,
      attemptId: null,
      code: 'unavailable',
      message: inboundErrors.unavailable.message,
      diagnosis: null,
      bytes: 0,
      tookMs: null,
    }),
    logLevel: 'error',
    logMessage: 'Events could not be stored',
    logFields: ({ connectionId, error }) => ({ connectionId, err: error }),
    count({ at }, counts) {
      counts.rejected({ at, attemptId: null, code: 'unavailable', diagnosis: null })
      return true
    },
  },
} satisfies KindsOf<InboundOccurrence>

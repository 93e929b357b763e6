import { z } from 'zod'
import { EventId, Moment, RunId } from './identifiers.ts'
import { searched } from './searched.ts'
import { hasAtMost } from './text.ts'

export const maxEventNameCharacters = 255

/** The `event` of a POST. Characters are Unicode code points. */
export const EventName = z
  .string()
  .min(1, 'An event name has at least one character.')
  .refine(
    name => hasAtMost(maxEventNameCharacters, name),
    `An event name has at most ${maxEventNameCharacters} characters.`,
  )
  .describe(`1 to ${maxEventNameCharacters} characters.`)

/** Events with a name that is not declared are accepted and start workflows like others. */
export const Declared = z.boolean().describe('Whether an event type has this name.')

/** Header fields as received, in order, without the signature. */
export const Headers = z.array(z.tuple([z.string(), z.string()]))

/** Peculiarities of an event's text. They are determined when somebody opens the event, not on arrival. */
export const EventNote = z.enum(['extra_fields', 'duplicate_keys', 'reserved_keys'])
export type EventNote = z.infer<typeof EventNote>

/** An event. Connections that do not log their inbound events have the newest ones in memory, each found by its id. */
export const StoredEvent = z.object({
  eventId: EventId,
  eventName: z.string(),
  data: z.unknown().describe('The object `data`; numbers keep their original digits.'),
  dataText: z
    .string()
    .describe(
      'The original text of `data`, byte for byte, or its JSON if another scheme has it elsewhere; `{}` if the sender omitted it.',
    ),
  bodyText: z.string().describe('The original text of the whole body.'),
  receivedAt: Moment,
  declared: Declared,
  repeat: z
    .boolean()
    .describe('Whether the same timestamp and signature were accepted in the 10 minutes before.'),
  oldSecret: z.boolean().describe('Whether it was signed with a replaced secret, within the grace period.'),
  replayOf: EventId.nullable().describe('The event that this one replays.'),
  duplicateOf: RunId.nullable().describe(
    'The run that has its key already, so that a workflow with `once` was not started; null for most events.',
  ),
  notes: z.array(EventNote),
  headers: Headers,
  inMemory: z
    .literal(true)
    .optional()
    .describe(
      'Present only if the event is not stored: the service has it until newer activity replaces it. It has no headers then.',
    ),
})
export type StoredEvent = z.infer<typeof StoredEvent>

export const EventPage = z.object({
  events: z.array(StoredEvent),
  nextBefore: EventId.nullable().describe('The `before` of the next page; null at the end.'),
  damaged: z
    .int()
    .optional()
    .describe('The number of damaged events between these, which could not be read; absent if none.'),
  searched,
})

/** An event found by a search over several connections. */
export const FoundEvent = z.object({
  connectionId: z.string(),
  eventId: EventId,
  eventName: z.string(),
  receivedAt: Moment,
  excerpt: z.string().describe('At most 120 characters of the body, around the text.'),
})

export const EventQuery = z.object({
  eventName: z.string().optional(),
  text: z.string().max(200).optional().describe('Case-insensitive; anywhere in the body.'),
  before: EventId.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})
export type EventQuery = z.infer<typeof EventQuery>

import { z } from 'zod'
import { DiagnosisCode } from './diagnosis.ts'
import { AttemptId, ConnectionId, EventId, Moment } from './identifiers.ts'

export const hoursShown = 24

/** The counts of one connection in one hour. */
export const HourCounts = z.object({
  accepted: z.int().describe('Events answered 200, exact repeats included.'),
  rejected: z.int().describe('Requests refused.'),
  calls: z.int().describe('Calls of actions that ended.'),
})
export type HourCounts = z.infer<typeof HourCounts>

/** The last 24 hours of one connection. */
export const ConnectionStatistics = z.object({
  connectionId: ConnectionId,
  hours: z
    .array(HourCounts)
    .length(hoursShown)
    .describe('Hour by hour, oldest first; the last one is the hour that has begun.'),
  accepted: z.int(),
  rejected: z.int(),
  calls: z.int(),
  callsOk: z.int().describe('Calls that were answered 2xx.'),
  medianAnswerMs: z
    .number()
    .nullable()
    .describe('Median of the time to answer the newest events, in milliseconds; null without any.'),
  medianCallMs: z.number().nullable().describe('Likewise of the newest calls.'),
  oldSecret: z
    .object({ count: z.int(), lastAt: Moment })
    .nullable()
    .describe('Events signed with a secret that a rotation has replaced; null without any.'),
  lastEvent: z.object({ eventId: EventId, eventName: z.string(), at: Moment }).nullable(),
  lastRejection: z
    .object({
      at: Moment,
      attemptId: AttemptId.nullable().describe('Null where no attempt is kept.'),
      code: z.string(),
      diagnosis: DiagnosisCode.nullable(),
    })
    .nullable()
    .describe('The newest refused request of the 24 hours.'),
})
export type ConnectionStatistics = z.infer<typeof ConnectionStatistics>

export const Statistics = z.object({
  since: Moment.describe('When counting began, if that is less than 24 hours ago; else 24 hours ago.'),
  connections: z.array(ConnectionStatistics),
})
export type Statistics = z.infer<typeof Statistics>

/** The number of events with one name in the last 24 hours. */
export const EventNameStatistics = z.object({
  eventName: z.string(),
  count: z.int(),
  lastAt: Moment.nullable().describe('Null for a declared name of which none has come.'),
  declared: z.boolean(),
})
export type EventNameStatistics = z.infer<typeof EventNameStatistics>

import { z } from 'zod'
import { ConnectionStatus, LastHour } from './connection-status.ts'
import { DiagnosisCode } from './diagnosis.ts'
import { AttemptId, ConnectionId, EventId, Moment } from './identifiers.ts'
import { Declared } from './inbound-event.ts'

export const hoursShown = 24

/** The counts of one connection in one hour. */
export const HourCounts = z.object({
  accepted: z.int().describe('Events answered with 200, including exact repeats.'),
  rejected: z.int().describe('Refused requests.'),
  calls: z.int().describe('Finished calls of actions.'),
  callsFailed: z.int().describe('Those of them without a 2xx response.'),
})
export type HourCounts = z.infer<typeof HourCounts>

/** The last 24 hours of one connection. */
export const ConnectionStatistics = z.object({
  connectionId: ConnectionId,
  status: ConnectionStatus,
  lastHour: LastHour,
  hours: z
    .array(HourCounts)
    .length(hoursShown)
    .describe('One entry per hour, oldest first; the last one is the current hour.'),
  accepted: z.int(),
  rejected: z.int(),
  calls: z.int(),
  callsOk: z.int().describe('Calls with a 2xx response.'),
  callsNotMade: z
    .int()
    .describe('Calls for which nothing was sent, for example during a pause. `calls` is without them.'),
  medianAnswerMs: z
    .number()
    .nullable()
    .describe('The median response time of the newest events, in milliseconds; null without events.'),
  medianCallMs: z
    .number()
    .nullable()
    .describe('The median duration of the newest calls, in milliseconds; null without calls.'),
  oldSecret: z
    .object({ count: z.int(), lastAt: Moment })
    .nullable()
    .describe('Events signed with a replaced secret; null without any.'),
  lastEvent: z.object({ eventId: EventId, eventName: z.string(), at: Moment }).nullable(),
  lastRejection: z
    .object({
      at: Moment,
      attemptId: AttemptId.nullable().describe('Null if no attempt is kept.'),
      code: z.string(),
      diagnosis: DiagnosisCode.nullable(),
    })
    .nullable()
    .describe('The newest refused request of the last 24 hours.'),
})
export type ConnectionStatistics = z.infer<typeof ConnectionStatistics>

export const Statistics = z.object({
  since: Moment.describe('The start of counting, or 24 hours ago if that is later.'),
  connections: z.array(ConnectionStatistics),
})
export type Statistics = z.infer<typeof Statistics>

/** The number of events with one name in the last 24 hours. It is 0 for a declared name, or one that came earlier. */
export const EventNameStatistics = z.object({
  eventName: z.string(),
  count: z.int(),
  lastAt: Moment.nullable().describe('Null for a declared name without events.'),
  declared: Declared,
})
export type EventNameStatistics = z.infer<typeof EventNameStatistics>

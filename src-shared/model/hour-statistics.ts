import { z } from 'zod'
import { TimeText } from '../time.ts'
import { Moment } from './identifiers.ts'

/** For how many days the counts of each hour are kept. */
export const keptDays = 90
/** The most hours of one answer. */
export const mostHours = 1000

const Count = z.int()
const Named = z.record(z.string(), Count)
const Durations = z.object({
  p50: z.number().describe('Half of them took no longer, in milliseconds.'),
  p95: z.number().describe('95 of 100 took no longer.'),
})

/** The counts of one hour, or of one day. */
export const HourStatistics = z.object({
  from: Moment.describe('The start of the hour, or of the day in UTC.'),
  accepted: Count.describe('Accepted events, without `repeated`.'),
  repeated: Count.describe('Exact repeats that were answered and ignored.'),
  duplicates: Count.describe('Accepted events with a deduplication key that an earlier one had.'),
  refused: Named.describe('Refused requests, by code.'),
  calls: Named.describe('Calls by the class of their status, such as `2xx`, or by the code of their error.'),
  runs: z
    .object({ succeeded: Count, failed: Count, cancelled: Count })
    .describe('Runs of workflows that ended, tests and deliveries to webhooks included.'),
  answerMs: Durations.nullable().describe(
    'How long events took to be answered, estimated from 12 ranges of durations; null without events.',
  ),
  callMs: Durations.nullable().describe('How long calls took, estimated likewise; null without calls.'),
})
export type HourStatistics = z.infer<typeof HourStatistics>

export const HourQuery = z.object({
  connectionId: z.string().optional().describe('Only this connection.'),
  workspaceId: z
    .string()
    .optional()
    .describe('Only connections of this workspace, also those that were deleted since.'),
  since: TimeText.optional().describe(
    'From the hour of this time on: ISO 8601 with an offset, or milliseconds since 1970. By default, 24 hours are shown.',
  ),
  until: TimeText.optional().describe('Up to the hour before which this time is; now by default.'),
  by: z.enum(['hour', 'day']).default('hour'),
})

export const HourList = z.object({
  hours: z
    .array(HourStatistics)
    .max(mostHours)
    .describe('Oldest first. Those in which nothing happened are left out.'),
  keptFrom: Moment.describe(
    `The first hour that is known: that in which counting began, or ${keptDays} days ago if that is later.`,
  ),
})
export type HourList = z.infer<typeof HourList>

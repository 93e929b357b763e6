import { z } from 'zod'
import { DiagnosisCode } from '#shared/model/diagnosis.ts'
import { AttemptId, ConnectionId, EventId } from '#shared/model/identifiers.ts'
import { hoursShown } from '#shared/model/statistics.ts'

const Milliseconds = z.int().describe('Since 1970.')
const Hours = z.array(z.int().min(0).max(0xffff_ffff)).length(hoursShown)

const Times = z
  .array(z.number().min(0))
  .default([])
  .describe('Of the newest, in milliseconds, oldest first; an older version did not keep them.')

const SavedCounts = z.object({
  upToHour: z.int().min(0).describe('The last of the hours, in hours since 1970.'),
  accepted: Hours,
  rejected: Hours,
  calls: Hours,
  callsOk: Hours,
  oldSecret: Hours.default(() => new Array(hoursShown).fill(0)).describe(
    'An older version did not count them.',
  ),
  lastOldSecretAt: Milliseconds.default(0),
  answerTimes: Times,
  callTimes: Times,
  lastEvent: z.object({ eventId: EventId, eventName: z.string(), at: Milliseconds }).nullable(),
  lastRejection: z
    .object({
      at: Milliseconds,
      // Files of before attempts had ids lack it.
      attemptId: AttemptId.nullable().default(null),
      code: z.string(),
      diagnosis: DiagnosisCode.nullable(),
    })
    .nullable(),
  eventNames: z.array(z.object({ eventName: z.string(), lastAt: Milliseconds, hours: Hours })),
})
/** What was counted on one connection, as the file has it. */
export type SavedCounts = z.infer<typeof SavedCounts>

/** The file that brings the counts over a restart: derived, and nothing but a figure is lost with it. */
export const SavedStatistics = z.object({
  version: z.literal(1),
  since: Milliseconds.describe('When counting began.'),
  connections: z.array(SavedCounts.extend({ connectionId: ConnectionId })),
})
export type SavedStatistics = z.infer<typeof SavedStatistics>

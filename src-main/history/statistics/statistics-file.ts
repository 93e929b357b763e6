import { z } from 'zod'
import type { Bus } from '#main/lib/bus.ts'
import { describeProblems } from '#main/lib/describe-problems.ts'
import { messageOf } from '#main/lib/file-system.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import { createThrottle } from '#main/lib/throttle.ts'
import type { StoredDocument } from '#main/storage/document.ts'
import { DiagnosisCode } from '#shared/model/diagnosis.ts'
import { AttemptId, ConnectionId, EventId } from '#shared/model/identifiers.ts'
import { hoursShown } from '#shared/model/statistics.ts'

/** Milliseconds since 1970. */
const Time = z.int()
const Hours = z.array(z.int().min(0).max(0xffff_ffff)).length(hoursShown)
/** The newest durations in milliseconds, oldest first. */
const Durations = z.array(z.number().min(0))

const SavedCounts = z.object({
  upToHour: z.int().min(0).describe('The last of the hours, in hours since 1970.'),
  accepted: Hours,
  rejected: Hours,
  calls: Hours,
  callsOk: Hours,
  oldSecret: Hours,
  lastOldSecretAt: Time,
  answerTimes: Durations,
  callTimes: Durations,
  lastEvent: z.object({ eventId: EventId, eventName: z.string(), at: Time }).nullable(),
  lastRejection: z
    .object({
      at: Time,
      attemptId: AttemptId.nullable(),
      code: z.string(),
      diagnosis: DiagnosisCode.nullable(),
    })
    .nullable(),
  eventNames: z.array(z.object({ eventName: z.string(), lastAt: Time, hours: Hours })),
})
/** The counts of one connection in the file. */
export type SavedCounts = z.infer<typeof SavedCounts>

/** The file that saves the counts across a restart. They are derived data. */
export const SavedStatistics = z.object({
  version: z.literal(1),
  since: Time.describe('When counting began.'),
  connections: z.array(SavedCounts.extend({ connectionId: ConnectionId })),
})
export type SavedStatistics = z.infer<typeof SavedStatistics>

const saveEveryMs = 60_000

/**
 * Returns the counts from before a restart; null if there is no usable file, which does not keep the service from
 * starting.
 *
 * @param onProblem receives the reason why an existing file cannot be used.
 */
export async function readSavedStatistics(
  document: StoredDocument,
  onProblem: (notice: string) => void,
): Promise<SavedStatistics | null> {
  const refuse = (reason: string) => {
    onProblem(`The statistics were reset, because ${document.location} cannot be used: ${reason}`)
    return null
  }
  try {
    const saved = await document.read()
    if (saved === null) return null
    const { data, error } = SavedStatistics.safeParse(saved)
    return data ?? refuse(describeProblems(error))
  } catch (error) {
    return refuse(messageOf(error))
  }
}

/**
 * Writes the statistics when they have changed, at most once a minute, and at the end.
 *
 * @param onProblem receives the reason why they could not be written; the next change tries again.
 * @returns a function that writes pending statistics and stops.
 */
export function keepStatistics(
  document: StoredDocument,
  statistics: { readonly changes: Pick<Bus<string>, 'subscribe'>; save(): unknown },
  onProblem: (notice: string) => void,
): () => Promise<void> {
  let isChanged = false
  const inTurn = createSerialQueue()

  async function write(): Promise<void> {
    if (!isChanged) return
    isChanged = false
    try {
      await document.write(statistics.save())
    } catch (error) {
      isChanged = true
      onProblem(`The statistics could not be written to ${document.location}: ${messageOf(error)}`)
    }
  }

  const throttle = createThrottle(saveEveryMs, () => void inTurn(write))
  const unsubscribe = statistics.changes.subscribe(() => {
    isChanged = true
    throttle.ask()
  })
  return () => {
    unsubscribe()
    throttle.stop()
    return inTurn(write)
  }
}

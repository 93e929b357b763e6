import { describeProblems } from '#main/lib/describe-problems.ts'
import { messageOf } from '#main/lib/file-system.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import { createThrottle } from '#main/lib/throttle.ts'
import type { StoredDocument } from '#main/storage/document.ts'
import { SavedStatistics } from './saved-statistics.ts'
import type { Statistics } from './statistics.ts'

const saveEveryMs = 60_000

/**
 * What was counted before a restart; null where there is nothing of use, for it is no reason not to start.
 *
 * @param onProblem is told, in one sentence, why a file that is there cannot be used.
 */
export async function readSavedStatistics(
  document: StoredDocument,
  onProblem: (notice: string) => void,
): Promise<SavedStatistics | null> {
  try {
    const saved = await document.read()
    if (saved === null) return null
    const parsed = SavedStatistics.safeParse(saved)
    if (parsed.success) return parsed.data
    onProblem(unusable(document, describeProblems(parsed.error)))
  } catch (error) {
    onProblem(unusable(document, messageOf(error)))
  }
  return null
}

const unusable = ({ location }: StoredDocument, why: string) =>
  `The statistics begin anew, since ${location} cannot be used: ${why}`

/**
 * Writes the statistics whenever they have changed, at most once a minute, and at the end.
 *
 * @param onProblem is told why they could not be written; the next change tries again.
 * @returns the function that writes what is not written yet and ends it.
 */
export function keepStatistics(
  document: StoredDocument,
  statistics: Pick<Statistics, 'changes' | 'save'>,
  onProblem: (notice: string) => void,
): () => Promise<void> {
  let isChanged = false
  const inTurn = createSerialQueue()

  async function write(): Promise<void> {
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
  return async () => {
    unsubscribe()
    throttle.stop()
    await inTurn(async () => {
      if (isChanged) await write()
    })
  }
}

import { readFile } from 'node:fs/promises'
import { errnoOf, messageOf, writeDurably } from '#main/lib/file-system.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import { createThrottle } from '#main/lib/throttle.ts'
import { describeProblems } from '#main/storage/local/config-file-schema.ts'
import { SavedStatistics } from './saved-statistics.ts'
import type { Statistics } from './statistics.ts'

const saveEveryMs = 60_000

/**
 * What was counted before a restart; null where there is nothing of use, for it is no reason not to start.
 *
 * @param onProblem is told, in one sentence, why a file that is there cannot be used.
 */
export async function readSavedStatistics(
  file: string,
  onProblem: (notice: string) => void,
): Promise<SavedStatistics | null> {
  try {
    const parsed = SavedStatistics.safeParse(JSON.parse(await readFile(file, 'utf8')))
    if (parsed.success) return parsed.data
    onProblem(`The statistics begin anew, since ${file} cannot be used: ${describeProblems(parsed.error)}`)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT')
      onProblem(`The statistics begin anew, since ${file} cannot be used: ${messageOf(error)}`)
  }
  return null
}

/**
 * Writes the statistics whenever they have changed, at most once a minute, and at the end.
 *
 * @param onProblem is told why they could not be written; the next change tries again.
 * @returns the function that writes what is not written yet and ends it.
 */
export function keepStatistics(
  file: string,
  statistics: Pick<Statistics, 'changes' | 'save'>,
  onProblem: (notice: string) => void,
): () => Promise<void> {
  let isChanged = false
  const inTurn = createSerialQueue()

  async function write(): Promise<void> {
    isChanged = false
    try {
      await writeDurably(file, JSON.stringify(statistics.save()))
    } catch (error) {
      isChanged = true
      onProblem(`The statistics could not be written to ${file}: ${messageOf(error)}`)
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

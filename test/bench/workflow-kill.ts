/**
 * kill -9 while runs are under way: each event that was answered 200 has exactly one run, which ends, and each step
 * of it that repeats carries the same idempotency key.
 */
import { notedSteps, startNotes, startReceiver, waitForRuns } from './support/noted-steps.ts'
import { newFolder, removeFolder, startService } from './support/processes.ts'
import { sendUntilKilled } from './support/send-until-killed.ts'

const senders = 16

export type WorkflowKillResult = {
  readonly rounds: number
  readonly acknowledged: number
  /** Acknowledged events of which a step never came, or came under more than one key. */
  readonly lost: number
  readonly doubled: number
  /** Requests that repeated a step, with its key. */
  readonly repeated: number
  /** Runs that had not ended at last. */
  readonly unfinished: number
}

/** @param random between 0 and 1; chooses after how many answers each round's process dies. */
export async function run({ rounds = 20, random = Math.random } = {}): Promise<WorkflowKillResult> {
  const folder = newFolder()
  const receiver = await startReceiver()
  const acknowledged = new Set<string>()
  try {
    for (let round = 0; round < rounds; round++) {
      const service = await startService(folder)
      if (round === 0) await startNotes(service, receiver.url)
      await sendUntilKilled(
        service,
        { senders, prefix: `${round}`, answers: 200 + random() * 800 },
        acknowledged,
      )
    }
    const service = await startService(folder)
    const unfinished = await waitForRuns(service)
    await service.stop()
    const wrong = (isWrong: (keys: number) => boolean) =>
      [...acknowledged].filter(id => notedSteps.some(step => isWrong(receiver.keysOf(id, step)))).length
    const result: WorkflowKillResult = {
      rounds,
      acknowledged: acknowledged.size,
      lost: wrong(count => count === 0),
      doubled: wrong(count => count > 1),
      repeated: receiver.repeats.length,
      unfinished,
    }
    console.log(
      `${rounds} × kill -9   ${result.acknowledged} events answered 200, ${result.lost} runs lost, ${result.doubled} doubled, ${result.repeated} steps repeated with their key, ${unfinished} runs not ended`,
    )
    return result
  } finally {
    receiver.close()
    removeFolder(folder)
  }
}

if (import.meta.main) await run()

/**
 * kill -9 under load, again and again, on one data folder: every event answered 200 is there afterwards,
 * none twice, every change of the configuration that was answered is kept, and the service starts each time.
 */
import { z } from 'zod'
import { newFolder, type RunningService, removeFolder, startService } from './support/processes.ts'
import { sendUntilKilled } from './support/send-until-killed.ts'
import { readStored } from './support/stored-events.ts'

const senders = 32

export type KillResult = {
  readonly rounds: number
  readonly acknowledged: number
  readonly stored: number
  readonly lost: number
  readonly twice: number
  /** Changes of the configuration that were answered 200, and those of them that a restart did not find. */
  readonly changes: number
  readonly changesLost: number
}

/** @param random between 0 and 1; chooses after how many answers each round's process dies. */
export async function run({ rounds = 60, random = Math.random } = {}): Promise<KillResult> {
  const folder = newFolder()
  const acknowledged = new Set<string>()
  let changes = 0
  let changesLost = 0
  try {
    for (let round = 0; round < rounds; round++) {
      const service = await startService(folder)
      if (round === 0) await keepAll(service)
      if ((await readCounter(service)) < changes) changesLost++
      const renaming = renameUntilKilled(service, changes)
      await sendUntilKilled(
        service,
        { senders, prefix: `${round}`, answers: 1000 + random() * 5000 },
        acknowledged,
      )
      changes = await renaming
    }
    const service = await startService(folder)
    if ((await readCounter(service)) < changes) changesLost++
    const stored = await readStored(service, service.connectionId)
    await service.stop()
    const counts = new Map<string, number>()
    for (const { data } of stored) counts.set(data.id, (counts.get(data.id) ?? 0) + 1)
    const result: KillResult = {
      rounds,
      acknowledged: acknowledged.size,
      stored: stored.length,
      lost: [...acknowledged].filter(id => !counts.has(id)).length,
      twice: [...counts.values()].filter(count => count > 1).length,
      changes,
      changesLost,
    }
    console.log(
      `${rounds} × kill -9   ${result.acknowledged} answered 200, ${result.lost} of them lost, ${result.twice} stored twice`,
    )
    console.log(
      `changes of the configuration   ${changes} answered 200, ${changesLost} times the last one lost`,
    )
    return result
  } finally {
    removeFolder(folder)
  }
}

async function keepAll(service: RunningService): Promise<void> {
  const retention = { maxEvents: 10_000_000, maxDays: 3650 }
  await service.call('PATCH', `/connections/${service.connectionId}`, { retention })
}

const Named = z.object({ name: z.string() })

/** The number in the connection's name; 0 before the first change. */
async function readCounter(service: RunningService): Promise<number> {
  const { name } = Named.parse(await service.call('GET', `/connections/${service.connectionId}`))
  return Number(/\d+$/.exec(name)?.[0] ?? 0)
}

/** Renames the connection again and again. @returns the number of the last change that was answered. */
async function renameUntilKilled(service: RunningService, from: number): Promise<number> {
  for (let count = from; ; count++) {
    try {
      await service.call('PATCH', `/connections/${service.connectionId}`, { name: `Bench ${count + 1}` })
    } catch {
      return count // the process is gone
    }
  }
}

if (import.meta.main) await run()

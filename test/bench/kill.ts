/**
 * kill -9 under load, again and again, on one data folder: every event answered 200 is there afterwards,
 * none twice, and the service starts each time.
 */
import { once } from 'node:events'
import { Pool, request } from 'undici'
import { z } from 'zod'
import { createSigningKey, signedHeaders } from '#main/signing/sign.ts'
import { newFolder, type RunningService, removeFolder, startService } from './support/processes.ts'

const senders = 32

export type KillResult = {
  readonly rounds: number
  readonly acknowledged: number
  readonly stored: number
  readonly lost: number
  readonly twice: number
}

/** @param random between 0 and 1; chooses after how many answers each round's process dies. */
export async function run({ rounds = 20, random = Math.random } = {}): Promise<KillResult> {
  const folder = newFolder()
  const acknowledged = new Set<string>()
  try {
    for (let round = 0; round < rounds; round++) {
      const service = await startService(folder)
      if (round === 0) await keepAll(service)
      await loadUntilKilled(service, `${round}`, 1000 + random() * 5000, acknowledged)
    }
    const service = await startService(folder)
    const stored = await readAll(service)
    await service.stop()
    const counts = new Map<string, number>()
    for (const id of stored) counts.set(id, (counts.get(id) ?? 0) + 1)
    const result: KillResult = {
      rounds,
      acknowledged: acknowledged.size,
      stored: stored.length,
      lost: [...acknowledged].filter(id => !counts.has(id)).length,
      twice: [...counts.values()].filter(count => count > 1).length,
    }
    console.log(
      `${rounds} × kill -9   ${result.acknowledged} answered 200, ${result.lost} of them lost, ${result.twice} stored twice`,
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

async function loadUntilKilled(
  service: RunningService,
  prefix: string,
  answers: number,
  acknowledged: Set<string>,
): Promise<void> {
  const key = createSigningKey(service.secret)
  const pool = new Pool(new URL(service.inboundUrl).origin, { connections: senders })
  const exited = once(service.process, 'exit')
  let next = 0
  let answered = 0
  const send = async () => {
    for (;;) {
      const id = `${prefix}-${next++}`
      const body = JSON.stringify({ event: 'kill.test', data: { id } })
      try {
        const headers = { ...signedHeaders(key, Date.now(), body) }
        const answer = await request(service.inboundUrl, { method: 'POST', headers, body, dispatcher: pool })
        await answer.body.dump()
        if (answer.statusCode === 200) acknowledged.add(id)
        if (++answered === Math.floor(answers)) service.process.kill('SIGKILL')
      } catch {
        return // the process is gone
      }
    }
  }
  await Promise.all(Array.from({ length: senders }, send))
  await exited
  await pool.destroy()
}

const Page = z.object({
  events: z.array(z.object({ data: z.object({ id: z.string() }) })),
  nextBefore: z.string().nullable(),
})

async function readAll(service: RunningService): Promise<string[]> {
  const ids: string[] = []
  for (let before = ''; ; ) {
    const page = Page.parse(
      await service.call('GET', `/connections/${service.connectionId}/events?limit=200${before}`),
    )
    ids.push(...page.events.map(event => event.data.id))
    if (page.nextBefore === null) return ids
    before = `&before=${page.nextBefore}`
  }
}

if (import.meta.main) await run()

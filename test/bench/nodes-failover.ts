/**
 * Two PostgreSQL servers with synchronous replication under nodes that know both. While the standby is gone and each wait
 * for it is cancelled, no event gets 200. After kill -9 of the primary and the promotion of the standby, what was answered
 * 200 is there, the nodes soon accept again, and they do not use the former primary when it is back.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { createCluster, type Server } from '../support/postgres.ts'
import { type Figure, printFigures } from './support/figures.ts'
import { givenNumbers } from './support/given-numbers.ts'
import { recoveryMs, refusals, wrongWhileDown } from './support/send-steadily.ts'
import { withNodes } from './support/with-nodes.ts'

/** Milliseconds for which each sender waits after an answer: in all, fewer runs start than a workflow keeps. */
const pauseMs = 50
/** Milliseconds without the standby, and for which the nodes could accept again, or find the former primary. */
const [aloneMs, afterwardsMs] = [8000, 3000]
/** Milliseconds without a primary: nodes stop working after four seconds. */
const untilPromotionMs = [1000, 6000]
const settings = { max_connections: 200 }

/** @param rounds each with new servers; every second one cancels no wait, and promotes later. */
export async function run({ nodes = 3, rounds = 2 } = {}): Promise<readonly (readonly Figure[])[]> {
  const all: (readonly Figure[])[] = []
  for (let round = 0; round < rounds; round++) {
    const isCancelled = round % 2 === 0
    const figures = await failOver(nodes, isCancelled, untilPromotionMs[round % 2] ?? 0)
    printFigures(
      `a failover under ${nodes} nodes; waits for the standby were ${isCancelled ? '' : 'not '}cancelled before`,
      figures,
    )
    all.push(figures)
  }
  return all
}

async function failOver(
  count: number,
  isCancelled: boolean,
  promoteAfterMs: number,
): Promise<readonly Figure[]> {
  const primary = createCluster()
  let first = await primary.start(settings)
  await first.stop()
  const standby = primary.standbyOf(`host=127.0.0.1 port=${first.port} user=postgres application_name=b`)
  const asPrimary = { ...settings, synchronous_standby_names: 'b' }
  first = await primary.start(asPrimary, first.port)
  let second = await standby.start(settings)
  try {
    const hosts = `127.0.0.1:${first.port},127.0.0.1:${second.port}`
    const url = first.url().replace(`127.0.0.1:${first.port}`, hosts)
    return await withNodes({ count, url }, async ({ nodes, send, check }) => {
      const sending = send(pauseMs)
      const { answers } = sending
      await sending.acknowledgedMore(200)

      await second.kill()
      const aloneFrom = performance.now()
      const [waited, cancelled] = await watchWaits(first, aloneMs, isCancelled)
      const aloneUntil = performance.now()
      second = await standby.start(settings, second.port)
      await replicates(first)
      const togetherAt = performance.now()
      await delay(afterwardsMs)
      const together = recoveryMs(answers, togetherAt)

      await sending.acknowledgedMore(200)
      await first.kill()
      const killedAt = performance.now()
      await delay(promoteAfterMs)
      const promotingAt = performance.now()
      await query(second, 'SELECT pg_promote()')
      const promotedAt = performance.now()
      await delay(afterwardsMs)
      const promoted = recoveryMs(answers, promotedAt)

      first = await primary.start(settings, first.port)
      const before = await stateOf(first)
      await delay(afterwardsMs)
      await second.kill()
      const goneAt = performance.now()
      await delay(afterwardsMs)
      const backFrom = performance.now()
      second = await standby.start(settings, second.port)
      const backAt = performance.now()
      await delay(afterwardsMs)
      const back = recoveryMs(answers, backAt)
      await sending.stop()
      // It has forgotten which server is the newer one.
      await nodes.kill(0)
      await nodes.start(0)
      const after = await stateOf(first)

      return [
        ...(await check(sending)),
        ...refusals(answers),
        { name: 'most statements that waited for the standby', value: waited },
        { name: 'of all that waited, cancelled', value: cancelled },
        {
          ...{ name: 'answers other than 503 without the standby', must: 0 },
          value: wrongWhileDown(answers, aloneFrom, aloneUntil),
        },
        { name: 'longest time until 200, after it was back', value: together / 1000, unit: ' s', target: 3 },
        {
          ...{ name: 'answers other than 503 without a primary', must: 0 },
          value: wrongWhileDown(answers, killedAt, promotingAt),
        },
        {
          name: 'longest time until 200, after the promotion',
          value: promoted / 1000,
          unit: ' s',
          target: 3,
        },
        {
          ...{ name: 'answers other than 503 with the former primary alone', must: 0 },
          value: wrongWhileDown(answers, goneAt, backFrom),
        },
        { name: 'changes of the former primary', value: after === before ? 0 : 1, must: 0 },
        {
          name: 'longest time until 200, after the new one was back',
          value: back / 1000,
          unit: ' s',
          target: 2,
        },
      ]
    })
  } finally {
    for (const server of [first, second]) await server.stop('SIGQUIT')
    for (const cluster of [primary, standby]) cluster.remove()
  }
}

/**
 * Looks for so many milliseconds at what waits for the standby, and may cancel it. Returns how many statements waited at
 * once, and how many were cancelled.
 */
async function watchWaits(server: Server, forMs: number, isCancelled: boolean) {
  let [most, cancelled] = [0, 0]
  for (const until = performance.now() + forMs; performance.now() < until; await delay(20)) {
    const { length } = await query(server, isCancelled ? cancel : waits)
    most = Math.max(most, length)
    if (isCancelled) cancelled += length
  }
  return [most, cancelled] as const
}

/** Resolves when the standby confirms each commit. */
async function replicates(server: Server): Promise<void> {
  for (const until = performance.now() + 60_000; ; await delay(10)) {
    if ((await query(server, `SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`)).length > 0) return
    if (performance.now() > until) throw new Error('The standby does not follow.')
  }
}

/** Returns what a node that used this server would have changed. */
async function stateOf(server: Server): Promise<string> {
  return JSON.stringify(
    await query(
      server,
      `SELECT (SELECT max(seq) FROM event) AS event, (SELECT max(id) FROM run) AS run, (SELECT sum(attempt) FROM run) AS attempts,
        (SELECT max(seen_at) FROM node) AS seen, (SELECT version FROM config_head) AS version`,
    ),
  )
}

/** Runs a statement on a connection of its own, which waits for no standby. */
async function query(server: Server, text: string): Promise<unknown[]> {
  const client = new Client(server.url())
  await client.connect()
  try {
    await client.query('SET synchronous_commit = local')
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

const waits = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'`
const cancel = `SELECT pg_cancel_backend(pid) FROM (${waits}) AS w`

if (import.meta.main) await run(givenNumbers('rounds', 'nodes'))

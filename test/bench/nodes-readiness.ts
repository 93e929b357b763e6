/**
 * One of three nodes loses the database in one way or another, behind a load balancer that asks each for `/readyz` twice a
 * second: its requests lose nothing, and none is sent there meanwhile. Then a cause hits all nodes, whose `/readyz` says what
 * events get.
 */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { fetch } from 'undici'
import { z } from 'zod'
import { createCluster } from '../support/postgres.ts'
import { startBalancer } from './support/balancer.ts'
import { type Figure, printFigures } from './support/figures.ts'
import { givenNumbers } from './support/given-numbers.ts'
import { startHangingProxy } from './support/hanging-proxy.ts'
import { type Answer, sendSteadily } from './support/send-steadily.ts'
import { withNodes } from './support/with-nodes.ts'

const pauseMs = 40
const faultMs = 12_000
const afterwardsMs = 8000
const pollEveryMs = 50
/** Milliseconds by which readiness and what events get may differ, and after which a balancer knows a change. */
const toleranceMs = 2000
const noticedMs = 1600
const role = 'first_node'

const Unready = z.object({ reason: z.string() })
type Look = { readonly at: number; readonly reason: string | null }

/** @param rounds of each cause. */
export async function run({ nodes: count = 3, rounds = 1 } = {}): Promise<readonly Figure[]> {
  const cluster = createCluster()
  const rules = `host all postgres all trust\nhost all all all scram-sha-256\n`
  writeFileSync(join(cluster.folder, 'data/pg_hba.conf'), rules)
  const server = await cluster.start({ max_connections: 200 })
  const admin = new Client(server.url())
  const proxy = await startHangingProxy(server.port)
  const url = server.url()
  try {
    await admin.connect()
    await admin.query(
      `CREATE ROLE ${role} LOGIN SUPERUSER PASSWORD 'right'; ALTER ROLE ${role} SET role = postgres`,
    )
    const endSessions = () =>
      admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`)
    const causes: readonly Cause[] = [
      {
        name: 'hangs',
        reason: 'storage',
        begin: () => proxy.hang(['to the server', 'to the node']),
        end: proxy.heal,
      },
      { name: 'is refused', reason: 'storage', begin: proxy.refuse, end: proxy.heal },
      { name: 'is delayed by 3 s', reason: 'storage', begin: () => proxy.delay(3000), end: proxy.heal },
      {
        ...{ name: 'has too few connections for its role', reason: 'no_connection' },
        // Superusers have no limit.
        begin: async () => {
          await admin.query(`ALTER ROLE ${role} NOSUPERUSER CONNECTION LIMIT 2; GRANT postgres TO ${role}`)
          await endSessions()
        },
        end: () => admin.query(`ALTER ROLE ${role} CONNECTION LIMIT -1`),
      },
      {
        ...{ name: 'has another password', reason: 'password' },
        begin: async () => {
          await admin.query(`ALTER ROLE ${role} PASSWORD 'wrong'`)
          await endSessions()
        },
        end: () => admin.query(`ALTER ROLE ${role} PASSWORD 'right'`),
      },
    ]
    const forAll: Cause = {
      ...{ name: 'finds the table of events locked', reason: 'locked' },
      begin: () => admin.query('BEGIN; LOCK TABLE event IN EXCLUSIVE MODE'),
      end: () => admin.query('COMMIT'),
    }
    const own = url.replace('postgres@', `${role}:right@`).replace(`:${server.port}/`, `:${proxy.port}/`)
    // Each outage is in its log, too.
    const setupOf = (index: number) => (index === 0 ? { url: own, onLog: () => {} } : {})
    return await withNodes({ count, url, setupOf }, async ({ nodes, check }) => {
      const all = Array.from({ length: count }, (_, index) => nodes.at(index))
      const first = nodes.at(0)
      const balancer = await startBalancer(
        all.map(({ line }) => ({ origin: line.listenerUrl, checkUrl: `${line.dashboardUrl}/readyz` })),
      )
      const looks: Look[] = []
      let isOver = false
      const looking = (async () => {
        for (; !isOver; await delay(pollEveryMs)) looks.push(await look(`${first.line.dashboardUrl}/readyz`))
      })()
      const { secret } = nodes
      const through = sendSteadily({
        ...{ url: balancer.origin + new URL(first.inboundUrl).pathname, secret, pauseMs, senders: 8 },
        prefix: 'balanced',
      })
      const toFirst = sendSteadily({ url: first.inboundUrl, secret, pauseMs, senders: 2, prefix: 'first' })
      const figures: Figure[] = []
      try {
        for (let round = 0; round < rounds; round++)
          for (const cause of [...causes, forAll]) {
            await Promise.all([through.acknowledgedMore(100), toFirst.acknowledgedMore(20)])
            const from = performance.now()
            await cause.begin()
            await delay(faultMs)
            await cause.end()
            const until = performance.now()
            await delay(afterwardsMs)
            const within = (answers: readonly Answer[]) =>
              answers.filter(({ answeredAt }) => answeredAt >= from && answeredAt < until + afterwardsMs)
            const found = figuresOf(cause, { from, until, looks, answers: within(toFirst.answers) })
            if (cause !== forAll)
              found.push(
                ...balanced({ looks, from, answers: within(through.answers), sent: balancer.sent[0] ?? [] }),
              )
            printFigures(`a node ${cause.name}`, found)
            figures.push(...found)
          }
        // An event that was stored, but answered 503, is stored again by another node.
        const checked = (await check(through, toFirst)).filter(({ name }) => !name.includes('several keys'))
        printFigures('all of that', checked)
        return [...figures, ...checked]
      } finally {
        isOver = true
        await looking
        await balancer.close()
      }
    })
  } finally {
    await admin.end()
    proxy.close()
    await server.stop('SIGQUIT')
    cluster.remove()
  }
}

type Cause = {
  readonly name: string
  /** The reason in `/readyz`. */
  readonly reason: string
  readonly begin: () => unknown
  readonly end: () => unknown
}

async function look(url: string): Promise<Look> {
  const answer = await fetch(url).catch(() => null)
  const at = performance.now()
  if (answer?.status === 200) {
    await answer.arrayBuffer()
    return { at, reason: null }
  }
  const parsed = Unready.safeParse(await answer?.json().catch(() => null))
  return { at, reason: parsed.success ? parsed.data.reason : 'none' }
}

/** Returns the first and the last look of an outage at which the node was not ready. */
function unreadyOf(looks: readonly Look[], from: number) {
  const unready = looks.filter(({ at, reason }) => at >= from && reason !== null)
  return { since: unready[0]?.at ?? Number.NaN, until: unready.at(-1)?.at ?? Number.NaN }
}

/** Compares what `/readyz` of a node says with what its events get. */
function figuresOf(
  { reason }: Cause,
  {
    from,
    until,
    looks,
    answers,
  }: { from: number; until: number; looks: readonly Look[]; answers: readonly Answer[] },
): Figure[] {
  const unready = unreadyOf(looks, from)
  const refused = answers.filter(({ status }) => status !== 200)
  const failingSince = Math.min(...refused.map(({ sentAt }) => sentAt))
  const outside = refused.filter(
    ({ sentAt, answeredAt }) =>
      answeredAt < unready.since - toleranceMs || sentAt > unready.until + toleranceMs,
  )
  const reasons = new Set(looks.flatMap(one => (one.at >= from && one.reason !== null ? [one.reason] : [])))
  return [
    { name: 'events that were refused or not answered', value: refused.length },
    { name: 'of them while it was ready, by more than 2 s', value: outside.length, must: 0 },
    {
      name: 'until unready, after the first event that was refused',
      value: (unready.since - failingSince) / 1000,
      unit: ' s',
      target: 2.3,
    },
    { name: 'until ready, after the end', value: (unready.until - until) / 1000, unit: ' s', target: 5 },
    {
      name: `reasons besides ${reason} (${[...reasons].join(', ')})`,
      value: reasons.has(reason) ? reasons.size - 1 : Number.NaN,
    },
  ]
}

/** Returns what the requests through the balancer got, and those that it has sent to a node that was not ready. */
function balanced({
  looks,
  from,
  answers,
  sent,
}: {
  looks: readonly Look[]
  from: number
  answers: readonly Answer[]
  sent: readonly number[]
}): Figure[] {
  const unready = unreadyOf(looks, from)
  return [
    { name: 'events through the balancer', value: answers.length },
    {
      name: 'of them not answered 200',
      value: answers.filter(({ status }) => status !== 200).length,
      must: 0,
    },
    {
      name: 'longest time until an answer',
      value: Math.max(...answers.map(({ sentAt, answeredAt }) => answeredAt - sentAt)) / 1000,
      unit: ' s',
    },
    {
      ...{ name: 'requests sent to the node while it was not ready', must: 0 },
      value: sent.filter(at => at > unready.since + noticedMs && at < unready.until).length,
    },
  ]
}

if (import.meta.main) await run(givenNumbers('rounds', 'nodes'))

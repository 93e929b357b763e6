/**
 * A standby is promoted by mistake, while the primary works and three nodes use it, each through TCP proxies of its own; in
 * every second round, the connections to the former primary break at that moment. All nodes go to the promoted server,
 * none goes back, and each logs how many events only the former primary has.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { z } from 'zod'
import { createCluster, type Server } from '../support/postgres.ts'
import { type Figure, printFigures } from './support/figures.ts'
import { givenNumbers } from './support/given-numbers.ts'
import { type HangingProxy, startHangingProxy } from './support/hanging-proxy.ts'
import { recoveryMs, refusals, wrongWhileDown } from './support/send-steadily.ts'
import { withNodes } from './support/with-nodes.ts'

const pauseMs = 50
const settings = { max_connections: 200 }
/** Milliseconds in which all nodes have to be on the promoted server, and for which the former one is watched then. */
const moveMs = 15_000
const watchMs = 12_000
/** Milliseconds without the promoted server, afterwards, and until a node has said what the former one has alone. */
const goneMs = 5000
const afterwardsMs = 15_000
const tellMs = 40_000

const Stored = z.array(z.object({ id: z.string(), at: z.number() }))

/** @param rounds of each kind. */
export async function run({ rounds = 1, nodes = 3 } = {}): Promise<readonly (readonly Figure[])[]> {
  const all: (readonly Figure[])[] = []
  for (let round = 0; round < 2 * rounds; round++) {
    const isCut = round % 2 === 1
    const figures = await promoteByMistake(nodes, isCut)
    printFigures(
      `a standby promoted by mistake under ${nodes} nodes; connections to the former primary ${isCut ? 'broken' : 'kept'}`,
      figures,
    )
    all.push(figures)
  }
  return all
}

async function promoteByMistake(count: number, isCut: boolean): Promise<readonly Figure[]> {
  const primary = createCluster()
  let first = await primary.start(settings)
  await first.stop()
  const standby = primary.standbyOf(`host=127.0.0.1 port=${first.port} user=postgres`)
  first = await primary.start(settings, first.port)
  let second = await standby.start(settings)
  const proxies: { readonly first: HangingProxy; readonly second: HangingProxy }[] = []
  const told: string[] = []
  try {
    for (let index = 0; index < count; index++)
      proxies.push({
        first: await startHangingProxy(first.port),
        second: await startHangingProxy(second.port),
      })
    const setupOf = (index: number) => {
      const [one, other] = [proxies[index]?.first.port, proxies[index]?.second.port]
      const url = first.url().replace(`:${first.port}/`, `:${one},127.0.0.1:${other}/`)
      const onLog = (text: string) => {
        const found = text.match(/former primary \S+ has accepted (no|[\w ]*\d+) events/)
        if (found) told.push(found[1] ?? '')
      }
      return { url, onLog }
    }
    return await withNodes({ count, url: first.url(), setupOf }, async ({ send, nodes }) => {
      const sending = send(pauseMs)
      const { answers, acknowledged } = sending
      await sending.acknowledgedMore(200)

      const promotedAt = await promote(second)
      const promotedNow = performance.now()
      if (isCut) for (const proxy of proxies) proxy.first.cut()
      const movedMs = await untilLiving(second, count, promotedNow)
      await delay(Math.max(0, promotedNow + moveMs - performance.now()))
      const before = await stateOf(first)
      await delay(watchMs)
      for (const until = promotedNow + tellMs; told.length < count && performance.now() < until; )
        await delay(100)

      await second.kill()
      const goneAt = performance.now()
      await delay(goneMs)
      const backFrom = performance.now()
      second = await standby.start(settings, second.port)
      const backAt = performance.now()
      await delay(afterwardsMs)
      const back = recoveryMs(answers, backAt)
      await sending.stop()
      const after = await stateOf(first)

      const [former, current] = [await storedOn(first), await storedOn(second)]
      const alone = [...former].filter(([id]) => !current.has(id))
      const lost = [...acknowledged].filter(id => !current.has(id))
      const lastAt = Math.max(promotedAt, ...alone.map(([, at]) => at))
      return [
        ...refusals(answers),
        { name: 'events answered 200', value: acknowledged.size },
        { name: 'of them only on the former primary', value: lost.length },
        { name: 'of them nowhere', value: lost.filter(id => !former.has(id)).length, must: 0 },
        { name: 'events on the former primary alone', value: alone.length },
        {
          name: 'nodes that logged this count',
          value: told.filter(text => text === String(alone.length || 'no')).length,
          must: count,
        },
        {
          name: 'until all nodes were on the promoted server',
          value: movedMs / 1000,
          unit: ' s',
          target: moveMs / 1000,
        },
        {
          ...{ name: 'until the last event on the former primary', unit: ' s', target: moveMs / 1000 },
          value: (lastAt - promotedAt) / 1000,
        },
        { name: 'changes of the former primary afterwards', value: after === before ? 0 : 1, must: 0 },
        {
          ...{ name: 'answers other than 503 with the former primary alone', must: 0 },
          value: wrongWhileDown(answers, goneAt, backFrom),
        },
        {
          name: 'longest time until 200, after the promoted one was back',
          value: back / 1000,
          unit: ' s',
          target: 5,
        },
        { name: 'nodes that have ended by themselves', value: nodes.ended(), must: 0 },
      ]
    })
  } finally {
    for (const one of proxies) for (const proxy of [one.first, one.second]) proxy.close()
    for (const server of [first, second]) await server.stop('SIGQUIT')
    for (const cluster of [primary, standby]) cluster.remove()
  }
}

/** Promotes a standby. Returns when, in milliseconds since 1970. */
async function promote(server: Server): Promise<number> {
  await query(server, 'SELECT pg_promote()')
  return Date.now()
}

/** Resolves with the milliseconds after which so many nodes live on a server. Fails after a minute. */
async function untilLiving(server: Server, count: number, from: number): Promise<number> {
  for (; performance.now() < from + 60_000; await delay(50)) {
    const living = await query(
      server,
      `SELECT FROM node WHERE seen_at > extract(epoch FROM now()) * 1000 - 1500`,
    )
    // At first, it has what the former primary was told.
    if (living.length === count && performance.now() > from + 2000) return performance.now() - from
  }
  throw new Error('Not all nodes have gone to the promoted server.')
}

/** Returns what a node that used this server would have changed. */
async function stateOf(server: Server): Promise<string> {
  const state = `SELECT (SELECT max(seq) FROM event) AS event, (SELECT max(id) FROM run) AS run,
    (SELECT max(seen_at) FROM node) AS seen`
  return JSON.stringify(await query(server, state))
}

/** Returns when each event on a server was received, in milliseconds since 1970, by the id in its data. */
async function storedOn(server: Server): Promise<Map<string, number>> {
  const rows = await query(
    server,
    `SELECT body::jsonb #>> '{data,id}' AS id, received_at::float8 AS at FROM event WHERE name = 'nodes.test'`,
  )
  return new Map(Stored.parse(rows).map(({ id, at }) => [id, at]))
}

/** Runs a statement on a connection of its own. */
async function query(server: Server, text: string): Promise<unknown[]> {
  const client = new Client(server.url())
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

if (import.meta.main) await run(givenNumbers('rounds', 'nodes'))

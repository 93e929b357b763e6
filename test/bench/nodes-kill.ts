/**
 * kill -9 of one of the nodes on a database while it accepts events and carries out their runs, and its start, again and
 * again: each event that was answered 200 is stored and has one run, which ends, and each step of it that repeats carries
 * the same idempotency key.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { NodeList } from '#shared/model/nodes.ts'
import { type Figure, printFigures } from './support/figures.ts'
import { givenNumbers } from './support/given-numbers.ts'
import { startDatabase, withNodes } from './support/with-nodes.ts'

/** In all, fewer runs start than a workflow keeps: several nodes accept while one starts. */
const pauseMs = 1000
/** Milliseconds that each step takes, so that runs are under way when a node is killed. */
const stepMs = 500
const pollEveryMs = 50

/** @param random between 0 and 1; chooses which node dies, and after how many answers. */
export async function run({
  nodes: count = 3,
  rounds = 20,
  random = Math.random,
} = {}): Promise<readonly Figure[]> {
  const database = await startDatabase()
  const watcher = new Client(database.url)
  await watcher.connect()
  return withNodes({ count, url: database.url, stepMs }, async ({ nodes, receiver, send, check }) => {
    const sending = send(count > 1 ? pauseMs : 0)
    const kills: number[] = []
    const takeovers: Promise<number>[] = []
    for (let round = 0; round < rounds; round++) {
      await sending.acknowledgedMore((100 + random() * 500) / (2 * count))
      const index = Math.floor(random() * count)
      const list = NodeList.parse(await nodes.at(index).call('GET', '/nodes'))
      const nodeId = list.find(({ isThis }) => isThis)?.nodeId ?? ''
      kills.push(performance.now())
      await nodes.kill(index)
      takeovers.push(takeoverMs(watcher, nodeId))
      await nodes.start(index)
    }
    const checked = await check(sending)
    const repeats = receiver.repeats.map(({ before, at }) => ({
      at,
      killedAt: kills.find(kill => kill >= before && kill < at),
    }))
    const withoutKill = repeats.filter(({ killedAt }) => killedAt === undefined)
    const longest = Math.max(...(await Promise.all(takeovers)))
    const figures: Figure[] = [
      ...checked,
      { name: 'of them without a kill', value: withoutKill.length, must: 0 },
      {
        name: 'longest time until all runs of a killed node went on',
        value: longest / 1000,
        unit: ' s',
        // A single node is away itself for a while.
        ...(count > 1 && { target: 12 }),
      },
    ]
    printFigures(`${rounds} × kill -9 of one of ${count} nodes`, figures)
    return figures
  }).finally(async () => {
    await watcher.end()
    await database.close()
  })
}

/** Resolves with the milliseconds from now until no run is held any more by a node that was just killed. */
async function takeoverMs(watcher: Client, nodeId: string): Promise<number> {
  const killedAt = performance.now()
  const { rows } = await watcher.query<{ id: string; attempt: number }>(heldBy, [nodeId])
  const held = [rows.map(({ id }) => id), rows.map(({ attempt }) => attempt)]
  while ((await watcher.query(stillHeld, held)).rows.length > 0) await delay(pollEveryMs)
  return performance.now() - killedAt
}

const heldBy =
  'SELECT id, attempt FROM run WHERE state = 2 AND node = (SELECT slot FROM node WHERE name = $1 LIMIT 1)'
const stillHeld = `SELECT FROM run JOIN unnest($1::bigint[], $2::int[]) AS held(id, attempt) USING (id, attempt)
  WHERE state = 2 LIMIT 1`

if (import.meta.main) await run(givenNumbers('rounds', 'nodes'))

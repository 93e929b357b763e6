/**
 * kill -9 of one of the nodes on a database while it accepts events and carries out their runs, and its start, again and
 * again: each event that was answered 200 is stored and has one run, which ends, and each step of it that repeats carries
 * the same idempotency key.
 */
import { type Figure, printFigures } from './support/figures.ts'
import { givenNumbers } from './support/given-numbers.ts'
import { startDatabase, withNodes } from './support/with-nodes.ts'

/** In all, fewer runs start than a workflow keeps: several nodes accept while one starts. */
const pauseMs = 250
/** Milliseconds that each step takes, so that runs are under way when a node is killed. */
const stepMs = 50

/** @param random between 0 and 1; chooses which node dies, and after how many answers. */
export async function run({
  nodes: count = 3,
  rounds = 20,
  random = Math.random,
} = {}): Promise<readonly Figure[]> {
  const database = await startDatabase()
  return withNodes({ count, url: database.url, stepMs }, async ({ nodes, receiver, send, check }) => {
    const sending = send(count > 1 ? pauseMs : 0)
    const kills: number[] = []
    for (let round = 0; round < rounds; round++) {
      await sending.acknowledgedMore((100 + random() * 500) / count)
      const index = Math.floor(random() * count)
      kills.push(performance.now())
      await nodes.kill(index)
      await nodes.start(index)
    }
    const checked = await check(sending)
    const repeats = receiver.repeats.map(({ before, at }) => ({
      at,
      killedAt: kills.find(kill => kill >= before && kill < at),
    }))
    const waits = repeats.flatMap(({ at, killedAt }) => (killedAt === undefined ? [] : at - killedAt))
    const figures: Figure[] = [
      ...checked,
      { name: 'of them without a kill', value: repeats.length - waits.length, must: 0 },
      {
        name: 'longest time from a kill to a repeated step',
        value: Math.max(0, ...waits) / 1000,
        unit: ' s',
        // A single node is away itself for a while.
        ...(count > 1 && { target: 12 }),
      },
    ]
    printFigures(`${rounds} × kill -9 of one of ${count} nodes`, figures)
    return figures
  }).finally(database.close)
}

if (import.meta.main) await run(givenNumbers('rounds', 'nodes'))

/**
 * kill -9 of all of PostgreSQL while nodes accept events and carry out their runs, and its start, again and again: events
 * get 503 meanwhile and nothing else, what was answered 200 is there afterwards, and the nodes soon accept again.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { type Figure, printFigures } from './support/figures.ts'
import { givenNumbers } from './support/given-numbers.ts'
import { recoveryMs, refusals, wrongWhileDown } from './support/send-steadily.ts'
import { startDatabase, withNodes } from './support/with-nodes.ts'

/** Milliseconds for which each sender waits after an answer: in all, fewer runs start than a workflow keeps. */
const pauseMs = 100
/** Milliseconds for which PostgreSQL is gone: nodes stop working after four seconds. */
const downMs = [0, 1000, 7000]
const afterwardsMs = 3000

/** @param random between 0 and 1; chooses when PostgreSQL is killed. */
export async function run({
  nodes: count = 3,
  rounds = 9,
  random = Math.random,
} = {}): Promise<readonly Figure[]> {
  const database = await startDatabase()
  return withNodes({ count, url: database.url }, async ({ send, check }) => {
    const sending = send(pauseMs)
    const recovered: number[] = []
    let wrong = 0
    for (let round = 0; round < rounds; round++) {
      await sending.acknowledgedMore(50 + random() * 100)
      await database.kill()
      const killedAt = performance.now()
      await delay(downMs[round % downMs.length])
      await database.start()
      const readyAt = performance.now()
      await delay(afterwardsMs)
      wrong += wrongWhileDown(sending.answers, killedAt, readyAt)
      recovered.push(recoveryMs(sending.answers, readyAt))
    }
    const figures: Figure[] = [
      ...(await check(sending)),
      ...refusals(sending.answers),
      { name: 'answers other than 503 while PostgreSQL was gone', value: wrong, must: 0 },
      {
        name: 'longest time until 200, after it was ready',
        value: Math.max(...recovered) / 1000,
        unit: ' s',
        target: 2,
      },
    ]
    printFigures(`${rounds} × kill -9 of PostgreSQL under ${count} nodes`, figures)
    return figures
  }).finally(database.close)
}

if (import.meta.main) await run(givenNumbers('rounds', 'nodes'))

/**
 * kill -9 of all of PostgreSQL while nodes accept events and carry out their runs, and its start, again and again: events
 * get 503 meanwhile and nothing else, what was answered 200 is there afterwards, and the nodes soon accept again.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { createCluster } from '../support/postgres.ts'
import { checkRuns } from './support/check-runs.ts'
import { type Figure, printFigures } from './support/figures.ts'
import { startNodes } from './support/nodes.ts'
import { startNotes, startReceiver } from './support/noted-steps.ts'
import { recoveryMs, refusals, sendSteadily, wrongWhileDown } from './support/send-steadily.ts'

const senders = 16
/** Milliseconds for which each sender waits after an answer: in all, fewer runs start than a workflow keeps. */
const pauseMs = 100
/** Milliseconds for which PostgreSQL is gone: nodes stop working after four seconds. */
const downMs = [0, 1000, 7000]
const afterwardsMs = 3000

/** @param random between 0 and 1; chooses when PostgreSQL is killed. */
export async function run({
  nodes: count = 1,
  rounds = 9,
  random = Math.random,
} = {}): Promise<readonly Figure[]> {
  const cluster = createCluster()
  let server = await cluster.start({ max_connections: 200 })
  const receiver = await startReceiver()
  try {
    const nodes = await startNodes(count, server.url())
    try {
      await startNotes(nodes, receiver.url)
      const sending = sendSteadily({
        ...{ url: nodes.inboundUrl, secret: nodes.secret, senders, pauseMs, prefix: 'database' },
      })
      const recovered: number[] = []
      let wrong = 0
      for (let round = 0; round < rounds; round++) {
        await sending.acknowledgedMore(50 + random() * 100)
        await server.kill()
        const killedAt = performance.now()
        await delay(downMs[round % downMs.length])
        server = await cluster.start({ max_connections: 200 }, server.port)
        const readyAt = performance.now()
        await delay(afterwardsMs)
        wrong += wrongWhileDown(sending.answers, killedAt, readyAt)
        recovered.push(recoveryMs(sending.answers, readyAt))
      }
      await sending.stop()
      const figures: Figure[] = [
        ...(await checkRuns(nodes, sending.acknowledged, receiver)),
        ...refusals(sending.answers),
        { name: 'answers other than 503 while PostgreSQL was gone', value: wrong, must: 0 },
        {
          name: 'longest time until 200, after it was ready',
          value: Math.max(...recovered) / 1000,
          unit: ' s',
          target: 2,
        },
        { name: 'nodes that have ended by themselves', value: nodes.ended(), must: 0 },
      ]
      printFigures(`${rounds} × kill -9 of PostgreSQL under ${count} nodes`, figures)
      return figures
    } finally {
      await nodes.close()
    }
  } finally {
    receiver.close()
    await server.stop('SIGQUIT')
    cluster.remove()
  }
}

if (import.meta.main) {
  const [rounds, nodes] = process.argv.slice(2).map(Number)
  await run({ ...(rounds !== undefined && { rounds }), ...(nodes !== undefined && { nodes }) })
}

/**
 * kill -9 of one of the nodes on a database while it accepts events and carries out their runs, and its start, again and
 * again: each event that was answered 200 is stored and has one run, which ends, and each step of it that repeats carries
 * the same idempotency key.
 */
import { createCluster } from '../support/postgres.ts'
import { checkRuns } from './support/check-runs.ts'
import { type Figure, printFigures } from './support/figures.ts'
import { startNodes } from './support/nodes.ts'
import { startNotes, startReceiver } from './support/noted-steps.ts'
import { sendSteadily } from './support/send-steadily.ts'

const senders = 16

/** @param random between 0 and 1; chooses which node dies, and after how many answers. */
export async function run({
  nodes: count = 1,
  rounds = 20,
  random = Math.random,
} = {}): Promise<readonly Figure[]> {
  const cluster = createCluster()
  const server = await cluster.start({ max_connections: 200 })
  const receiver = await startReceiver()
  try {
    const nodes = await startNodes(count, server.url())
    try {
      await startNotes(nodes, receiver.url)
      // In all, fewer runs start than a workflow keeps: several nodes accept while one starts.
      const pauseMs = (count - 1) * 50
      const sending = sendSteadily({
        ...{ url: nodes.inboundUrl, secret: nodes.secret, senders, pauseMs, prefix: 'kill' },
      })
      const kills: number[] = []
      for (let round = 0; round < rounds; round++) {
        await sending.acknowledgedMore((100 + random() * 500) / count)
        const index = Math.floor(random() * count)
        kills.push(performance.now())
        await nodes.kill(index)
        await nodes.start(index)
      }
      await sending.stop()
      const checked = await checkRuns(nodes, sending.acknowledged, receiver)
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
        { name: 'nodes that have ended by themselves', value: nodes.ended(), must: 0 },
      ]
      printFigures(`${rounds} × kill -9 of one of ${count} nodes`, figures)
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

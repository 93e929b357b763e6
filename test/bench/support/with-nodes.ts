import { stopAll } from '#main/lib/stop-all.ts'
import { createCluster } from '../../support/postgres.ts'
import { checkRuns } from './check-runs.ts'
import type { Figure } from './figures.ts'
import { type NodeSetup, type Nodes, startNodes } from './nodes.ts'
import { type Receiver, startNotes, startReceiver } from './noted-steps.ts'
import { type Sending, sendSteadily } from './send-steadily.ts'

/** A PostgreSQL server that a benchmark can end at any time. */
export type Database = {
  readonly url: string
  /** Returns how many statements it has ended because a key is not unique. */
  clashes(): number
  /** Ends it at once. */
  kill(): Promise<void>
  /** Stops it: SIGINT in order, SIGQUIT without waiting for anything. */
  stop(signal: 'SIGINT' | 'SIGQUIT'): Promise<void>
  /** Starts it again, on the same port. */
  start(): Promise<void>
  /** Ends it and deletes its data. */
  close(): Promise<void>
}

/** @param env further variables of the environment of the server. */
export async function startDatabase(
  settings: Readonly<Record<string, string | number>> = { max_connections: 200 },
  env: Readonly<Record<string, string>> = {},
): Promise<Database> {
  const cluster = createCluster()
  let clashes = 0
  let server = await start()
  async function start(port?: number) {
    const started = await cluster.start(settings, port, env)
    started.process.stderr?.on('data', text => {
      clashes += String(text).split('duplicate key').length - 1
    })
    return started
  }
  return {
    url: server.url(),
    clashes: () => clashes,
    kill: () => server.kill(),
    stop: signal => server.stop(signal),
    async start() {
      server = await start(server.port)
    },
    async close() {
      await server.stop('SIGQUIT')
      cluster.remove()
    },
  }
}

/** The nodes, the receiver and the senders of a benchmark of failures. */
export type OnNodes = {
  readonly nodes: Nodes
  /** Notes the two steps of the run that each event starts. */
  readonly receiver: Receiver
  /** Starts senders to the proxy, each of which waits for so many milliseconds after an answer. */
  send(pauseMs: number): Sending
  /** Stops senders, waits until all runs have ended, and checks all that was answered, stored and carried out. */
  check(...sending: Sending[]): Promise<Figure[]>
}

/**
 * Calls `work` with nodes on a database whose events start runs of two steps, and ends the nodes afterwards.
 *
 * @param options `stepMs`: how long each step takes.
 */
export async function withNodes<Result>(
  options: { count: number; url: string; setupOf?: (index: number) => NodeSetup; stepMs?: number },
  work: (on: OnNodes) => Promise<Result>,
): Promise<Result> {
  const { count, url, setupOf, stepMs } = options
  const receiver = await startReceiver(stepMs)
  const opened: (() => unknown)[] = [receiver.close]
  try {
    const nodes = await startNodes(count, url, setupOf)
    opened.unshift(nodes.close)
    await startNotes(nodes, receiver.url)
    return await work({
      ...{ nodes, receiver },
      send: pauseMs => sendSteadily({ url: nodes.inboundUrl, secret: nodes.secret, pauseMs }),
      async check(...sending) {
        await Promise.all(sending.map(({ stop }) => stop()))
        const acknowledged = new Set(sending.flatMap(one => [...one.acknowledged]))
        return [
          ...(await checkRuns(nodes, acknowledged, receiver)),
          { name: 'nodes that have ended by themselves', value: nodes.ended(), must: 0 },
        ]
      },
    })
  } finally {
    await stopAll(opened)
  }
}

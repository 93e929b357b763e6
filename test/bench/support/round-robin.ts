import { connect, createServer, type Socket } from 'node:net'
import { listenOn } from '#main/lib/listen-on.ts'
import { tieSockets } from '../../support/tie-sockets.ts'

export type RoundRobin = {
  readonly origin: string
  /** Returns the target of the newest connection. */
  newest(): number | undefined
  /** Hands further connections to these ports of this computer in turn; cuts them where there are none. */
  setTargets(ports: readonly number[]): void
  close(): void
}

/** Starts a TCP proxy on a free port that hands each connection to the next of its targets. */
export async function startRoundRobin(): Promise<RoundRobin> {
  let targets: readonly number[] = []
  let next = 0
  let newest: number | undefined
  const sockets = new Set<Socket>()
  const server = createServer(incoming => {
    const port = targets[next++ % targets.length]
    if (port === undefined) {
      incoming.destroy()
      return
    }
    newest = port
    const outgoing = connect(port, '127.0.0.1')
    tieSockets(sockets, incoming, outgoing)
    incoming.pipe(outgoing)
    outgoing.pipe(incoming)
  })
  const { port } = await listenOn(server, '127.0.0.1', 0)
  return {
    origin: `http://127.0.0.1:${port}`,
    newest: () => newest,
    setTargets(ports) {
      targets = ports
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { listenOn } from '#main/lib/listen-on.ts'
import { tieSockets } from './tie-sockets.ts'

export type CuttableProxy = {
  readonly url: string
  /** Connections that are open through it. */
  readonly size: number
  /** Cuts every connection, without a word to either side. */
  cut(): void
  /** Does the same, and refuses further connections until `restore`. */
  interrupt(): void
  restore(): void
  /** Forwards nothing more, without closing anything, until `flow`. Connections can still be opened. */
  hang(): void
  flow(): void
}

/** A TCP proxy on a free port whose connections can be cut, as by a network that fails. Gone with the test. */
export async function startCuttableProxy(target: string): Promise<CuttableProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const pipes = new Map<Socket, Socket>()
  let isInterrupted = false
  let isHanging = false
  const server = createServer(incoming => {
    if (isInterrupted) {
      incoming.destroy()
      return
    }
    const outgoing = connect(Number(port), hostname)
    tieSockets(sockets, incoming, outgoing)
    for (const socket of [incoming, outgoing]) socket.on('close', () => pipes.delete(socket))
    pipes.set(incoming, outgoing).set(outgoing, incoming)
    if (isHanging) return
    incoming.pipe(outgoing)
    outgoing.pipe(incoming)
  })
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const { port: ownPort } = await listenOn(server, '127.0.0.1', 0)
  onTestFinished(() => {
    cut()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${ownPort}`,
    get size() {
      return sockets.size / 2
    },
    cut,
    interrupt() {
      isInterrupted = true
      cut()
    },
    restore() {
      isInterrupted = false
    },
    hang() {
      isHanging = true
      for (const [from, to] of pipes) from.unpipe(to)
    },
    flow() {
      isHanging = false
      for (const [from, to] of pipes) from.pipe(to)
    },
  }
}

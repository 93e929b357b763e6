import { connect, createServer, type Socket } from 'node:net'
import { listenOn } from '#main/lib/listen-on.ts'

export type Direction = 'to the server' | 'to the node'

export type HangingProxy = {
  readonly port: number
  /** Forwards nothing in these directions from now on, not even that a connection ends; new ones seem to open. */
  hang(directions: readonly Direction[]): void
  /** Forwards everything so many milliseconds later from now on. */
  delay(ms: number): void
  /** Breaks all connections, and each new one. */
  refuse(): void
  /** Forwards what was held back, as TCP repeats what was lost, and all that follows at once. */
  heal(): void
  /** Breaks all connections that are open. */
  cut(): void
  close(): void
}

/** Starts a TCP proxy on a free port, between a node and a server on this computer, that can swallow what is sent. */
export async function startHangingProxy(target: number): Promise<HangingProxy> {
  let hung: readonly Direction[] = []
  let held: (() => void)[] = []
  let delayMs: number | null = null
  let isRefusing = false
  const sockets = new Set<Socket>()

  function pass(direction: Direction, act: () => void): void {
    if (hung.includes(direction)) held.push(act)
    else if (delayMs === null) act()
    else {
      held.push(act)
      setTimeout(() => held.shift()?.(), delayMs)
    }
  }

  function forward(direction: Direction, from: Socket, to: Socket): void {
    sockets.add(from)
    from.setNoDelay()
    from.on('data', data => pass(direction, () => to.write(data)))
    from.on('end', () => pass(direction, () => to.end()))
    from.on('error', () => {})
    from.on('close', () => {
      sockets.delete(from)
      pass(direction, () => to.destroySoon())
    })
  }

  const server = createServer({ allowHalfOpen: true }, incoming => {
    if (isRefusing) {
      incoming.destroy()
      return
    }
    incoming.pause()
    pass('to the server', () => {
      const outgoing = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true })
      forward('to the server', incoming, outgoing)
      forward('to the node', outgoing, incoming)
      incoming.resume()
    })
  })
  const { port } = await listenOn(server, '127.0.0.1', 0)
  function heal(): void {
    hung = []
    delayMs = null
    isRefusing = false
    const acts = held
    held = []
    for (const act of acts) act()
  }
  function cut(): void {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port,
    hang(directions) {
      hung = directions
    },
    delay(ms) {
      delayMs = ms
    },
    refuse() {
      isRefusing = true
      cut()
    },
    ...{ heal, cut },
    close() {
      heal()
      cut()
      server.close()
    },
  }
}

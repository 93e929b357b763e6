import { connect, createServer, type Socket } from 'node:net'
import { listenOn } from '#main/lib/listen-on.ts'

export type Direction = 'to the server' | 'to the node'

export type HangingProxy = {
  readonly port: number
  /** Forwards nothing in these directions from now on, not even that a connection ends; new ones seem to open. */
  hang(directions: readonly Direction[]): void
  /** Forwards everything so many milliseconds later from now on. */
  delay(ms: number): void
  /** Breaks all connections that are open. */
  cut(): void
  /** Does the same with a reset, like a machine that has restarted. */
  reset(): void
  /** Breaks all connections, and each new one. */
  refuse(): void
  /** Says on all connections that nothing more comes in this direction, and forwards the other one. */
  halfClose(direction: Direction): void
  /** Forwards what was held back, as TCP repeats what was lost, and all that follows at once. */
  heal(): void
  close(): void
}

/** Starts a TCP proxy on a free port, between a node and a server on this computer, that can fail in many ways. */
export async function startHangingProxy(target: number): Promise<HangingProxy> {
  let hung: readonly Direction[] = []
  let held: (() => void)[] = []
  let lateMs = 0
  let isRefusing = false
  /** The sockets that send in a direction, of all connections. */
  const senders = { 'to the server': new Set<Socket>(), 'to the node': new Set<Socket>() }
  const sockets = () => [...senders['to the server'], ...senders['to the node']]

  function pass(direction: Direction, act: () => void): void {
    if (hung.includes(direction) || lateMs > 0) held.push(act)
    else act()
    if (lateMs > 0) setTimeout(forwardOne, lateMs, held)
  }

  /** Forwards what was held back for the longest time, unless all has been forwarded since. */
  function forwardOne(those: (() => void)[]): void {
    if (those === held) held.shift()?.()
  }

  function forward(direction: Direction, from: Socket, to: Socket): void {
    senders[direction].add(from)
    from.setNoDelay()
    from.on('data', data => pass(direction, () => to.write(data)))
    from.on('end', () => pass(direction, () => to.end()))
    from.on('close', () => {
      senders[direction].delete(from)
      pass(direction, () => to.destroySoon())
    })
  }

  const server = createServer({ allowHalfOpen: true }, incoming => {
    incoming.on('error', () => {})
    if (isRefusing) {
      incoming.resetAndDestroy()
      return
    }
    incoming.pause()
    pass('to the server', () => {
      if (incoming.destroyed) return
      const outgoing = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true })
      outgoing.on('error', () => {})
      forward('to the server', incoming, outgoing)
      forward('to the node', outgoing, incoming)
      incoming.resume()
    })
  })
  const { port } = await listenOn(server, '127.0.0.1', 0)
  function heal(): void {
    hung = []
    lateMs = 0
    isRefusing = false
    const acts = held
    held = []
    for (const act of acts) act()
  }
  function cut(): void {
    for (const socket of sockets()) socket.destroy()
  }
  function reset(): void {
    for (const socket of sockets()) socket.resetAndDestroy()
  }
  return {
    port,
    hang(directions) {
      hung = directions
    },
    delay(ms) {
      lateMs = ms
    },
    ...{ cut, reset, heal },
    refuse() {
      isRefusing = true
      reset()
    },
    halfClose(direction) {
      const receiver = direction === 'to the server' ? 'to the node' : 'to the server'
      for (const socket of senders[receiver]) socket.end()
    },
    close() {
      heal()
      cut()
      server.close()
    },
  }
}

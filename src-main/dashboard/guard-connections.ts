import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type ConnectionBounds = {
  /** Connections open at once, counted from the moment they are accepted. */
  readonly maxConnections: number
  /** Milliseconds that a client may leave its answer unread. */
  readonly stallMs: number
  /** Bytes of answers that wait for their readers, over all connections; the largest one comes on top. */
  readonly maxUnsentBytes: number
}

export const connectionBounds: ConnectionBounds = {
  maxConnections: 256,
  stallMs: 60_000,
  maxUnsentBytes: 64 * 1024 * 1024,
}

export type ConnectionGuard = {
  /** Ends the clients that have left answers unread for longest, until there is memory for another answer. */
  makeRoom(bytes: number): void
}

type Guarded = { readonly socket: Socket; underWay: number }

/** TLS wraps an accepted socket in another one, which has the same peer. */
const peerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`

/**
 * Bounds the connections of a server and what it holds for clients that do not read. At the cap the connection
 * that has been without a request for longest makes room; when all have one, the new connection is closed. A
 * stream that has nothing to send is not stalled, so the live stream lasts.
 *
 * @param server that listens on TCP, with or without TLS.
 */
export function guardConnections(server: Server, bounds: ConnectionBounds): ConnectionGuard {
  /** Those without a request in the order of their last answer. */
  const open = new Map<string, Guarded>()
  const unanswered = new Set<ServerResponse>()

  function evictIdle(): void {
    for (const [peer, { socket, underWay }] of open) {
      if (underWay > 0) continue
      open.delete(peer)
      socket.destroy()
      return
    }
  }

  server.on('connection', (socket: Socket) => {
    if (open.size >= bounds.maxConnections) evictIdle()
    if (open.size >= bounds.maxConnections) {
      socket.destroy()
      return
    }
    const peer = peerOf(socket)
    const guarded = { socket, underWay: 0 }
    open.set(peer, guarded)
    socket.once('close', () => {
      if (open.get(peer) === guarded) open.delete(peer)
    })
  })
  server.on('request', ({ socket }, response) => {
    const peer = peerOf(socket)
    const guarded = open.get(peer)
    unanswered.add(response)
    if (guarded !== undefined) guarded.underWay++
    response.once('close', () => {
      unanswered.delete(response)
      if (guarded === undefined) return
      guarded.underWay--
      if (open.get(peer) !== guarded) return
      open.delete(peer)
      open.set(peer, guarded)
    })
  })
  server.setTimeout(bounds.stallMs, (socket: Socket) => {
    const isIdle = (open.get(peerOf(socket))?.underWay ?? 0) === 0
    if (isIdle || socket.writableLength > 0) socket.destroy()
  })

  return {
    makeRoom(bytes) {
      const unsent = [...unanswered].filter(({ writableLength }) => writableLength > 0)
      let total = unsent.reduce((sum, { writableLength }) => sum + writableLength, bytes)
      const largest = unsent.reduce((most, { writableLength }) => Math.max(most, writableLength), bytes)
      for (const response of unsent) {
        if (total - largest <= bounds.maxUnsentBytes) return
        total -= response.writableLength
        response.req.socket.destroy()
      }
    },
  }
}

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createReadThrottle, type ReadThrottle } from '#main/lib/read-throttle.ts'

export type ConnectionBounds = {
  /** Connections open at once, counted from the moment they are accepted. */
  readonly maxConnections: number
  /** Milliseconds that a client may leave its answer unread. */
  readonly stallMs: number
  /** Bytes of answers that wait for their readers, over all connections; the largest one comes on top. */
  readonly maxUnsentBytes: number
  /** Requests that one connection may have sent and not been answered yet. */
  readonly maxPipelined: number
}

export const connectionBounds: ConnectionBounds = {
  maxConnections: 256,
  stallMs: 60_000,
  maxUnsentBytes: 64 * 1024 * 1024,
  maxPipelined: 16,
}

export type ConnectionGuard = {
  /** Ends the clients that have left answers unread for longest, until there is memory for another answer. */
  makeRoom(bytes: number): void
}

type Guarded = { readonly socket: Socket; underWay: number }

/** How often one of the connections whose refused bodies still arrive is read, in milliseconds. */
const turnsEveryMs = 10

/** TLS wraps an accepted socket in another one, which has the same peer. */
const peerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`

/**
 * Bounds the connections of a server and what it holds for clients that do not read. At the cap the connection
 * that has been without a request for longest makes room; when all have one, the new connection is closed. A
 * stream that has nothing to send is not stalled, so the live stream lasts. A connection that sends many requests
 * ahead of their answers is closed: one read of 64 KiB holds over a thousand, which would all begin at once, and
 * no browser does that. What still arrives of a body that was answered unread is read in turns, since it may come
 * in chunks of 1 byte.
 *
 * @param server that listens on TCP, with or without TLS, and has the listener that handles its requests.
 */
export function guardConnections(
  server: Server,
  bounds: ConnectionBounds,
  throttle: ReadThrottle = createReadThrottle(turnsEveryMs),
): ConnectionGuard {
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

  /** Lets the rest of a body run out, a piece of 64 KiB at a time. */
  function drainInTurns(request: IncomingMessage): void {
    const { socket } = request
    if (request.complete || socket.destroyed) return
    let isWaiting = true
    // node:http resumes it once more when it begins to let the body run out.
    process.nextTick(() =>
      queueMicrotask(() => {
        if (isWaiting && !socket.destroyed) socket.pause()
      }),
    )
    throttle.wait(() => {
      isWaiting = false
      socket.resume()
      // What is read now is handled before the second of these.
      setImmediate(() => setImmediate(() => drainInTurns(request)))
    })
  }

  server.once('close', () => throttle.stop())
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
  const handlers = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    // The parser goes on to the end of what was read, though the connection is closed.
    if (socket.destroyed) return
    const peer = peerOf(socket)
    const guarded = open.get(peer)
    if (guarded !== undefined && guarded.underWay >= bounds.maxPipelined) {
      socket.destroy()
      return
    }
    unanswered.add(response)
    if (guarded !== undefined) guarded.underWay++
    response.once('finish', () => drainInTurns(request))
    response.once('close', () => {
      unanswered.delete(response)
      if (guarded === undefined) return
      guarded.underWay--
      if (open.get(peer) !== guarded) return
      open.delete(peer)
      open.set(peer, guarded)
    })
    for (const handle of handlers) handle.call(server, request, response)
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

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createReadThrottle, type ReadThrottle } from '#main/lib/read-throttle.ts'

export type ConnectionBounds = {
  /** Open connections, counted from the accept. */
  readonly maxConnections: number
  /** Milliseconds that a client may leave its answer unread. */
  readonly stallMs: number
  /** Bytes of unread answers over all connections, not counting the largest answer. */
  readonly maxUnsentBytes: number
  /** Unanswered requests of one connection. */
  readonly maxPipelined: number
}

export const connectionBounds: ConnectionBounds = {
  maxConnections: 256,
  stallMs: 60_000,
  maxUnsentBytes: 64 * 1024 * 1024,
  maxPipelined: 16,
}

type Guarded = { readonly socket: Socket; underWay: number }

/** Milliseconds between two reads from connections whose refused bodies still arrive. */
const turnsEveryMs = 10

/** Identifies a connection by its peer, because TLS wraps the accepted socket in another one. */
const peerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`

/**
 * Limits a server's connections and the memory of unread answers.
 *
 * - At the limit it closes the connection that has been idle longest; if none is idle, the new one.
 * - It closes connections whose client does not read an answer. Streams with nothing to send continue.
 * - It closes connections with too many unanswered requests. One read of 64 KiB can contain over a thousand, which
 *   would all start at once. Browsers do not do this.
 * - It reads the rest of refused bodies in turns, because they can arrive in chunks of 1 byte.
 *
 * @param server on TCP, with or without TLS, that already has its request handler.
 */
export function guardConnections(
  server: Server,
  bounds: ConnectionBounds,
  throttle: ReadThrottle = createReadThrottle(turnsEveryMs),
) {
  /** Idle connections are in the order of their last answers. */
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

  /**
   * Drains the rest of a body, 64 KiB at a time.
   *
   * @param socket of the request: Node sets `request.socket` to null when an iterator or a pipeline destroys the request.
   */
  function drainInTurns(request: IncomingMessage, socket: Socket): void {
    if (request.complete || socket.destroyed) return
    let isWaiting = true
    // node:http resumes it once more when it starts to drain the body.
    process.nextTick(() =>
      queueMicrotask(() => {
        if (isWaiting && !socket.destroyed) socket.pause()
      }),
    )
    throttle.wait(() => {
      isWaiting = false
      socket.resume()
      // The data of this read is handled before the second setImmediate.
      setImmediate(() => setImmediate(() => drainInTurns(request, socket)))
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
    // The parser continues to the end of the read, even after the connection is closed.
    if (socket.destroyed) return
    const peer = peerOf(socket)
    const guarded = open.get(peer)
    if (guarded !== undefined && guarded.underWay >= bounds.maxPipelined) {
      socket.destroy()
      return
    }
    unanswered.add(response)
    if (guarded !== undefined) guarded.underWay++
    response.once('finish', () => {
      // Nobody reads the rest any more. Without this, it would fill the buffer of the request.
      if (!request.complete) request.unpipe().resume()
      drainInTurns(request, socket)
    })
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
    /** Closes the connections with the oldest unread answers until there is memory for another answer. */
    makeRoom(bytes: number) {
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

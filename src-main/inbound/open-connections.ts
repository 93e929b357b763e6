import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createReadThrottle, type ReadThrottle } from '#main/lib/read-throttle.ts'

/** The listener’s record of an open connection. */
export type OpenConnection = {
  /** Identifies the listener that accepted it: while the listener moves, there are two. */
  readonly listener: object
  /** Complete requests whose answer is not written yet. A connection with any is never evicted. */
  pending: number
  /** When its last event was accepted, in milliseconds of the listener's clock; null before the first. */
  since: number | null
  /** The response to its newest request. Answers leave in the order of the requests. */
  newest: ServerResponse | null
  /** The cost of the current read so far. A refused request costs 1. */
  strain: number
  /** Requests with a valid head whose body was not checked yet. */
  promised: number
  /** Whether reading is paused until its turn. */
  isThrottled: boolean
  /** Whether it is never read again and closes at its turn. */
  isStopped: boolean
  /** Its last answer is decided, and everything that still arrives is ignored. */
  ending: boolean
}

export type OpenConnections = ReturnType<typeof createOpenConnections>

/**
 * The number of refused requests that a connection may cause in one read of at most 64 KiB. One of the connections that
 * exceed this has its turn in each interval, because such a read takes the listener about 15 ms.
 */
const maxStrain = 32
/** Several requests in one read may all be parsed before the first body is checked. Each of this many may be an event. */
const maxPromised = 4
const turnsEveryMs = 50

/**
 * Bytes of answers that a sender may leave unread when it sends another request: about 300 answers. Each takes far
 * more memory than its bytes.
 */
const maxUnreadBytes = 64 * 1024

/**
 * Limits the number of open connections. Above the limit it closes the oldest connection without an accepted event. If
 * all have one, it closes the connection with the oldest last event. Many idle or slow connections therefore cannot
 * shut out honest senders. It first reads what new connections have sent, so that it does not mistake the senders of a
 * burst for idle ones.
 *
 * @param cap connections that may stay open.
 * @param burstCap connections that may be open until their first data was read.
 */
export function createOpenConnections(
  cap: () => number,
  burstCap: () => number,
  clock: () => number,
  throttle: ReadThrottle = createReadThrottle(turnsEveryMs),
) {
  const open = new Map<Socket, OpenConnection>()
  /** Connections without an accepted event, oldest first. */
  const unproven = new Set<Socket>()
  let waitingTrims = 0

  function drop(socket: Socket): void {
    open.delete(socket)
    unproven.delete(socket)
  }

  function oldest(): Socket | null {
    for (const socket of unproven) if (open.get(socket)?.pending === 0) return socket
    let found: Socket | null = null
    let least = Number.POSITIVE_INFINITY
    for (const [socket, { pending, since }] of open) {
      if (pending > 0 || since === null || since >= least) continue
      found = socket
      least = since
    }
    return found
  }

  /** Closes the oldest evictable connection. Returns whether there was one. */
  function evictOldest(): boolean {
    const socket = oldest()
    if (socket === null) return false
    socket.destroy()
    drop(socket)
    return true
  }

  /** Closes the surplus once the event loop has read what the newest connections sent. */
  function trimLater(): void {
    waitingTrims++
    setImmediate(() =>
      setImmediate(() => {
        waitingTrims--
        while (waitingTrims === 0 && open.size > cap() && evictOldest());
      }),
    )
  }

  function prove(socket: Socket, connection: OpenConnection): void {
    if (connection.since === null) unproven.delete(socket)
    connection.since = clock()
    connection.strain = 0
    if (open.size > cap()) trimLater()
  }

  /** Pauses a throttled socket again after each chunk, because node:http resumes it. */
  function keepPaused(socket: Socket, connection: OpenConnection): void {
    process.nextTick(() =>
      queueMicrotask(() => {
        if (connection.isThrottled && !socket.destroyed) socket.pause()
      }),
    )
  }

  /** Adds to the strain of this read. Returns whether it exceeds the limit, which is higher if events may precede. */
  function isTooMuch(connection: OpenConnection, cost: number, promised = 0): boolean {
    if (connection.strain === 0)
      setImmediate(() => {
        connection.strain = 0
      })
    connection.strain += cost
    return connection.strain > maxStrain * (1 + Math.min(promised, maxPromised))
  }

  function stopReading(socket: Socket, connection: OpenConnection): void {
    connection.isStopped = true
    connection.ending = true
    stopParser(socket)
    // node:http resumes it for each request that it has already read.
    socket.on('resume', () => socket.pause())
    socket.pause()
  }

  return {
    /** Counts an accepted connection; with TLS, before its handshake. */
    add(socket: Socket, listener: object) {
      if (open.size >= burstCap() && !evictOldest()) {
        socket.destroy()
        return
      }
      open.set(socket, {
        listener,
        pending: 0,
        since: null,
        newest: null,
        strain: 0,
        promised: 0,
        isThrottled: false,
        isStopped: false,
        ending: false,
      })
      unproven.add(socket)
      socket.once('close', () => drop(socket))
      if (open.size > cap()) trimLater()
    },
    /** Replaces the accepted socket of a peer by its TLS socket. */
    secured(socket: Socket) {
      for (const [accepted, connection] of open) {
        if (accepted.remotePort !== socket.remotePort || accepted.remoteAddress !== socket.remoteAddress)
          continue
        drop(accepted)
        open.set(socket, connection)
        unproven.add(socket)
        socket.once('close', () => drop(socket))
        return
      }
      socket.destroy()
    },
    of: (socket: Socket) => open.get(socket),
    /**
     * Registers the response to a new request. Returns false if the connection closes with an earlier answer: the
     * sender would never see the answer to this request, so it must not be processed (RFC 9112, 9.6).
     */
    take(socket: Socket, response: ServerResponse) {
      const connection = open.get(socket)
      if (connection === undefined) return false
      if (connection.ending || connection.newest?.shouldKeepAlive === false) {
        if (!connection.isStopped && isTooMuch(connection, 1)) stopReading(socket, connection)
        return false
      }
      if (socket.writableLength > maxUnreadBytes) {
        connection.ending = true
        socket.destroy()
        return false
      }
      connection.newest = response
      return true
    },
    /** Registers a request with a valid head, which may be an event. */
    promise(socket: Socket) {
      const connection = open.get(socket)
      if (connection !== undefined) connection.promised++
    },
    /** Registers that its body can be checked. */
    keepPromise(socket: Socket) {
      const connection = open.get(socket)
      if (connection !== undefined) connection.promised--
    },
    /** Registers a complete request whose answer is pending. */
    begin(socket: Socket) {
      const connection = open.get(socket)
      if (connection === undefined) return
      connection.pending++
      connection.strain = 0
    },
    /** Registers that its answer was written. */
    end(socket: Socket) {
      const connection = open.get(socket)
      if (connection === undefined) return
      connection.pending--
      prove(socket, connection)
    },
    /** Returns whether the answer to a request on this connection has not been sent completely. */
    isWaiting(socket: Socket) {
      const newest = open.get(socket)?.newest ?? null
      return newest !== null && !newest.writableFinished
    },
    /** Registers an event that was accepted without waiting. */
    served(socket: Socket) {
      const connection = open.get(socket)
      if (connection !== undefined) prove(socket, connection)
    },
    /**
     * Answers a refused request, usually at once. If one read had too many refused requests and no event, the answer
     * waits for the connection's turn and is its last one: the rest of the read is ignored.
     *
     * @param isUnread whether it was refused by its head, before the bodies of earlier requests could be checked.
     */
    refuse(socket: Socket, isUnread: boolean, answer: (isLast: boolean) => void) {
      const connection = open.get(socket)
      if (connection === undefined || !isTooMuch(connection, 1, isUnread ? connection.promised : 0)) {
        answer(false)
        return
      }
      stopReading(socket, connection)
      throttle.wait(() => {
        if (!socket.destroyed) answer(true)
      })
    },
    /** Returns whether an earlier request was the connection's last. */
    isStopped: (socket: Socket) => open.get(socket)?.isStopped !== false,
    /**
     * Adds the cost of a body, in refused requests. A connection with a high cost in one read is paused until its turn.
     */
    strain(socket: Socket, cost: number) {
      const connection = open.get(socket)
      if (connection === undefined || connection.isStopped || !isTooMuch(connection, cost)) return
      keepPaused(socket, connection)
      if (connection.isThrottled) return
      connection.isThrottled = true
      throttle.wait(() => {
        connection.isThrottled = false
        if (!socket.destroyed && !connection.isStopped) socket.resume()
      })
    },
    /** Closes a listener's connections that have received nothing, which node:http does not consider idle. */
    closeUnused(listener: object) {
      for (const [socket, connection] of open)
        if (connection.listener === listener && socket.bytesRead === 0) socket.destroy()
    },
    /** Closes a listener's connections, also those that node:http does not know: in their handshake, or released to us. */
    closeAll(listener: object) {
      for (const [socket, connection] of open) if (connection.listener === listener) socket.destroy()
    },
    get size() {
      return open.size
    },
  }
}

/**
 * Stops the parser from processing the rest of the read. node:http has no public API for this, and otherwise passes
 * each request in it to us, which takes as long as refusing it. If the method is missing, this is only slower.
 */
function stopParser(socket: Socket): void {
  if (!('parser' in socket) || typeof socket.parser !== 'object' || socket.parser === null) return
  if ('pause' in socket.parser && typeof socket.parser.pause === 'function') socket.parser.pause()
}

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createReadThrottle, type ReadThrottle } from '#main/lib/read-throttle.ts'

/** What the listener knows of an open connection. */
export type OpenConnection = {
  /** Requests received whole whose answer is not written yet: such a connection is never evicted. */
  pending: number
  /** When it last had an event accepted, in milliseconds of the listener's clock; null before the first. */
  since: number | null
  /** The response to its newest request, written or not: answers leave in the order of the requests. */
  newest: ServerResponse | null
  /** What `strain` noted since the listener last looked for something to read. */
  strain: number
  /** It is not read until its turn has come. */
  isThrottled: boolean
  /** It is never read again; it ends when it is its turn. */
  isStopped: boolean
  /** Nothing that arrives is looked at any more; the last answer has been decided on. */
  ending: boolean
}

export type OpenConnections = {
  /** Counts a connection that was accepted; with TLS, before its handshake. */
  add(socket: Socket): void
  /** With TLS: puts the socket that speaks it in the place of the accepted one of the same peer. */
  secured(socket: Socket): void
  of(socket: Socket): OpenConnection | undefined
  /**
   * Notes the response to a request that has come.
   *
   * @returns false when the connection ends with an earlier answer: the sender would never learn what
   *   became of a request behind that one, so it must not be looked at (RFC 9112, 9.6).
   */
  take(socket: Socket, response: ServerResponse): boolean
  /** A request was received whole, and its answer waits. */
  begin(socket: Socket): void
  /** Its answer was written. */
  end(socket: Socket): void
  /** Whether a request on it has no answer yet, or one that has not left. */
  isWaiting(socket: Socket): boolean
  /** An event was accepted that did not have to wait. */
  served(socket: Socket): void
  /**
   * Answers a refused request: at once, or when it is the connection's turn if it has caused too many in one read
   * without an event. That answer is its last: the rest of what was read is not looked at.
   */
  refuse(socket: Socket, answer: (isLast: boolean) => void): void
  /** Whether a request before this one was the connection's last. */
  isStopped(socket: Socket): boolean
  /**
   * Notes work that a body caused, by its chunks or as it was refused, in refused requests. A connection that causes much of it in
   * one read is read again only when it is its turn.
   */
  strain(socket: Socket, cost: number): void
  /** Closes those on which nothing has come yet, which node:http does not count among the idle ones. */
  closeUnused(): void
  readonly size: number
}

/**
 * Refused requests that a connection may cause in one read of at most 64 KiB, and how often one that caused more has
 * its turn, of all of them together: such a read would take the listener some 15 ms.
 */
const maxStrain = 32
const turnsEveryMs = 50

/**
 * Bytes of answers that a sender may leave unread when it sends another request: some three hundred answers. Each
 * takes far more memory than its bytes.
 */
const maxUnreadBytes = 64 * 1024

/**
 * Keeps the number of open connections under a cap. Past the cap the oldest connection that has had no event accepted
 * makes room, or, when there is none, the one whose last event is longest ago; so a crowd of idle or dripping ones
 * cannot shut out honest senders, however fast it comes back. Room is made once what the connections have sent has
 * been read, so that of many honest senders that come in one burst none is taken for an idle one.
 *
 * @param cap connections that may stay open.
 * @param burstCap connections that may be open until what they have sent has been read.
 */
export function createOpenConnections(
  cap: () => number,
  burstCap: () => number,
  clock: () => number,
  throttle: ReadThrottle = createReadThrottle(turnsEveryMs),
): OpenConnections {
  const open = new Map<Socket, OpenConnection>()
  /** Those that have had no event accepted, oldest first. */
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

  /** @returns whether there was one that could be closed. */
  function evictOldest(): boolean {
    const socket = oldest()
    if (socket === null) return false
    socket.destroy()
    drop(socket)
    return true
  }

  /** Closes those over the cap once the event loop has read what the newest ones have sent. */
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

  /** node:http resumes a socket after each chunk, so this is done again behind each. */
  function keepPaused(socket: Socket, connection: OpenConnection): void {
    process.nextTick(() =>
      queueMicrotask(() => {
        if (connection.isThrottled && !socket.destroyed) socket.pause()
      }),
    )
  }

  /** Adds to the strain of this read. @returns whether it is too much. */
  function isTooMuch(connection: OpenConnection, cost: number): boolean {
    if (connection.strain === 0)
      setImmediate(() => {
        connection.strain = 0
      })
    connection.strain += cost
    return connection.strain > maxStrain
  }

  function stopReading(socket: Socket, connection: OpenConnection): void {
    connection.isStopped = true
    connection.ending = true
    stopParser(socket)
    // node:http resumes it with each request that it had read already.
    socket.on('resume', () => socket.pause())
    socket.pause()
  }

  return {
    add(socket) {
      if (open.size >= burstCap() && !evictOldest()) {
        socket.destroy()
        return
      }
      open.set(socket, {
        pending: 0,
        since: null,
        newest: null,
        strain: 0,
        isThrottled: false,
        isStopped: false,
        ending: false,
      })
      unproven.add(socket)
      socket.once('close', () => drop(socket))
      if (open.size > cap()) trimLater()
    },
    secured(socket) {
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
    of: socket => open.get(socket),
    take(socket, response) {
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
    begin(socket) {
      const connection = open.get(socket)
      if (connection === undefined) return
      connection.pending++
      connection.strain = 0
    },
    end(socket) {
      const connection = open.get(socket)
      if (connection === undefined) return
      connection.pending--
      prove(socket, connection)
    },
    isWaiting(socket) {
      const newest = open.get(socket)?.newest ?? null
      return newest !== null && !newest.writableFinished
    },
    served(socket) {
      const connection = open.get(socket)
      if (connection !== undefined) prove(socket, connection)
    },
    refuse(socket, answer) {
      const connection = open.get(socket)
      if (connection === undefined || !isTooMuch(connection, 1)) {
        answer(false)
        return
      }
      stopReading(socket, connection)
      throttle.wait(() => {
        if (!socket.destroyed) answer(true)
      })
    },
    isStopped: socket => open.get(socket)?.isStopped !== false,
    strain(socket, cost) {
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
    closeUnused() {
      for (const socket of open.keys()) if (socket.bytesRead === 0) socket.destroy()
    },
    get size() {
      return open.size
    },
  }
}

/**
 * Has the parser of a connection leave the rest of what was read. node:http has no public way to do that, and hands
 * each request in it to us, which takes as long as refusing it. Without that method it is only slower.
 */
function stopParser(socket: Socket): void {
  if (!('parser' in socket) || typeof socket.parser !== 'object' || socket.parser === null) return
  if ('pause' in socket.parser && typeof socket.parser.pause === 'function') socket.parser.pause()
}

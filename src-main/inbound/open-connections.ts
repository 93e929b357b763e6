import type { Socket } from 'node:net'

/** What the listener knows of an open connection. */
export type OpenConnection = {
  /** Requests received whole whose answer is not written yet: such a connection is never evicted. */
  pending: number
  /** When it was opened or last answered, in milliseconds of the listener's clock. */
  since: number
  /** An answer was written while its request's body is still under way: no other may be written now. */
  answeredEarly: boolean
  /** Called once when `pending` falls to 0. */
  whenIdle: (() => void) | null
}

export type OpenConnections = {
  add(socket: Socket): void
  of(socket: Socket): OpenConnection | undefined
  /** A request was received whole. */
  begin(socket: Socket): void
  /** Its answer was written. */
  end(socket: Socket): void
  readonly size: number
}

/**
 * Keeps the number of open connections under a cap. At the cap the connection that has waited longest
 * without a whole request makes room, so a crowd of idle or dripping ones cannot shut out honest senders.
 */
export function createOpenConnections(cap: () => number, clock: () => number): OpenConnections {
  const open = new Map<Socket, OpenConnection>()

  function evictOldest(): void {
    let oldest: Socket | null = null
    let since = Number.POSITIVE_INFINITY
    for (const [socket, connection] of open) {
      if (connection.pending === 0 && connection.since < since) {
        oldest = socket
        since = connection.since
      }
    }
    oldest?.destroy()
    if (oldest !== null) open.delete(oldest)
  }

  return {
    add(socket) {
      if (open.size >= cap()) evictOldest()
      if (open.size >= cap()) {
        socket.destroy()
        return
      }
      open.set(socket, { pending: 0, since: clock(), answeredEarly: false, whenIdle: null })
      socket.once('close', () => open.delete(socket))
    },
    of: socket => open.get(socket),
    begin(socket) {
      const connection = open.get(socket)
      if (connection !== undefined) connection.pending++
    },
    end(socket) {
      const connection = open.get(socket)
      if (connection === undefined) return
      connection.pending--
      connection.since = clock()
      if (connection.pending > 0 || connection.whenIdle === null) return
      const act = connection.whenIdle
      connection.whenIdle = null
      act()
    },
    get size() {
      return open.size
    },
  }
}

import type { Signals } from './signals.ts'

/** How many sessions are kept. A new one ends the oldest. */
export const mostSessions = 100

/**
 * The sessions of the dashboard, by digests from which nobody can sign in: open on all nodes, and after a restart.
 * Methods reject with `storage_unavailable` if the storage fails.
 */
export type SessionStore = {
  /**
   * Starts a session, and ends the oldest ones above `mostSessions`. When it resolves, the session is open on all nodes.
   *
   * @param digest 64 hexadecimal digits. @param lifeMs milliseconds until it ends by itself, by the storage's clock.
   */
  add(digest: string, lifeMs: number): Promise<void>
  isOpen(digest: string): Promise<boolean>
  /** Ends a session, if it is open. When it resolves, the session is closed on all nodes, also after a restart. */
  end(digest: string): Promise<void>
  /**
   * Calls back once when a session is over, whatever ended it: immediately if it ends on this node, within about a second
   * if it is not open, its time has come or it ends on another node. Returns a function that removes the callback.
   */
  onOver(digest: string, callback: () => void): () => void
}

/** Where sessions are kept. A time is in milliseconds since 1970. */
export type SessionRecords = {
  /** Adds a session, and ends those whose time is over and the oldest above `mostSessions`. Returns the ended ones. */
  add(digest: string, expiresAt: number, now: number): Promise<readonly string[]>
  /** Returns which are open. Ends the others for good: a clock that is set back does not bring them back. */
  open(digests: readonly string[], now: number): Promise<ReadonlySet<string>>
  end(digest: string): Promise<void>
}

/** Milliseconds between two polls of the sessions that somebody asks about. */
const pollEvery = 1000
const topic = 'sessions'

export function createSessions(
  records: SessionRecords,
  signals: Signals,
  clock: () => number,
  onError: (error: unknown) => void,
): SessionStore & { close(): void } {
  const asking = new Map<string, Set<() => void>>()
  let timer: NodeJS.Timeout | undefined
  const stop = signals.on(topic, over)

  function over(digest: string): void {
    const callbacks = asking.get(digest) ?? []
    asking.delete(digest)
    for (const callback of callbacks)
      try {
        callback()
      } catch (error) {
        onError(error)
      }
    if (asking.size === 0) clearInterval(timer)
  }

  /** Finds those that are over. While the storage cannot be read, none is. */
  async function poll(digests: readonly string[]): Promise<void> {
    const found = await records.open(digests, clock()).catch(() => null)
    for (const digest of digests) if (found?.has(digest) === false) over(digest)
  }

  function tell(digests: readonly string[]): void {
    for (const digest of digests) {
      over(digest)
      signals.send(topic, digest)
    }
  }

  return {
    async add(digest, lifeMs) {
      const now = clock()
      tell(await records.add(digest, now + lifeMs, now))
    },
    isOpen: async digest => (await records.open([digest], clock())).has(digest),
    async end(digest) {
      await records.end(digest)
      tell([digest])
    },
    onOver(digest, callback) {
      // So that the same callback may be given twice.
      const call = () => callback()
      if (asking.size === 0) timer = setInterval(() => void poll([...asking.keys()]), pollEvery).unref()
      asking.set(digest, (asking.get(digest) ?? new Set()).add(call))
      void poll([digest])
      return () => {
        const callbacks = asking.get(digest)
        callbacks?.delete(call)
        if (callbacks?.size === 0) asking.delete(digest)
        if (asking.size === 0) clearInterval(timer)
      }
    },
    close() {
      stop()
      clearInterval(timer)
      asking.clear()
    },
  }
}

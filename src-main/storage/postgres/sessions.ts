import { mostSessions, type SessionStore } from '../sessions.ts'
import type { Signals } from '../signals.ts'
import type { Pool } from './pool.ts'

/** Milliseconds between two looks at the sessions that somebody asks about. */
const lookEvery = 1000
const topic = 'sessions'

/** The sessions in a database. */
export function createSessions(
  pool: Pool,
  signals: Signals,
  clock: () => number,
  onError: (error: unknown) => void,
): SessionStore & { close(): void } {
  const asking = new Map<string, Set<() => void>>()
  let timer: NodeJS.Timeout | undefined
  const stop = signals.on(topic, digest => over(digest))

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

  /** Finds those that are over. While the database cannot be read, none is. */
  async function look(digests: readonly string[]): Promise<void> {
    const rows = await pool.query(open, [digests, clock()])
    const found = new Set(rows.map(row => row.digest))
    const ended = digests.filter(digest => !found.has(digest))
    if (ended.length > 0) await pool.query(expire, [ended, clock()])
    for (const digest of ended) over(digest)
  }

  function tell(digests: Iterable<string>): void {
    for (const digest of digests) {
      over(digest)
      signals.send(topic, digest)
    }
  }

  return {
    async add(digest, lifeMs) {
      const now = clock()
      const [, ...ended] = await pool.transaction(async connection => {
        await connection.query(add, [digest, now + lifeMs])
        return [
          digest,
          ...(await connection.query(surplus, [mostSessions, now])).map(row => String(row.digest)),
        ]
      })
      tell(ended)
    },
    async isOpen(digest) {
      const now = clock()
      if ((await pool.query(open, [[digest], now])).length > 0) return true
      await pool.query(expire, [[digest], now])
      return false
    },
    async end(digest) {
      await pool.query({ name: 'end_session', text: 'DELETE FROM session WHERE digest = $1' }, [digest])
      tell([digest])
    },
    onOver(digest, callback) {
      // So that the same callback may be given twice.
      const call = () => callback()
      if (asking.size === 0)
        timer = setInterval(() => void look([...asking.keys()]).catch(() => {}), lookEvery).unref()
      asking.set(digest, (asking.get(digest) ?? new Set()).add(call))
      void look([digest]).catch(() => {})
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

const open = {
  name: 'open_sessions',
  text: 'SELECT digest FROM session WHERE digest = ANY ($1::text[]) AND expires_at > $2',
}
/** Ends them for good: a clock that is set back does not bring them back. */
const expire = {
  name: 'expire_sessions',
  text: 'DELETE FROM session WHERE digest = ANY ($1::text[]) AND expires_at <= $2',
}
const add = {
  name: 'add_session',
  text: `INSERT INTO session (digest, expires_at) VALUES ($1, $2)
    ON CONFLICT (digest) DO UPDATE SET expires_at = excluded.expires_at`,
}
const surplus = {
  name: 'end_surplus_sessions',
  text: `DELETE FROM session WHERE expires_at <= $2 OR digest IN (
      SELECT digest FROM session WHERE expires_at > $2 ORDER BY place DESC OFFSET $1)
    RETURNING digest`,
}

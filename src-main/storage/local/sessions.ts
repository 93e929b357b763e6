import { z } from 'zod'
import type { StoredDocument } from '../document.ts'
import { mostSessions, type SessionStore } from '../sessions.ts'
import { unavailable } from '../unavailable.ts'

/** Milliseconds between checks for a session's end: the clock can change, and timers stop while the computer sleeps. */
const lookMs = 60_000

const StoredSessions = z.object({
  sessions: z.array(z.object({ digest: z.string().regex(/^[0-9a-f]{64}$/), expiresAt: z.int() })),
})
type StoredSessions = z.infer<typeof StoredSessions>

/** The callbacks for the end of a session, and its timer. */
type Waiting = { readonly callbacks: Set<() => void>; timer: NodeJS.Timeout }

type Parts = {
  readonly document: StoredDocument
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Called with problems of the document. Signing in still works. */
  readonly onProblem: (error: unknown) => void
}

/** Opens the sessions of one process: in memory, and in a document for the next start. */
export async function openSessions({ document, clock, onProblem }: Parts): Promise<SessionStore> {
  /** When each session ends, by its digest; the oldest session first. */
  const sessions = new Map<string, number>()
  const waiting = new Map<string, Waiting>()
  const stored = await read(document, onProblem)
  for (const { digest, expiresAt } of stored) if (expiresAt > clock()) sessions.set(digest, expiresAt)

  const write = () =>
    document.write({ sessions: Array.from(sessions, ([digest, expiresAt]) => ({ digest, expiresAt })) })
  const isOpen = (digest: string) => (sessions.get(digest) ?? Number.NEGATIVE_INFINITY) > clock()

  function drop(digest: string): void {
    sessions.delete(digest)
    const found = waiting.get(digest)
    if (found === undefined) return
    clearTimeout(found.timer)
    waiting.delete(digest)
    for (const callback of found.callbacks) callback()
  }

  /** Ends a session whose time is over, for good: a clock that is set back does not bring it back. */
  async function expire(digest: string): Promise<void> {
    const isKnown = sessions.has(digest)
    drop(digest)
    if (isKnown) await write().catch(onProblem)
  }

  /** Returns a timer that ends the session in time. */
  function watch(digest: string): NodeJS.Timeout {
    const look = () => {
      if (!isOpen(digest)) return void expire(digest)
      const found = waiting.get(digest)
      if (found !== undefined) found.timer = watch(digest)
    }
    const restMs = (sessions.get(digest) ?? 0) - clock()
    return setTimeout(look, Math.max(0, Math.min(restMs, lookMs))).unref()
  }

  if (sessions.size < stored.length) await write().catch(onProblem)
  return {
    async add(digest, lifeMs) {
      sessions.set(digest, clock() + lifeMs)
      for (const known of sessions.keys()) if (!isOpen(known)) drop(known)
      for (const oldest of sessions.keys()) if (sessions.size > mostSessions) drop(oldest)
      await write().catch(onProblem)
    },
    async isOpen(digest) {
      if (isOpen(digest)) return true
      await expire(digest)
      return false
    },
    async end(digest) {
      if (!sessions.has(digest)) return
      drop(digest)
      await write().catch(cause => {
        throw unavailable('The session has ended, but this cannot be saved', cause)
      })
    },
    onOver(digest, callback) {
      const { callbacks, timer } = waiting.get(digest) ?? { callbacks: new Set(), timer: watch(digest) }
      waiting.set(digest, { callbacks: callbacks.add(callback), timer })
      return () => {
        callbacks.delete(callback)
        const found = waiting.get(digest)
        if (callbacks.size > 0 || found?.callbacks !== callbacks) return
        clearTimeout(found.timer)
        waiting.delete(digest)
      }
    },
  }
}

async function read(
  document: StoredDocument,
  onProblem: (error: unknown) => void,
): Promise<StoredSessions['sessions']> {
  try {
    const stored = await document.read()
    return stored === null ? [] : StoredSessions.parse(stored).sessions
  } catch (error) {
    // Everybody has to sign in again.
    onProblem(error)
    return []
  }
}

import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { RandomBytes } from '#main/connections/identifiers.ts'
import type { StoredDocument } from '#main/storage/document.ts'
import { unavailable } from '#main/storage/unavailable.ts'

/** How long a browser stays signed in, in seconds. */
export const sessionSeconds = 30 * 24 * 60 * 60

const secretBytes = 32
const maxSessions = 100
/** Milliseconds between checks for a session's end: the clock can change, and timers stop while the computer sleeps. */
const lookMs = 60_000

const StoredSessions = z.object({
  sessions: z.array(z.object({ digest: z.string().regex(/^[0-9a-f]{64}$/), expiresAt: z.int() })),
})
type Session = z.infer<typeof StoredSessions>['sessions'][number]
/** The callbacks for the end of a session, and its timer. */
type Waiting = { readonly callbacks: Set<() => void>; timer: NodeJS.Timeout }

/**
 * The two halves of a session, 43 characters each. A browser sends the cookie to every port of the host, so the cookie
 * alone is useless. The page also sends the key from its origin's storage.
 */
export type SessionProof = {
  /** The value of the cookie. */
  readonly id: string
  /** The value of the page's header. */
  readonly key: string
}

/** The sessions of the dashboard. The document stores one digest of both halves, which is useless to a reader. */
export type Sessions = Awaited<ReturnType<typeof openSessions>>

export type SessionsOptions = {
  /** Keeps the sessions across restarts. */
  readonly document: StoredDocument
  /** The admin token. Digests are keyed with it, so a new token ends all sessions. */
  readonly token: string
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
  /** Called with problems of the document. Signing in still works. */
  readonly onProblem: (error: unknown) => void
}

export async function openSessions(options: SessionsOptions) {
  const { document, token, clock, random, onProblem } = options
  const newSecret = () => random(secretBytes).toString('base64url')
  const digestOf = ({ id, key }: SessionProof) => createHmac('sha256', token).update(`${id}.${key}`).digest()
  let sessions = await readSessions(document, onProblem)
  const waiting = new Map<Session, Waiting>()

  function keep(kept: Session[]): void {
    sessions = kept
    for (const [session, { callbacks, timer }] of waiting) {
      if (kept.includes(session)) continue
      clearTimeout(timer)
      waiting.delete(session)
      for (const callback of callbacks) callback()
    }
  }

  const isExpired = ({ expiresAt }: Session) => expiresAt <= clock()
  const drop = (session: Session) => keep(sessions.filter(other => other !== session))

  /** Returns a timer that ends the session in time. */
  function watch(session: Session): NodeJS.Timeout {
    const look = () => {
      if (isExpired(session)) return drop(session)
      const found = waiting.get(session)
      if (found !== undefined) found.timer = watch(session)
    }
    return setTimeout(look, Math.min(session.expiresAt - clock(), lookMs)).unref()
  }

  const write = () => document.write({ sessions })

  function find(proof: SessionProof): Session | undefined {
    const digest = digestOf(proof)
    return sessions.filter(kept => timingSafeEqual(Buffer.from(kept.digest, 'hex'), digest))[0]
  }

  return {
    /** Starts a session. Ends the oldest one if there are 100. */
    async begin() {
      const proof = { id: newSecret(), key: newSecret() }
      const session = { digest: digestOf(proof).toString('hex'), expiresAt: clock() + sessionSeconds * 1000 }
      keep([...sessions.filter(kept => !isExpired(kept)), session].slice(-maxSessions))
      await write().catch(onProblem)
      return proof
    },
    isOpen(proof: SessionProof) {
      const session = find(proof)
      if (session === undefined || !isExpired(session)) return session !== undefined
      drop(session)
      return false
    },
    /**
     * Calls back when the session ends: signed out, expired or displaced by a newer one. Returns a function that
     * removes the callback.
     */
    onOver(proof: SessionProof, callback: () => void) {
      const session = find(proof)
      if (session === undefined) return () => {}
      const { callbacks, timer } = waiting.get(session) ?? { callbacks: new Set(), timer: watch(session) }
      waiting.set(session, { callbacks: callbacks.add(callback), timer })
      return () => {
        callbacks.delete(callback)
        const found = waiting.get(session)
        if (callbacks.size > 0 || found === undefined) return
        clearTimeout(found.timer)
        waiting.delete(session)
      }
    },
    /** Ends a session. @throws ServiceError `storage_unavailable` if it would be open again after a restart. */
    async end(proof: SessionProof) {
      const session = find(proof)
      if (session === undefined) return
      drop(session)
      await write().catch(cause => {
        throw unavailable('The session has ended, but this cannot be saved', cause)
      })
    },
  }
}

async function readSessions(
  document: StoredDocument,
  onProblem: (error: unknown) => void,
): Promise<Session[]> {
  try {
    const stored = await document.read()
    return stored === null ? [] : StoredSessions.parse(stored).sessions
  } catch (error) {
    // Everybody has to sign in again.
    onProblem(error)
    return []
  }
}

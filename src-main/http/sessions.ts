import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { RandomBytes } from '#main/connections/identifiers.ts'
import { messageOf } from '#main/lib/file-system.ts'
import type { StoredDocument } from '#main/storage/document.ts'
import { ServiceError } from '#shared/errors.ts'

/** How long a browser stays signed in, in seconds. */
export const sessionSeconds = 30 * 24 * 60 * 60

const secretBytes = 32
const maxSessions = 100
/** Milliseconds between two looks at the clock for a session's end: it may be set, and stands still in sleep. */
const lookMs = 60_000

const StoredSessions = z.object({
  sessions: z.array(z.object({ digest: z.string().regex(/^[0-9a-f]{64}$/), expiresAt: z.int() })),
})
type Session = z.infer<typeof StoredSessions>['sessions'][number]
/** Those who are told when a session is over, and the timer that sees to it. */
type Waiting = { readonly callbacks: Set<() => void>; timer: NodeJS.Timeout }

/**
 * The two halves of a session, 43 characters each. A browser sends the cookie to every port of the host, so the
 * cookie alone opens nothing: the page proves with the key, which its origin's storage holds, that it is the page.
 */
export type SessionProof = {
  /** Of the cookie. */
  readonly id: string
  /** Of the header that the page sets. */
  readonly key: string
}

/** Who is signed in to the dashboard. The document keeps one digest of both halves, which opens nothing. */
export type Sessions = {
  /** Begins a session. The oldest makes room when there are 100. */
  begin(): Promise<SessionProof>
  isOpen(proof: SessionProof): boolean
  /**
   * Calls back when the session is over: ended, expired, though nobody asks, or made to make room.
   *
   * @param proof of an open session. @returns the function that calls it off.
   */
  onOver(proof: SessionProof, callback: () => void): () => void
  /** @throws ServiceError `storage_unavailable` when it would be back after a restart. */
  end(proof: SessionProof): Promise<void>
}

export type SessionsOptions = {
  /** Where they outlive a restart. */
  readonly document: StoredDocument
  /** The admin token. Digests are keyed with it: when it is changed, no session of before fits any more. */
  readonly token: string
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly random: RandomBytes
  /** Told what is wrong with the document; signing in works all the same. */
  readonly onProblem: (error: unknown) => void
}

export async function openSessions(options: SessionsOptions): Promise<Sessions> {
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

  /** @returns the timer that ends it in time. */
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
    async begin() {
      const proof = { id: newSecret(), key: newSecret() }
      const session = { digest: digestOf(proof).toString('hex'), expiresAt: clock() + sessionSeconds * 1000 }
      keep([...sessions.filter(kept => !isExpired(kept)), session].slice(-maxSessions))
      await write().catch(onProblem)
      return proof
    },
    isOpen(proof) {
      const session = find(proof)
      if (session === undefined || !isExpired(session)) return session !== undefined
      drop(session)
      return false
    },
    onOver(proof, callback) {
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
    async end(proof) {
      const session = find(proof)
      if (session === undefined) return
      drop(session)
      await write().catch(cause => {
        const detail = `The session is over, but its end cannot be written down: ${messageOf(cause)}`
        throw new ServiceError('storage_unavailable', { detail, cause })
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
    // Whoever was signed in signs in again.
    onProblem(error)
    return []
  }
}

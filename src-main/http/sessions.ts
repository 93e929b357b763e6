import { createHmac } from 'node:crypto'
import type { RandomBytes } from '#main/connections/identifiers.ts'
import type { SessionStore } from '#main/storage/sessions.ts'

/** How long a browser stays signed in, in seconds. */
export const sessionSeconds = 30 * 24 * 60 * 60

const secretBytes = 32

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

/** The sessions of the dashboard. The store has one digest of both halves, which is useless to a reader. */
export type Sessions = ReturnType<typeof createSessions>

/** @param token the admin token. Digests are keyed with it, so a new token ends all sessions. */
export function createSessions(store: SessionStore, token: string, random: RandomBytes) {
  const newSecret = () => random(secretBytes).toString('base64url')
  const digestOf = ({ id, key }: SessionProof) =>
    createHmac('sha256', token).update(`${id}.${key}`).digest('hex')

  return {
    /** Starts a session. Ends the oldest one if there are too many. */
    async begin(): Promise<SessionProof> {
      const proof = { id: newSecret(), key: newSecret() }
      await store.add(digestOf(proof), sessionSeconds * 1000)
      return proof
    },
    /** Returns the digest of a session, by which the other functions know it, and which opens nothing. */
    digestOf,
    isOpen: store.isOpen,
    onOver: store.onOver,
    end: store.end,
  }
}

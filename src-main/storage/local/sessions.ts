import { z } from 'zod'
import type { StoredDocument } from '../document.ts'
import { mostSessions, type SessionRecords } from '../sessions.ts'
import { unavailable } from '../unavailable.ts'

const StoredSessions = z.object({
  sessions: z.array(z.object({ digest: z.string().regex(/^[0-9a-f]{64}$/), expiresAt: z.int() })),
})

/**
 * Opens the sessions of one process: in memory, and in a document for the next start.
 *
 * @param now milliseconds since 1970.
 * @param onProblem called with problems of the document. Signing in still works.
 */
export async function openSessionRecords(
  document: StoredDocument,
  now: number,
  onProblem: (error: unknown) => void,
): Promise<SessionRecords> {
  /** When each session ends, by its digest; the oldest session first. */
  const sessions = new Map<string, number>()
  const write = () =>
    document.write({ sessions: Array.from(sessions, ([digest, expiresAt]) => ({ digest, expiresAt })) })
  const remove = (digests: Iterable<string>) => Array.from(digests).filter(digest => sessions.delete(digest))
  const isOver = (digest: string, at: number) => (sessions.get(digest) ?? Number.POSITIVE_INFINITY) <= at

  const records: SessionRecords = {
    async add(digest, expiresAt, now) {
      sessions.set(digest, expiresAt)
      const ended = remove([...sessions.keys()].filter(known => isOver(known, now)))
      ended.push(...remove([...sessions.keys()].slice(0, Math.max(0, sessions.size - mostSessions))))
      await write().catch(onProblem)
      return ended
    },
    async open(digests, now) {
      if (remove(digests.filter(digest => isOver(digest, now))).length > 0) await write().catch(onProblem)
      return new Set(digests.filter(digest => sessions.has(digest)))
    },
    async end(digest) {
      if (!sessions.delete(digest)) return
      await write().catch(cause => {
        throw unavailable('The session has ended, but this cannot be saved', cause)
      })
    },
  }
  try {
    const stored = await document.read()
    if (stored !== null)
      for (const { digest, expiresAt } of StoredSessions.parse(stored).sessions)
        sessions.set(digest, expiresAt)
  } catch (error) {
    // Everybody has to sign in again.
    onProblem(error)
  }
  await records.open([...sessions.keys()], now)
  return records
}

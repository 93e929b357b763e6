import { type InboundErrorCode, inboundErrors } from '#shared/errors/inbound.ts'
import type { Attempt } from '#shared/model/attempt.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'
import { parseHeaderLines } from './signed-headers.ts'

/** Attempts that are kept of each connection, and of unknown tokens. */
export const maxAttempts = 200
/** Bytes of each refused body that are kept. */
export const maxKeptBody = 8 * 1024
/** Bytes of header fields and bodies that are kept of all attempts of all connections. */
const maxKeptBytes = 32 * 1024 * 1024

/** A refused request on its way into the list; `body` is at most `maxKeptBody` long. */
export type RefusedRequest = {
  readonly connectionId: string | null
  /** Milliseconds since 1970. */
  readonly at: number
  readonly code: InboundErrorCode
  readonly detail: string | undefined
  headerLines: string
  /** Milliseconds from its header fields to its refusal. */
  readonly tookMs: number
  /** Whether its connection logged events when it came: only then is its body written to disk. */
  readonly isLogged: boolean
}

/** A kept attempt; body and diagnosis follow once the body has been drained. */
export type KeptAttempt = RefusedRequest & {
  readonly attemptId: string
  body: Buffer
  diagnosis: Diagnosis | null
  /** Its mistake could be looked for, since its whole body is kept, but there was no time when it came. */
  undiagnosed: boolean
}

export type Attempts = {
  add(request: RefusedRequest): KeptAttempt
  /** Keeps the body of an attempt, as far as it is kept. */
  keepBody(attempt: KeptAttempt, body: Buffer): void
  /** As they are kept, oldest first. */
  kept(connectionId: string | null): readonly KeptAttempt[]
  /** Newest first; null lists those whose token no connection has. */
  list(connectionId: string | null): Attempt[]
  /** Drops what is kept of a connection, when it is deleted. */
  forget(connectionId: string): void
}

const noBody = Buffer.alloc(0)

/**
 * Keeps the last 200 refused requests of each connection, and of unknown tokens, in memory; `history/attempts`
 * has those of earlier runs. Over all connections, the oldest lose their header fields and bodies past `maxBytes`.
 */
export function createAttempts(nextId: () => string, maxBytes = maxKeptBytes): Attempts {
  const byConnection = new Map<string | null, KeptAttempt[]>()
  /** Those that have header fields or a body, and how many bytes are counted of them; oldest first. */
  const holders = new Map<KeptAttempt, number>()
  let held = 0

  function hold(attempt: KeptAttempt): void {
    const bytes = attempt.headerLines.length + attempt.body.length
    held += bytes - (holders.get(attempt) ?? 0)
    holders.set(attempt, bytes)
    for (const oldest of holders.keys()) {
      if (held <= maxBytes) return
      release(oldest)
      oldest.headerLines = ''
      oldest.body = noBody
      // What would be looked at is gone.
      oldest.undiagnosed = false
    }
  }

  function release(attempt: KeptAttempt | undefined): void {
    if (attempt === undefined) return
    held -= holders.get(attempt) ?? 0
    holders.delete(attempt)
  }

  return {
    add(request) {
      const kept = { ...request, attemptId: nextId(), body: noBody, diagnosis: null, undiagnosed: false }
      const list = byConnection.get(request.connectionId) ?? []
      if (list.length === 0) byConnection.set(request.connectionId, list)
      list.push(kept)
      if (list.length > maxAttempts) release(list.shift())
      hold(kept)
      return kept
    },
    keepBody(attempt, body) {
      // A copy, since a slice would keep the whole receive buffer alive.
      attempt.body = Buffer.from(body.subarray(0, maxKeptBody))
      if (holders.has(attempt)) hold(attempt)
    },
    kept: connectionId => byConnection.get(connectionId) ?? [],
    list: connectionId => (byConnection.get(connectionId) ?? []).map(toAttempt).reverse(),
    forget(connectionId) {
      for (const attempt of byConnection.get(connectionId) ?? []) release(attempt)
      byConnection.delete(connectionId)
    },
  }
}

/** Returns an attempt as answers show it. */
export function toAttempt(kept: KeptAttempt): Attempt {
  return {
    attemptId: kept.attemptId,
    at: new Date(kept.at).toISOString(),
    code: kept.code,
    message: kept.detail ?? inboundErrors[kept.code].message,
    diagnosis: kept.diagnosis,
    headers: parseHeaderLines(kept.headerLines),
    bodyText: kept.body.toString('utf8'),
  }
}

import { inboundErrors } from '#shared/errors/inbound.ts'
import type { Attempt } from '#shared/model/attempt.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'
import { keptAttempts } from '#shared/model/kept.ts'
import type { Rejected } from './occurrences.ts'
import { parseHeaderLines } from './signed-headers.ts'

/** Bytes kept of each refused body. */
export const maxKeptBody = 8 * 1024
/** Bytes of header fields and bodies kept over all attempts. */
const maxKeptBytes = 32 * 1024 * 1024

/** The request of an attempt; `body` is at most `maxKeptBody` long. */
export type AttemptRequest = {
  readonly headerLines: string
  readonly body: Buffer
  /** The query of its URL, in memory alone: it may be a token. */
  readonly query: string
}

/** A refused request with everything kept under its id. */
export type KeptAttempt = {
  readonly rejected: Rejected
  /** Empty once newer attempts needed the memory. */
  readonly request: AttemptRequest
  /** Null until there is one. */
  readonly diagnosis: Diagnosis | null
}

export type Attempts = ReturnType<typeof createAttempts>

const noRequest: AttemptRequest = { headerLines: '', body: Buffer.alloc(0), query: '' }

/**
 * Keeps the last 200 refused requests of each connection, and of unknown tokens, in memory. `history/attempts` has
 * those of earlier runs. Above `maxBytes`, the oldest of all connections lose their header fields and bodies.
 */
export function createAttempts(maxBytes = maxKeptBytes) {
  const byConnection = new Map<string | null, Rejected[]>()
  const diagnoses = new Map<string, Diagnosis>()
  const all = new Map<string, Rejected>()
  /** Oldest first. */
  const requests = new Map<string, AttemptRequest>()
  const undiagnosed = new Set<string>()
  let held = 0

  function release(attemptId: string): void {
    held -= sizeOf(requests.get(attemptId) ?? noRequest)
    requests.delete(attemptId)
    undiagnosed.delete(attemptId)
  }

  function drop(attemptId: string): void {
    release(attemptId)
    all.delete(attemptId)
    diagnoses.delete(attemptId)
  }

  const keptOf = (rejected: Rejected): KeptAttempt => ({
    rejected,
    request: requests.get(rejected.id) ?? noRequest,
    diagnosis: diagnoses.get(rejected.id) ?? null,
  })
  /** Oldest first. */
  const of = (connectionId: string | null) => (byConnection.get(connectionId) ?? []).map(keptOf)

  return {
    add(rejected: Rejected, headerLines: string, body: Buffer, query = '') {
      const { id, connectionId } = rejected
      const list = byConnection.get(connectionId) ?? []
      if (list.length === 0) byConnection.set(connectionId, list)
      list.push(rejected)
      all.set(id, rejected)
      const dropped = list.length > keptAttempts.most ? list.shift() : undefined
      if (dropped !== undefined) drop(dropped.id)
      // A copy, because a slice would keep the whole receive buffer alive.
      const request = { headerLines, body: Buffer.from(body.subarray(0, maxKeptBody)), query }
      requests.set(id, request)
      held += sizeOf(request)
      for (const oldest of requests.keys()) {
        if (held <= maxBytes) return
        release(oldest)
      }
    },
    addDiagnosis(attemptId: string, diagnosis: Diagnosis) {
      if (all.has(attemptId)) diagnoses.set(attemptId, diagnosis)
    },
    /** Marks an attempt whose diagnosis is missing but possible: there was no time, and its request is kept whole. */
    markUndiagnosed(attemptId: string) {
      if (requests.has(attemptId)) undiagnosed.add(attemptId)
    },
    isUndiagnosed: (attemptId: string) => undiagnosed.has(attemptId),
    /** Removes the mark. Returns whether it was set. */
    takeUndiagnosed: (attemptId: string) => undiagnosed.delete(attemptId),
    get(attemptId: string) {
      const rejected = all.get(attemptId)
      return rejected && keptOf(rejected)
    },
    of,
    /** Newest first; null for requests with an unknown token. */
    list: (connectionId: string | null) => of(connectionId).map(toAttempt).reverse(),
    /** Drops the attempts of a deleted connection. */
    forget(connectionId: string) {
      for (const { id } of byConnection.get(connectionId) ?? []) drop(id)
      byConnection.delete(connectionId)
    },
  }
}

function sizeOf({ headerLines, body, query }: AttemptRequest): number {
  return headerLines.length + body.length + query.length
}

/** Converts an attempt for the API. */
export function toAttempt({ rejected, request, diagnosis }: KeptAttempt): Attempt {
  const { id, at, code, detail, index } = rejected
  return {
    attemptId: id,
    at: new Date(at).toISOString(),
    code,
    message: detail ?? inboundErrors[code].message,
    ...(index !== undefined && { data: { index } }),
    diagnosis,
    headers: parseHeaderLines(request.headerLines),
    bodyText: request.body.toString('utf8'),
  }
}

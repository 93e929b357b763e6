import { z } from 'zod'
import { type AttemptRequest, type Attempts, maxAttempts, toAttempt } from '#main/inbound/attempts.ts'
import type { Diagnosed, Rejected } from '#main/inbound/occurrences.ts'
import type { OccurrenceSummary, StoredOccurrence } from '#main/storage/occurrence-storage.ts'
import type { Attempt } from '#shared/model/attempt.ts'
import { Diagnosis } from '#shared/model/diagnosis.ts'
import type { History } from './history.ts'
import { inboundKinds } from './inbound-kinds.ts'
import { parseStored } from './kind.ts'
import { numberIn, type Occurrence, toStored } from './kinds.ts'

const kind = inboundKinds['event.rejected']
/** About what a record costs beside its body and header fields, in bytes. */
const overhead = 512

const Details = z.object({ headerLines: z.string(), body: z.base64() })

/** Refused requests, over a restart. */
export type AttemptHistory = {
  /**
   * Keeps a refusal, and adds a diagnosis to the record of its attempt. A body is written to the disk only where
   * the connection logs its events.
   */
  follow(occurrence: Occurrence): void
  /** Newest first, those of earlier runs included; null lists those whose token no connection has. */
  list(connectionId: string | null): Promise<Attempt[]>
}

export type AttemptHistoryParts = {
  readonly history: History
  /** Those of this run. */
  readonly inMemory: Pick<Attempts, 'get' | 'list'>
  /** Makes up for diagnoses that there was no time for, because somebody is about to look. */
  readonly diagnoseRest: (connectionId: string) => Promise<void>
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

export function createAttemptHistory({
  history,
  inMemory,
  diagnoseRest,
  clock,
}: AttemptHistoryParts): AttemptHistory {
  function keep(rejected: Rejected): void {
    const { id, connectionId, isBodyStored } = rejected
    const request = inMemory.get(id)?.request
    // The connection may have been deleted while the request was under way.
    if (request === undefined) return
    history.keep('event.rejected', {
      connectionId,
      bytes: request.body.length + request.headerLines.length + overhead,
      // Made when it is written: its request may have had to make room by then, and a diagnosis have been found.
      toStored() {
        const kept = inMemory.get(id)
        const finding = kept?.diagnosis ? toFinding(kept.diagnosis, isBodyStored) : null
        return toStored(rejected, toDetails(kept?.request, isBodyStored), finding)
      },
    })
  }

  function addDiagnosis({ attemptId, diagnosis, isBodyStored }: Diagnosed): void {
    const number = numberIn('event.rejected', attemptId)
    if (number !== null) history.addFinding(number, toFinding(diagnosis, isBodyStored))
  }

  return {
    follow(occurrence) {
      if (occurrence.kind === 'event.rejected') keep(occurrence)
      else if (occurrence.kind === 'event.diagnosed') addDiagnosis(occurrence)
    },
    async list(connectionId) {
      if (connectionId !== null) await diagnoseRest(connectionId)
      const current = inMemory.list(connectionId)
      if (current.length >= maxAttempts) return current
      const known = new Set(current.map(({ attemptId }) => attemptId))
      const since = clock() - kind.stored.maxAgeMs
      const stored = await history.list({ kind: 'event.rejected', connectionId, limit: maxAttempts })
      const earlier = stored
        .filter(({ at }) => at >= since)
        .flatMap(record => readAttempt(record) ?? [])
        .filter(({ attemptId }) => !known.has(attemptId))
      return [...current, ...earlier].slice(0, maxAttempts)
    },
  }
}

/** Returns what was found of a stored refusal; null for nothing. */
export function storedDiagnosis({ finding }: OccurrenceSummary): Diagnosis | null {
  return finding === null ? null : (Diagnosis.safeParse(parseStored(finding)).data ?? null)
}

function readAttempt(record: StoredOccurrence): Attempt | null {
  const details = Details.safeParse(parseStored(record.details)).data
  const rejected = kind.stored.fromSummary(record)
  if (rejected === null || details === undefined) return null
  const request = { headerLines: details.headerLines, body: Buffer.from(details.body, 'base64') }
  return toAttempt({ rejected, request, diagnosis: storedDiagnosis(record) })
}

function toDetails(request: AttemptRequest | undefined, isBodyStored: boolean): string {
  const { headerLines = '', body } = request ?? {}
  const details: z.infer<typeof Details> = {
    headerLines,
    body: isBodyStored && body !== undefined ? body.toString('base64') : '',
  }
  return JSON.stringify(details)
}

/** Some of the body, which tells how it differs from what was signed, is stored only where the body is. */
function toFinding(diagnosis: Diagnosis, isBodyStored: boolean): string {
  const { code, message } = diagnosis
  return JSON.stringify(isBodyStored ? diagnosis : { code, message })
}

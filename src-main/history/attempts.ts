import { z } from 'zod'
import { type AttemptRequest, type Attempts, toAttempt } from '#main/inbound/attempts.ts'
import { inboundKinds } from '#main/inbound/occurrences.ts'
import type { OccurrenceSummary, StoredOccurrence } from '#main/storage/occurrence-storage.ts'
import { parseJson } from '#shared/json/parse-json.ts'
import type { Attempt } from '#shared/model/attempt.ts'
import { Diagnosis } from '#shared/model/diagnosis.ts'
import { keptAttempts } from '#shared/model/kept.ts'
import type { History } from './history.ts'
import { numberIn, type Occurrence, toStored } from './kinds.ts'

const kind = inboundKinds['event.rejected']
/** About how many bytes a record costs beside its body and headers. */
const overhead = 512

const Details = z.object({
  headerLines: z.string(),
  bodyText: z.string().optional(),
  /** Earlier versions stored it so, where no search found it. */
  body: z.base64().optional(),
})

/** Refused requests, also from before a restart. */
export type AttemptHistory = ReturnType<typeof createAttemptHistory>

type AttemptHistoryParts = {
  readonly history: History
  /** The attempts of this run. */
  readonly inMemory: Pick<Attempts, 'get' | 'list'>
  /** Run the diagnoses that were skipped under load: one, or those of a connection. */
  readonly diagnoseNow: (attemptId: string) => Promise<void>
  readonly diagnoseRest: (connectionId: string) => Promise<void>
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

export function createAttemptHistory(parts: AttemptHistoryParts) {
  const { history, inMemory, diagnoseNow, diagnoseRest, clock } = parts
  return {
    /** Stores refusals and adds diagnoses to them. Bodies are stored only if their connection stores its events. */
    follow(occurrence: Occurrence) {
      if (occurrence.kind === 'event.rejected') {
        const { id, connectionId, isBodyStored } = occurrence
        const request = inMemory.get(id)?.request
        // The connection may have been deleted while the request was in flight.
        if (request === undefined) return
        history.keep('event.rejected', {
          connectionId,
          bytes: request.body.length + request.headerLines.length + overhead,
          // Made when it is written: by then the request may be dropped from memory, or a diagnosis found.
          toStored() {
            const kept = inMemory.get(id)
            const finding = kept?.diagnosis ? toFinding(kept.diagnosis, isBodyStored) : null
            return toStored(occurrence, toDetails(kept?.request, isBodyStored), finding)
          },
        })
      } else if (occurrence.kind === 'event.diagnosed') {
        const number = numberIn('event.rejected', occurrence.attemptId)
        if (number !== null)
          history.addFinding(
            number,
            occurrence.connectionId,
            toFinding(occurrence.diagnosis, occurrence.isBodyStored),
          )
      }
    },
    /** Returns an attempt of a connection; null if it is no longer kept. */
    async get(connectionId: string, attemptId: string): Promise<Attempt | null> {
      await diagnoseNow(attemptId)
      const kept = inMemory.get(attemptId)
      if (kept !== undefined) return kept.rejected.connectionId === connectionId ? toAttempt(kept) : null
      const record = await history.get('event.rejected', attemptId)
      return record?.connectionId === connectionId ? readAttempt(record) : null
    },
    /** Returns attempts, newest first; for null, those whose token no connection has. */
    async list(connectionId: string | null) {
      if (connectionId !== null) await diagnoseRest(connectionId)
      const current = inMemory.list(connectionId)
      if (current.length >= keptAttempts.most) return current
      const known = new Set(current.map(({ attemptId }) => attemptId))
      const since = clock() - kind.stored.maxAgeMs
      const stored = await history.list({
        ...{ kinds: ['event.rejected'], connectionIds: [connectionId], limit: keptAttempts.most },
      })
      const earlier = stored.occurrences
        .filter(({ at }) => at >= since)
        .flatMap(record => readAttempt(record) ?? [])
        .filter(({ attemptId }) => !known.has(attemptId))
      return [...current, ...earlier].slice(0, keptAttempts.most)
    },
  }
}

/** Returns the diagnosis of a stored refusal; null for none. */
export function storedDiagnosis({ finding }: OccurrenceSummary): Diagnosis | null {
  return finding === null ? null : (Diagnosis.safeParse(parseJson(finding)).data ?? null)
}

function readAttempt(record: StoredOccurrence): Attempt | null {
  const details = Details.safeParse(parseJson(record.details)).data
  const rejected = kind.stored.fromSummary(record)
  if (rejected === null || details === undefined) return null
  const { headerLines, bodyText, body = '' } = details
  const request = {
    headerLines,
    body: bodyText === undefined ? Buffer.from(body, 'base64') : Buffer.from(bodyText),
    query: '',
  }
  return toAttempt({ rejected, request, diagnosis: storedDiagnosis(record) })
}

function toDetails(request: AttemptRequest | undefined, isBodyStored: boolean): string {
  const bodyText = isBodyStored && request !== undefined ? request.body.toString('utf8') : ''
  return JSON.stringify({ headerLines: request?.headerLines ?? '', bodyText } satisfies z.infer<
    typeof Details
  >)
}

/** Leaves out excerpts of the body, such as its difference from what was signed, if the body is not stored. */
function toFinding(diagnosis: Diagnosis, isBodyStored: boolean): string {
  const { code, message } = diagnosis
  return JSON.stringify(isBodyStored ? diagnosis : { code, message })
}

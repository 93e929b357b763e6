import { z } from 'zod'
import { type KeptAttempt, maxAttempts, toAttempt } from '#main/inbound/attempts.ts'
import type { InboundOutcome } from '#main/inbound/outcomes.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { OccurrenceSummary, StoredOccurrence } from '#main/storage/occurrence-storage.ts'
import { type InboundErrorCode, inboundErrors } from '#shared/errors/inbound.ts'
import type { Attempt } from '#shared/model/attempt.ts'
import { Diagnosis } from '#shared/model/diagnosis.ts'
import { type History, idOf, numberOfId } from './history.ts'
import { kinds } from './kinds.ts'

type Refused = Extract<InboundOutcome, { kind: 'refused' }>

/** About what a record costs beside its body and header fields, in bytes. */
const overhead = 512

const isCode = (code: string): code is InboundErrorCode => Object.hasOwn(inboundErrors, code)

const Summary = z.object({
  code: z.custom<InboundErrorCode>(code => typeof code === 'string' && isCode(code)),
  detail: z.string().optional(),
  tookMs: z.number(),
  bytes: z.int(),
  /** When the activity told of it, in milliseconds since 1970. */
  toldAt: z.int(),
})
const Details = z.object({ headerLines: z.string(), body: z.base64() })

/** Refused requests, over a restart. */
export type AttemptHistory = {
  /**
   * Keeps a refusal. Its body is written to the disk only where the connection logs its events.
   *
   * @param place the number of its item in the activity.
   * @param toldAt when that told of it, in milliseconds since 1970.
   */
  keep(refused: Refused, place: number, toldAt: number): void
  /** Adds a diagnosis that was made after the attempt was kept. */
  diagnosed(attempt: KeptAttempt): void
  /** Newest first, those of earlier runs included; null lists those whose token no connection has. */
  list(connectionId: string | null): Promise<Attempt[]>
}

export type AttemptHistoryParts = {
  readonly history: History
  readonly store: Pick<ConfigStore, 'snapshot'>
  /** Those of this run, newest first. */
  readonly inMemory: (connectionId: string | null) => Promise<Attempt[]>
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

export function createAttemptHistory({
  history,
  store,
  inMemory,
  clock,
}: AttemptHistoryParts): AttemptHistory {
  const persistsEvents = (connectionId: string | null) =>
    connectionId !== null && store.snapshot().connections.get(connectionId)?.persistEvents === true

  /** Those whose body was written: nothing of another's is, though events are logged by the time of its diagnosis. */
  const withBody = new WeakSet<KeptAttempt>()

  return {
    keep({ attempt, bytes }, place, toldAt) {
      const { connectionId, headerLines } = attempt
      const number = numberOfId('attempt', attempt.attemptId)
      if (number === null) return
      const isBodyKept = attempt.isLogged && persistsEvents(connectionId)
      if (isBodyKept) withBody.add(attempt)
      const summary = () => {
        const { code, detail, tookMs } = attempt
        return JSON.stringify({ code, detail, tookMs, bytes, toldAt } satisfies z.infer<typeof Summary>)
      }
      const details = () =>
        JSON.stringify({ headerLines, body: isBodyKept ? attempt.body.toString('base64') : '' })
      history.keep('attempt', {
        connectionId,
        bytes: attempt.body.length + headerLines.length + overhead,
        toStored: () => ({
          number,
          kind: 'attempt',
          connectionId,
          subject: '',
          at: attempt.at,
          place,
          finding: findingOf(attempt, isBodyKept),
          summary: summary(),
          details: details(),
        }),
      })
    },
    diagnosed(attempt) {
      const number = numberOfId('attempt', attempt.attemptId)
      const isBodyKept = withBody.has(attempt) && persistsEvents(attempt.connectionId)
      const finding = findingOf(attempt, isBodyKept)
      if (number !== null && finding !== null) history.addFinding(number, finding)
    },
    async list(connectionId) {
      const current = await inMemory(connectionId)
      if (current.length >= maxAttempts) return current
      const known = new Set(current.map(({ attemptId }) => attemptId))
      const since = clock() - kinds.attempt.maxAgeMs
      const stored = await history.list({ kind: 'attempt', connectionId, limit: maxAttempts })
      const earlier = stored
        .filter(record => record.at >= since && !known.has(idOf('attempt', record.number)))
        .flatMap(record => readAttempt(record) ?? [])
      return [...current, ...earlier.map(toAttempt)].slice(0, maxAttempts)
    },
  }
}

/** Returns what the activity shows of a stored refusal; null where the record cannot be read. */
export function refusedOf(record: OccurrenceSummary): { refused: Refused; toldAt: number } | null {
  const attempt = attemptOf(record, '', Buffer.alloc(0))
  return attempt && { refused: { kind: 'refused', attempt, bytes: attempt.bytes }, toldAt: attempt.toldAt }
}

function readAttempt(record: StoredOccurrence): KeptAttempt | null {
  const details = Details.safeParse(parseJson(record.details))
  if (!details.success) return null
  return attemptOf(record, details.data.headerLines, Buffer.from(details.data.body, 'base64'))
}

function attemptOf(
  { number, connectionId, at, summary, finding }: OccurrenceSummary,
  headerLines: string,
  body: Buffer,
): (KeptAttempt & { bytes: number; toldAt: number }) | null {
  const parsed = Summary.safeParse(parseJson(summary))
  if (!parsed.success) return null
  const { code, detail, tookMs, bytes, toldAt } = parsed.data
  const diagnosis = finding === null ? null : (Diagnosis.safeParse(parseJson(finding)).data ?? null)
  const attemptId = idOf('attempt', number)
  return {
    attemptId,
    connectionId,
    at,
    code,
    detail,
    headerLines,
    tookMs,
    body,
    diagnosis,
    undiagnosed: false,
    isLogged: body.length > 0,
    bytes,
    toldAt,
  }
}

/** Some of the body, which tells how it differs from what was signed, is stored only where the body is. */
function findingOf({ diagnosis }: KeptAttempt, isBodyKept: boolean): string | null {
  if (diagnosis === null) return null
  const { code, message } = diagnosis
  return JSON.stringify(isBodyKept ? diagnosis : { code, message })
}

/** Undefined for what is not JSON, which no schema accepts. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

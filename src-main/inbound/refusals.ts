import { maxOtherConnections, type OtherConnection } from '#main/signing/suspects.ts'
import type { InboundErrorCode } from '#shared/errors/inbound.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'
import type { Refusal } from './admit.ts'
import { type Attempts, maxKeptBody } from './attempts.ts'
import type { Diagnoser } from './diagnoser.ts'
import type { Directory } from './directory.ts'
import { attemptPrefix, diagnosisPrefix, type RecordInbound, type Rejected } from './occurrences.ts'
import { parseHeaderLines, pickSignedHeaders, headerLines as toHeaderLines } from './signed-headers.ts'

const diagnosesPerSecond = 10

/** Milliseconds that may go into what is left, when somebody looks at a connection's attempts. */
const mostTimePerLook = 300

/** A body too large to be kept whole takes up to a second: one part in so many of the worker's time goes into them. */
const shareOfLarge = 5

/** Refusals that a sender's mistake in signing explains. */
export const diagnosable: ReadonlySet<string> = new Set<InboundErrorCode>([
  'invalid_signature',
  'invalid_timestamp',
  'stale_timestamp',
])

/** A refused request whose body is still to come. */
export type PendingAttempt = Pick<Rejected, 'connectionId' | 'at' | 'code' | 'detail' | 'tookMs'> & {
  readonly headerLines: string
  /** Whether its connection logged events when it came. */
  readonly isLogged: boolean
}

export type Refusals = {
  /**
   * Notes a refusal at once; it is recorded when the body has been drained. Null when it is not kept.
   *
   * @param tookMs milliseconds from the request's header fields to its refusal.
   */
  begin(refusal: Refusal, rawHeaders: readonly string[], tookMs: number): PendingAttempt | null
  /**
   * Records the refusal; its diagnosis follows under its id.
   *
   * @param body its beginning, or all of it.
   * @param complete whether it arrived whole.
   * @param bytes that arrived, where `body` is only the beginning.
   */
  finish(attempt: PendingAttempt, body: Buffer, complete: boolean, bytes?: number): void
  /** Makes up for diagnoses that there was no time for, because somebody is about to look. */
  diagnoseRest(connectionId: string): Promise<void>
  /** Likewise of this one, as often as a reader of figures may ask: only while there is time for it. */
  diagnoseLate(attemptId: string): void
}

export type RefusalsParts = {
  attempts: Attempts
  directory: Directory
  record: RecordInbound
  diagnose: Diagnoser['diagnose']
  /** Whether a connection has not been deleted while a request of it was under way. */
  exists: (connectionId: string) => boolean
  nextId: (prefix: string) => string
  clock: () => number
  /** Milliseconds of a clock that is never set. */
  stopwatch: () => number
}

/**
 * Keeps refused requests and tries to name the mistake behind a wrong signature: after the answer, off
 * the sender's path, at most 10 times a second and with large bodies one at a time, so that a flood of them costs next
 * to nothing; in a worker thread, since one may take a second. The rest is made up for when somebody looks.
 */
export function createRefusals(parts: RefusalsParts): Refusals {
  const { attempts, directory, record, diagnose, exists, nextId, clock, stopwatch } = parts
  const takeWhenItCame = createDiagnosisBudget(clock)
  const takeWhenAskedFor = createDiagnosisBudget(clock)
  /** When the next large body may be diagnosed, by the stopwatch; never while one is. */
  let nextLargeAt = Number.NEGATIVE_INFINITY

  function mayDiagnose(body: Buffer): boolean {
    return (body.length <= maxKeptBody || stopwatch() >= nextLargeAt) && takeWhenItCame()
  }

  async function diagnoseAsItCame(rejected: Rejected, headerLines: string, body: Buffer): Promise<void> {
    const isLarge = body.length > maxKeptBody
    if (isLarge) nextLargeAt = Number.POSITIVE_INFINITY
    const startedAt = stopwatch()
    await look(rejected, headerLines, body)
    const endedAt = stopwatch()
    if (isLarge) nextLargeAt = endedAt + (shareOfLarge - 1) * (endedAt - startedAt)
  }

  const persistsEvents = (connectionId: string | null) =>
    connectionId !== null && directory.byId(connectionId)?.record.persistEvents === true

  /** Adds the diagnosis by the attempt's id, or marks that it can still be made. */
  async function look(rejected: Rejected, headerLines: string, body: Buffer): Promise<void> {
    const { id: attemptId, connectionId } = rejected
    const diagnosis = await diagnosisOf(rejected, headerLines, body)
    if (diagnosis === null) {
      if (rejected.bytes <= maxKeptBody) attempts.markUndiagnosed(attemptId)
      return
    }
    attempts.addDiagnosis(attemptId, diagnosis)
    const isBodyStored = rejected.isBodyStored && persistsEvents(connectionId)
    record({
      kind: 'event.diagnosed',
      id: nextId(diagnosisPrefix),
      at: clock(),
      connectionId,
      attemptId,
      diagnosis,
      isBodyStored,
    })
  }

  /** Null when it could not be made, as too many wait or the service is stopping. */
  async function diagnosisOf(
    { connectionId, at }: Rejected,
    headerLines: string,
    body: Buffer,
  ): Promise<Diagnosis | null> {
    const connection = connectionId === null ? undefined : directory.byId(connectionId)?.record
    if (connection === undefined) return null
    const rawHeaders = parseHeaderLines(headerLines).flat()
    const headers = pickSignedHeaders(rawHeaders)
    try {
      return await diagnose({
        secret: connection.signingSecret,
        oldSecrets: connection.oldSecrets.map(({ secret }) => secret),
        otherConnections: othersThan(connection.connectionId),
        inboundToken: connection.inboundToken,
        timestampHeader: headers.timestamp,
        signatureHeader: headers.signature,
        // A copy of its own: what crosses threads takes the whole memory behind a view with it.
        rawBody: new Uint8Array(body),
        nowMs: at,
      })
    } catch {
      return null
    }
  }

  function othersThan(connectionId: string) {
    const others: OtherConnection[] = []
    for (const { record } of directory.all()) {
      if (others.length >= maxOtherConnections) break
      if (record.connectionId !== connectionId)
        others.push({ name: record.name, secret: record.signingSecret })
    }
    return others
  }

  async function diagnoseNow(attemptId: string): Promise<void> {
    const kept = attempts.get(attemptId)
    if (kept === undefined || !attempts.takeUndiagnosed(attemptId)) return
    await look(kept.rejected, kept.request.headerLines, kept.request.body)
  }

  return {
    begin(refusal, rawHeaders, tookMs) {
      if (!refusal.namedToken) return null
      return {
        connectionId: refusal.connection?.record.connectionId ?? null,
        at: clock(),
        code: refusal.code,
        detail: refusal.detail,
        headerLines: toHeaderLines(rawHeaders, { withSignature: true }),
        tookMs,
        isLogged: refusal.connection?.record.persistEvents ?? false,
      }
    },
    finish({ headerLines, isLogged, ...facts }, body, complete, bytes = body.length) {
      const { connectionId, code } = facts
      const id = nextId(attemptPrefix)
      // Events may have been logged only later, or no longer: then nothing of the body may be written.
      const isBodyStored = isLogged && persistsEvents(connectionId)
      const rejected: Rejected = { kind: 'event.rejected', id, ...facts, bytes, isBodyStored }
      if (connectionId === null || exists(connectionId)) attempts.add(rejected, headerLines, body)
      record(rejected)
      if (!complete || !diagnosable.has(code)) return
      if (mayDiagnose(body)) setImmediate(() => void diagnoseAsItCame(rejected, headerLines, body))
      else if (bytes <= maxKeptBody) attempts.markUndiagnosed(id)
    },
    async diagnoseRest(connectionId) {
      const until = stopwatch() + mostTimePerLook
      // Newest first: those are looked at first.
      for (const { rejected } of attempts.of(connectionId).toReversed()) {
        if (!attempts.isUndiagnosed(rejected.id)) continue
        if (stopwatch() > until) return
        await diagnoseNow(rejected.id)
      }
    },
    diagnoseLate(attemptId) {
      if (attempts.isUndiagnosed(attemptId) && takeWhenAskedFor()) void diagnoseNow(attemptId)
    },
  }
}

/** Returns a function that tells whether one more diagnosis may be made in this second of the clock. */
function createDiagnosisBudget(clock: () => number): () => boolean {
  let second = 0
  let taken = 0
  return () => {
    const now = Math.floor(clock() / 1000)
    if (now !== second) taken = 0
    second = now
    return taken++ < diagnosesPerSecond
  }
}

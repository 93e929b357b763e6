import type { Bus } from '#main/lib/bus.ts'
import { maxOtherConnections, type OtherConnection } from '#main/signing/suspects.ts'
import type { InboundErrorCode } from '#shared/errors/inbound.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'
import type { Refusal } from './admit.ts'
import { type Attempts, type KeptAttempt, maxKeptBody } from './attempts.ts'
import type { Diagnoser } from './diagnoser.ts'
import { createDiagnosisBudget } from './diagnosis-budget.ts'
import type { Directory } from './directory.ts'
import type { InboundOutcome } from './outcomes.ts'
import { headerLines, parseHeaderLines, pickSignedHeaders } from './signed-headers.ts'

/** Milliseconds that may go into what is left, when somebody looks at a connection's attempts. */
const mostTimePerLook = 300

/** A body too large to be kept whole takes up to a second: one part in so many of the worker's time goes into them. */
const shareOfLarge = 5

/** Refusals that a sender's mistake in signing explains. */
const diagnosable: ReadonlySet<InboundErrorCode> = new Set([
  'invalid_signature',
  'invalid_timestamp',
  'stale_timestamp',
])

export type Refusals = {
  /**
   * Notes a refusal at once; the rest follows when the body has been drained. Null when it is not kept.
   *
   * @param tookMs milliseconds from the request's header fields to its refusal.
   */
  begin(refusal: Refusal, rawHeaders: readonly string[], tookMs: number): KeptAttempt | null
  /**
   * @param body its beginning, or all of it.
   * @param complete whether it arrived whole.
   * @param bytes that arrived, where `body` is only the beginning.
   */
  finish(attempt: KeptAttempt, body: Buffer, complete: boolean, bytes?: number): void
  /** Makes up for diagnoses that there was no time for, because somebody is about to look. */
  diagnoseRest(connectionId: string): Promise<void>
  /** Likewise of this one, as often as a reader of figures may ask: only while there is time for it. */
  diagnoseLate(attempt: KeptAttempt): void
}

export type RefusalsParts = {
  attempts: Attempts
  directory: Directory
  outcomes: Bus<InboundOutcome>
  diagnose: Diagnoser['diagnose']
  /** Hears of a diagnosis that was made after the outcome was published. */
  onDiagnosed: (attempt: KeptAttempt) => void
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
  const { attempts, directory, outcomes, diagnose, onDiagnosed, clock, stopwatch } = parts
  const takeWhenItCame = createDiagnosisBudget(clock)
  const takeWhenAskedFor = createDiagnosisBudget(clock)
  /** When the next large body may be diagnosed, by the stopwatch; never while one is. */
  let nextLargeAt = Number.NEGATIVE_INFINITY

  function mayDiagnose(body: Buffer): boolean {
    return (body.length <= maxKeptBody || stopwatch() >= nextLargeAt) && takeWhenItCame()
  }

  async function diagnoseAsItCame(attempt: KeptAttempt, body: Buffer): Promise<void> {
    const isLarge = body.length > maxKeptBody
    if (isLarge) nextLargeAt = Number.POSITIVE_INFINITY
    const startedAt = stopwatch()
    attempt.diagnosis = await diagnosisOf(attempt, body)
    const endedAt = stopwatch()
    if (isLarge) nextLargeAt = endedAt + (shareOfLarge - 1) * (endedAt - startedAt)
  }

  /** Null when it could not be made, as too many wait or the service is stopping. */
  async function diagnosisOf(attempt: KeptAttempt, body: Buffer): Promise<Diagnosis | null> {
    const record = attempt.connectionId === null ? undefined : directory.byId(attempt.connectionId)?.record
    if (record === undefined) return null
    const rawHeaders = parseHeaderLines(attempt.headerLines).flat()
    const headers = pickSignedHeaders(rawHeaders)
    try {
      return await diagnose({
        secret: record.signingSecret,
        oldSecrets: record.oldSecrets.map(({ secret }) => secret),
        otherConnections: othersThan(record.connectionId),
        inboundToken: record.inboundToken,
        timestampHeader: headers.timestamp,
        signatureHeader: headers.signature,
        // A copy of its own: what crosses threads takes the whole memory behind a view with it.
        rawBody: new Uint8Array(body),
        nowMs: attempt.at,
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

  async function diagnoseNow(attempt: KeptAttempt): Promise<void> {
    attempt.undiagnosed = false
    attempt.diagnosis = await diagnosisOf(attempt, attempt.body)
    if (attempt.diagnosis === null) attempt.undiagnosed = true
    else onDiagnosed(attempt)
  }

  return {
    begin(refusal, rawHeaders, tookMs) {
      if (!refusal.namedToken) return null
      return attempts.add({
        connectionId: refusal.connection?.record.connectionId ?? null,
        at: clock(),
        code: refusal.code,
        detail: refusal.detail,
        headerLines: headerLines(rawHeaders, { withSignature: true }),
        tookMs,
        // As it is now: its diagnosis takes a while, and the body must not be written if events were not logged.
        isLogged: refusal.connection?.record.persistEvents ?? false,
      })
    },
    finish(attempt, body, complete, bytes = body.length) {
      attempts.keepBody(attempt, body)
      const isDiagnosable = complete && diagnosable.has(attempt.code)
      const tell = () => {
        attempt.undiagnosed = isDiagnosable && attempt.diagnosis === null && bytes <= maxKeptBody
        outcomes.publish({ kind: 'refused', attempt, bytes })
      }
      if (!isDiagnosable || !mayDiagnose(body)) {
        tell()
        return
      }
      setImmediate(async () => {
        await diagnoseAsItCame(attempt, body)
        tell()
      })
    },
    async diagnoseRest(connectionId) {
      const until = stopwatch() + mostTimePerLook
      // Newest first: those are looked at first.
      for (const attempt of attempts.kept(connectionId).toReversed()) {
        if (!attempt.undiagnosed) continue
        if (stopwatch() > until) return
        await diagnoseNow(attempt)
      }
    },
    diagnoseLate(attempt) {
      if (attempt.undiagnosed && takeWhenAskedFor()) void diagnoseNow(attempt)
    },
  }
}

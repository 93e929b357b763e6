import type { IncomingMessage } from 'node:http'
import { queryOf } from '#main/signing/places.ts'
import { mayBeSigned } from '#main/signing/recognize.ts'
import { maxOtherConnections } from '#main/signing/suspects.ts'
import type { InboundErrorCode } from '#shared/errors/inbound.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'
import { defaultSender } from '#shared/model/sender/sender.ts'
import type { Refusal } from './admit.ts'
import { type AttemptRequest, type Attempts, maxKeptBody } from './attempts.ts'
import type { Diagnoser } from './diagnoser.ts'
import type { Directory } from './directory.ts'
import { hideSecrets } from './hidden-secrets.ts'
import { attemptPrefix, diagnosisPrefix, type RecordInbound, type Rejected } from './occurrences.ts'
import { inboundPath } from './route.ts'
import { otherSecretsOf, secretsOf } from './sender-secrets.ts'
import { parseHeaderLines, headerLines as toHeaderLines } from './signed-headers.ts'

const diagnosesPerSecond = 10

const nothing = { url: '', rawHeaders: [] }

/** Milliseconds for missing diagnoses when somebody opens a connection's attempts. */
const mostTimePerLook = 300

/** Bodies too large to be kept whole take up to a second each. At most 1/5 of the worker's time goes into them. */
const shareOfLarge = 5

/** Refusals that a mistake in signing can explain. */
export const diagnosable: ReadonlySet<string> = new Set<InboundErrorCode>([
  'invalid_signature',
  'invalid_timestamp',
  'stale_timestamp',
  'token_expired',
])

/** Returns whether a diagnosis can explain a refusal; for a missing signature, only if something else looks like one. */
function isDiagnosable(code: InboundErrorCode, headerLines: string, body: Buffer): boolean {
  return diagnosable.has(code) || (code === 'missing_signature' && mayBeSigned(headerLines, body))
}

/** A refused request whose body is still arriving. */
export type PendingAttempt = Pick<
  Rejected,
  'connectionId' | 'at' | 'code' | 'detail' | 'index' | 'tookMs'
> & {
  readonly headerLines: string
  /** See AttemptRequest. */
  readonly query: string
  /** Whether its connection stored events when it arrived. */
  readonly storesEvents: boolean
  /** See Refusal. */
  readonly question: Refusal['question']
}

export type Refusals = ReturnType<typeof createRefusals>

/**
 * Records refused requests and diagnoses wrong signatures. A diagnosis follows the answer and runs in a worker thread,
 * because it can take a second. It makes at most 10 per second, and those of large bodies one at a time, so a flood
 * costs next to nothing. Missing diagnoses are made when somebody opens the attempts.
 */
export function createRefusals(parts: {
  attempts: Attempts
  directory: Directory
  record: RecordInbound
  diagnose: Diagnoser['diagnose']
  /** Returns whether a connection still exists: it can be deleted during a request. */
  exists: (connectionId: string) => boolean
  nextId: (prefix: string) => string
  clock: () => number
  /** Milliseconds of a monotonic clock. */
  stopwatch: () => number
}) {
  const { attempts, directory, record, diagnose, exists, nextId, clock, stopwatch } = parts
  const takeWhenItCame = createDiagnosisBudget(clock)
  const takeWhenAskedFor = createDiagnosisBudget(clock)
  /** The diagnoses that are being made, by attempt. */
  const underWay = new Map<string, Promise<void>>()
  /** When the next large body may be diagnosed, by the stopwatch; infinite while one is being diagnosed. */
  let nextLargeAt = Number.NEGATIVE_INFINITY

  function mayDiagnose(body: Buffer): boolean {
    return (body.length <= maxKeptBody || stopwatch() >= nextLargeAt) && takeWhenItCame()
  }

  async function diagnoseAsItCame(rejected: Rejected, request: AttemptRequest): Promise<void> {
    const isLarge = request.body.length > maxKeptBody
    if (isLarge) nextLargeAt = Number.POSITIVE_INFINITY
    const startedAt = stopwatch()
    await look(rejected, request)
    const endedAt = stopwatch()
    if (isLarge) nextLargeAt = endedAt + (shareOfLarge - 1) * (endedAt - startedAt)
  }

  const persistsEvents = (connectionId: string | null) =>
    connectionId !== null && directory.byId(connectionId)?.record.persistEvents === true

  function look(rejected: Rejected, request: AttemptRequest): Promise<void> {
    const made = addDiagnosis(rejected, request).finally(() => underWay.delete(rejected.id))
    underWay.set(rejected.id, made)
    return made
  }

  /** Adds the diagnosis by the attempt's id, or marks it as missing. */
  async function addDiagnosis(rejected: Rejected, request: AttemptRequest): Promise<void> {
    const diagnosis = await diagnosisOf(rejected, request)
    if (diagnosis === null) {
      if (rejected.bytes <= maxKeptBody) attempts.markUndiagnosed(rejected.id)
      return
    }
    publish(rejected, diagnosis)
  }

  function publish(rejected: Rejected, diagnosis: Diagnosis): void {
    const { id: attemptId, connectionId } = rejected
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

  /** Returns null if too many diagnoses wait or the service is stopping. */
  async function diagnosisOf(
    { connectionId, at }: Rejected,
    { headerLines, body, query }: AttemptRequest,
  ): Promise<Diagnosis | null> {
    const found = connectionId === null ? undefined : directory.byId(connectionId)
    if (found === undefined) return null
    const connection = found.record
    const { sender = defaultSender } = connection
    const [{ secret }, ...oldSecrets] = secretsOf(connection, sender)
    try {
      return await diagnose({
        sender,
        secret,
        oldSecrets: oldSecrets.map(old => old.secret),
        ...otherSecretsOf(connection, sender, directory.records(), maxOtherConnections),
        headers: parseHeaderLines(headerLines),
        url: found.sender?.urlOf(inboundPath(connection.inboundToken) + (query === '' ? '' : `?${query}`)),
        // A copy, because posting a view to another thread clones its whole underlying buffer.
        rawBody: new Uint8Array(body),
        nowMs: at,
      })
    } catch {
      return null
    }
  }

  /** Makes a diagnosis if it is missing, or waits for the one that is being made. */
  async function diagnoseNow(attemptId: string): Promise<void> {
    const kept = attempts.get(attemptId)
    if (kept === undefined || !attempts.takeUndiagnosed(attemptId)) return underWay.get(attemptId)
    await look(kept.rejected, kept.request)
  }

  return {
    /**
     * Starts a record of a refusal, which `finish` completes once the body is drained. Returns null if none is kept.
     *
     * @param request of which nothing is kept if it is a question, which may have a secret. @param tookMs milliseconds from the request's header fields to its refusal.
     */
    begin(refusal: Refusal, request: Pick<IncomingMessage, 'url' | 'rawHeaders'>, tookMs: number) {
      if (!refusal.namedToken) return null
      const { url = '', rawHeaders } = refusal.question === undefined ? request : nothing
      return {
        connectionId: refusal.connection?.record.connectionId ?? null,
        at: clock(),
        code: refusal.code,
        detail: refusal.detail,
        ...(refusal.index !== undefined && { index: refusal.index }),
        headerLines: toHeaderLines(hideSecrets(rawHeaders, refusal.connection), null),
        query: queryOf(url),
        tookMs,
        storesEvents: refusal.connection?.record.persistEvents ?? false,
        question: refusal.question,
      }
    },
    /**
     * Records the refusal; does nothing for null. Its diagnosis follows, with the attempt's id.
     *
     * @param body the whole body or its beginning.
     * @param complete whether the whole body arrived.
     * @param bytes received, if `body` is only the beginning.
     */
    finish(attempt: PendingAttempt | null, body: Buffer, complete: boolean, bytes: number = body.length) {
      if (attempt === null) return
      const { headerLines, query, storesEvents, question, ...facts } = attempt
      const { connectionId, code } = facts
      const id = nextId(attemptPrefix)
      // The body may be written only if the connection stored events from the arrival until now.
      const isBodyStored = storesEvents && persistsEvents(connectionId)
      const rejected: Rejected = { kind: 'event.rejected', id, ...facts, bytes, isBodyStored }
      if (connectionId === null || exists(connectionId)) attempts.add(rejected, headerLines, body, query)
      record(rejected)
      if (question !== undefined) {
        // Not made later if there is no time now, because nothing of a question is kept.
        if (question.diagnose !== undefined && mayDiagnose(body)) publish(rejected, question.diagnose())
        return
      }
      if (!complete || !isDiagnosable(code, headerLines, body)) return
      if (mayDiagnose(body)) setImmediate(() => void diagnoseAsItCame(rejected, { headerLines, body, query }))
      else if (bytes <= maxKeptBody) attempts.markUndiagnosed(id)
    },
    diagnoseNow,
    /** Makes the missing diagnoses of a connection, newest first, for at most 300 ms. */
    async diagnoseRest(connectionId: string) {
      const until = stopwatch() + mostTimePerLook
      // Newest first, because people look at those first.
      for (const { rejected } of attempts.of(connectionId).toReversed()) {
        if (!attempts.isUndiagnosed(rejected.id)) continue
        if (stopwatch() > until) return
        await diagnoseNow(rejected.id)
      }
    },
    /** Makes one missing diagnosis if the budget of 10 per second allows it. */
    diagnoseLate(attemptId: string) {
      if (attempts.isUndiagnosed(attemptId) && takeWhenAskedFor()) void diagnoseNow(attemptId)
    },
  }
}

/** Returns a function that says whether one more diagnosis may be made within the current second. */
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

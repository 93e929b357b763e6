import { setTimeout as delay } from 'node:timers/promises'
import type { ActionRecord, CaseRecord, ConnectionRecord } from '#main/storage/config.ts'
import { isObject, tryParseExact } from '#shared/json/exact-json.ts'
import type { CaseDifference, CaseResult } from '#shared/model/case.ts'
import { actionRequest } from '../action-request.ts'
import type { Calls } from '../calls.ts'
import { maskArguments } from '../masking.ts'
import type { ImpossibleRequest, OutboundRequest } from '../outbound-request.ts'
import { judgeAnswer } from './judge-answer.ts'

/**
 * Milliseconds after which no further case is called: an answer then comes within the five minutes for which clients
 * wait, also if the last call takes the longest time-out.
 */
const maxMs = 150_000
/** The longest time for which a case waits for room in the rate limit, or for the end of a pause. */
const maxWaitMs = 30_000

const outOfTime = {
  ...{ ok: false, reason: 'not_called' as const, callId: null, status: null, totalMs: 0, differences: [] },
  error: { code: 'out_of_time', message: 'The cases before it took too long. Run it again.' },
}

/** A case with its action. */
export type CaseToRun = { readonly action: ActionRecord; readonly record: CaseRecord }

type Parts = {
  readonly calls: Pick<Calls, 'run' | 'runInTurn'>
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** The values of environment variables, which no result shows. */
  readonly environment: { readonly secrets: () => readonly string[] }
}

/**
 * Calls the actions of cases one after another, and compares each answer with what its case expects. A case without an
 * answer has not passed.
 *
 * @param onResult receives the result of each case that was called.
 * @param signal ends the calls: what was not called yet has no result.
 * @throws ServiceError the errors of `Calls.run`.
 */
export async function runCases(
  parts: Parts,
  connection: ConnectionRecord,
  cases: readonly CaseToRun[],
  onResult: (one: CaseToRun, result: CaseResult) => void,
  signal?: AbortSignal,
): Promise<CaseResult[]> {
  const { clock, environment } = parts
  const startedAt = clock()
  const results: CaseResult[] = []
  for (const one of cases) {
    if (signal?.aborted) break
    const { action, record } = one
    const { caseId, actionId } = record
    if (clock() - startedAt > maxMs) {
      results.push({ ...{ caseId, actionId }, ...outOfTime })
      continue
    }
    const given = tryParseExact(record.argumentsText)
    const request = actionRequest(connection, action, isObject(given) ? given : {}, { source: 'case' })
    const { response, result: body, error, callId, timings } = await callInTurn(parts, request, signal)
    // The caller has gone: it says nothing of the system.
    if (signal?.aborted) break
    const called = { caseId, actionId, callId, status: response?.status ?? null, totalMs: timings.totalMs }
    const differences =
      response === null || error !== null
        ? null
        : judgeAnswer(record.expect, response, body).map(found => masked(found, environment.secrets()))
    const result: CaseResult = {
      ...called,
      ...verdictOf(differences),
      error: error && { code: error.code, message: error.message },
    }
    results.push(result)
    onResult(one, result)
  }
  return results
}

/** Makes a call, and waits for its turn if its connection takes no calls now. */
async function callInTurn(
  { calls, clock }: Parts,
  request: OutboundRequest | ImpossibleRequest,
  signal: AbortSignal | undefined,
): ReturnType<Calls['run']> {
  const sent = await calls.runInTurn(request, signal)
  if (!('until' in sent)) return sent
  const waitMs = sent.until - clock()
  if (waitMs > 0 && waitMs <= maxWaitMs) await delay(waitMs, undefined, signal && { signal }).catch(() => {})
  // Waits a little longer if others were faster, and says why if it is too long.
  return calls.run(request, signal)
}

/** @param differences null without an answer. */
function verdictOf(differences: CaseDifference[] | null): Pick<CaseResult, 'ok' | 'reason' | 'differences'> {
  if (differences === null) return { ok: false, reason: 'not_called', differences: [] }
  const ok = differences.length === 0
  return { ok, reason: ok ? 'passed' : 'differs', differences }
}

/** Returns a difference whose expected value shows no secret, as the answer does not. */
function masked(found: CaseDifference, secrets: readonly string[]): CaseDifference {
  if (found.expected === undefined) return found
  return { ...found, expected: maskArguments({ expected: found.expected }, secrets).expected }
}

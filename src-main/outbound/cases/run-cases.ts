import { setTimeout as delay } from 'node:timers/promises'
import { createTimeSlices } from '#main/lib/time-slices.ts'
import type { ActionRecord, CaseRecord, ConnectionRecord } from '#main/storage/config.ts'
import { ServiceError } from '#shared/errors.ts'
import { isObject, tryParseExact } from '#shared/json/exact-json.ts'
import type { CaseDifference, CaseResult } from '#shared/model/case.ts'
import { actionRequest } from '../action-request.ts'
import type { Calls } from '../calls.ts'
import { secretMask } from '../masking.ts'
import { judgeAnswer } from './judge-answer.ts'

/**
 * Milliseconds after which no further case is called: an answer then comes within the five minutes for which clients
 * wait, also if the last call takes the longest time-out.
 */
const maxMs = 150_000
/** The longest time for which a case waits for room in the rate limit, or for the end of a pause. */
const maxWaitMs = 30_000

const notCalled = { ok: false, reason: 'not_called', callId: null, status: null, totalMs: 0 } as const

/** A case with its action and its connection. */
export type CaseToRun = {
  readonly connection: ConnectionRecord
  readonly action: ActionRecord
  readonly record: CaseRecord
}

type Parts = {
  readonly calls: Pick<Calls, 'run' | 'runInTurn'>
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** The values of environment variables, which no result shows. */
  readonly environment: { readonly secrets: () => readonly string[] }
}

/** Shared by all runs. */
const slices = createTimeSlices({ sliceMs: 5, isBusy: () => false })
/** Begins one case in a turn of the event loop, so that those of many clients do not come before events that arrive. */
const starts = createTimeSlices({ sliceMs: 0, isBusy: () => false })

/**
 * Calls the actions of cases one after another, and compares each answer with what its case expects. A case without an
 * answer has not passed.
 *
 * @param find returns a case as it is now. It may change or be deleted while those before it run.
 * @param onResult receives the result of each case that was called.
 * @param signal ends the calls: what was not called yet has no result.
 */
export async function runCases(
  parts: Parts,
  cases: readonly Pick<CaseRecord, 'caseId' | 'actionId'>[],
  find: (caseId: string) => CaseToRun | undefined,
  onResult: (one: CaseToRun, result: CaseResult) => void,
  signal?: AbortSignal,
): Promise<CaseResult[]> {
  const { clock, environment } = parts
  const startedAt = clock()
  const results: CaseResult[] = []
  for (const { caseId, actionId } of cases) {
    if (signal?.aborted) break
    const fail = (code: string, message: string) =>
      results.push({ caseId, actionId, ...notCalled, differences: [], error: { code, message } })
    if (clock() - startedAt > maxMs) {
      fail('out_of_time', 'The cases before it took too long. Run it again.')
      continue
    }
    try {
      const called = await callInTurn(parts, () => find(caseId), signal)
      // The caller has gone: it says nothing of the system.
      if (signal?.aborted) break
      const { one, response, result: body, error, callId, timings } = called
      const { expect } = one.record
      const mask = secretMask(environment.secrets())
      const differences =
        response === null || error !== null
          ? null
          : await judgeAnswer(expect, response, body, { slices, mask })
      const result: CaseResult = {
        ...{ caseId, actionId, callId, status: response?.status ?? null, totalMs: timings.totalMs },
        ...verdictOf(differences),
        error: error && { code: error.code, message: error.message },
      }
      results.push(result)
      onResult(one, result)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      // Those before it were called, so the run still has an answer.
      fail(error.code, error.message)
    }
  }
  return results
}

/**
 * Makes the call of a case, and waits for its turn if its connection takes no calls now.
 *
 * @throws ServiceError `case_not_found`; the errors of `Calls.run`.
 */
async function callInTurn(
  { calls, clock }: Parts,
  find: () => CaseToRun | undefined,
  signal: AbortSignal | undefined,
): Promise<Awaited<ReturnType<Calls['run']>> & { readonly one: CaseToRun }> {
  const prepare = () => {
    const one = find()
    if (one === undefined) throw new ServiceError('case_not_found')
    const given = tryParseExact(one.record.argumentsText)
    const args = isObject(given) ? given : {}
    return { one, request: actionRequest(one.connection, one.action, args, { source: 'case' }) }
  }
  const { one, request } = await starts.run(prepare)
  const sent = await calls.runInTurn(request, signal)
  if (!('until' in sent)) return { ...sent, one }
  const waitMs = sent.until - clock()
  if (waitMs > 0 && waitMs <= maxWaitMs) await delay(waitMs, undefined, signal && { signal }).catch(() => {})
  const later = prepare()
  // Waits a little longer if others were faster, and says why if it is too long.
  return { ...(await calls.run(later.request, signal)), one: later.one }
}

/** @param differences null without an answer. */
function verdictOf(differences: CaseDifference[] | null): Pick<CaseResult, 'ok' | 'reason' | 'differences'> {
  if (differences === null) return { ok: false, reason: 'not_called', differences: [] }
  const ok = differences.length === 0
  return { ok, reason: ok ? 'passed' : 'differs', differences }
}

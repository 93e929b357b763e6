import { skipToken, useQuery } from '@tanstack/react-query'
import type { Case, CaseDifference, CaseResult } from '#shared/model/case.ts'
import type { Method } from '#shared/model/method.ts'
import { api, client } from '../../../client/client.ts'
import { queries } from '../../../client/query-client.ts'
import { problemOf } from '../../../ui/problem.ts'
import { toastProblem } from '../../../ui/toasts.tsx'

/** A case with what its call is. */
export type CallableCase = Case & { readonly method: Method; readonly toolName: string }

/** Cases that run, one after another. They go on while other screens are open. */
type Progress = {
  readonly total: number
  readonly done: number
  /** The case that is being called. */
  readonly caseId: string | null
}

/** The run of each connection that is under way. */
const underWay = new Map<string, AbortController>()

const progressKey = (connectionId: string) => ['session', 'case-run', connectionId]
const differencesKey = (caseId: string) => ['session', 'case-differences', caseId]

/** Returns the cases of a connection that run now; null for none. */
export function useProgress(connectionId: string): Progress | null {
  const { data } = useQuery<Progress | null>({
    queryKey: progressKey(connectionId),
    queryFn: skipToken,
  })
  return data ?? null
}

/** Stops after the call that is under way. Its answer is dropped. */
export function cancelCases(connectionId: string): void {
  underWay.get(connectionId)?.abort()
}

/** Runs cases of a connection one after another, each in a request of its own, so that its result is shown at once. */
export async function runCases(connectionId: string, cases: readonly Case[]): Promise<void> {
  if (underWay.has(connectionId) || cases.length === 0) return
  const stop = new AbortController()
  underWay.set(connectionId, stop)
  const show = (done: number, caseId: string | null) =>
    queries.setQueryData<Progress>(progressKey(connectionId), { total: cases.length, done, caseId })
  try {
    for (const [done, { actionId, caseId }] of cases.entries()) {
      show(done, caseId)
      try {
        const { results } = await client.cases.run(
          { connectionId, actionId, caseId },
          { signal: stop.signal },
        )
        for (const result of results) keepResult(connectionId, result)
      } catch (error) {
        // It was deleted meanwhile.
        if (problemOf(error).code !== 'case_not_found') throw error
      }
      if (stop.signal.aborted) break
    }
  } catch (error) {
    if (!stop.signal.aborted)
      toastProblem('The cases could not be run', error, () => void runCases(connectionId, cases))
  } finally {
    underWay.delete(connectionId)
    queries.setQueryData<Progress | null>(progressKey(connectionId), null)
    void queries.invalidateQueries({ queryKey: api.cases.key() })
  }
}

/** Shows a result before the list is read again, with all differences, of which the service keeps the first. */
function keepResult(connectionId: string, result: CaseResult): void {
  const { caseId, actionId: _, differences, ...called } = result
  queries.setQueryData<KnownDifferences>(differencesKey(caseId), { callId: result.callId, differences })
  const at = new Date().toISOString()
  const last = { ...called, at, difference: differences[0] ?? null, isOld: false }
  const queryKey = api.cases.all.queryKey({ input: { connectionId } })
  // One that is being read may not have the result.
  void queries.cancelQueries({ queryKey })
  queries.setQueryData(queryKey, before =>
    before?.map(one => (one.caseId === caseId ? { ...one, last } : one)),
  )
}

type KnownDifferences = { readonly callId: string | null; readonly differences: readonly CaseDifference[] }

/** Returns all differences of the newest result of a case; null if this page has not seen them. */
export function useDifferences({ caseId, last }: Case): readonly CaseDifference[] | null {
  const { data } = useQuery<KnownDifferences>({ queryKey: differencesKey(caseId), queryFn: skipToken })
  return data !== undefined && last !== null && data.callId === last.callId ? data.differences : null
}

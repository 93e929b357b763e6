import type { CallResult, CallTimings, TestRecord } from '#shared/model/call.ts'

/** The full result of a test made on this page. The service keeps a shortened one. */
export type FreshTest = { readonly at: string; readonly result: CallResult }

export type ShownTest = FreshTest & {
  /** Null until the service's list contains it. */
  readonly testId: string | null
  /** Whether texts of it were cut. */
  readonly shortened: boolean
}

/**
 * Returns the test to show: the chosen one, or the one just made, or the newest.
 *
 * @param tests newest first.
 */
export function shownTest(
  tests: readonly TestRecord[],
  chosen: string | null,
  fresh: FreshTest | undefined,
): ShownTest | null {
  const record = tests.find(({ testId }) => testId === chosen)
  const made = fresh && tests.find(({ result }) => isSame(result.timings, fresh.result.timings))
  if (record !== undefined && (record !== made || fresh === undefined)) return record
  if (fresh === undefined) return tests[0] ?? null
  // The service's record of the same test is shortened.
  return { ...fresh, at: made?.at ?? fresh.at, testId: made?.testId ?? null, shortened: false }
}

/** Whether two timings are of one call. Six measurements, finer than a microsecond, identify a call. */
function isSame(one: CallTimings, other: CallTimings): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

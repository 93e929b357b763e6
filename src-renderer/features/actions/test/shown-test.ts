import type { CallResult, CallTimings, TestRecord } from '#shared/model/call.ts'

/** The whole answer to a test of this page, as it came; the service keeps a shortened one. */
export type FreshTest = { readonly at: string; readonly result: CallResult }

export type ShownTest = FreshTest & {
  /** Null until the service has told of it. */
  readonly testId: string | null
  /** Whether some of it was left out. */
  readonly shortened: boolean
}

/**
 * Which test is looked at: the one that was chosen, else the one that was just made, else the newest.
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
  // Of the two the answer that came here is the whole one.
  return { ...fresh, at: made?.at ?? fresh.at, testId: made?.testId ?? null, shortened: false }
}

/** Measured to the microsecond and finer, all six of them: no two calls have the same. */
function isSame(one: CallTimings, other: CallTimings): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

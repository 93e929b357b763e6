import type { CallResult, TestRecord } from '#shared/model/call.ts'

/** The full result of a test made on this page. The service keeps a shortened one. */
export type FreshTest = { readonly callId: string; readonly at: string; readonly result: CallResult }

export type ShownTest = FreshTest & {
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
  const record = tests.find(({ callId }) => callId === chosen)
  if (fresh !== undefined && (record === undefined || record.callId === fresh.callId))
    return { ...fresh, shortened: false }
  return record ?? tests[0] ?? null
}

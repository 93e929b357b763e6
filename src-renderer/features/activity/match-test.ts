import type { TestRecord } from '#shared/model/call.ts'
import type { Call } from './entry.ts'

/** A call is kept as a test right after the feed has told of it; this much later at most, in milliseconds. */
const toleranceMs = 2000

/** The kept request and response of a call: the one that ended as it did, after the same time to the digit. */
export function matchTest(call: Call, tests: readonly TestRecord[]): TestRecord | undefined {
  return tests.find(({ at, result }) => {
    const apartMs = Math.abs(Date.parse(at) - Date.parse(call.at))
    const { timings, response, error } = result
    return (
      apartMs <= toleranceMs &&
      timings.totalMs === call.totalMs &&
      (response?.status ?? null) === call.status &&
      (error?.code ?? null) === call.code
    )
  })
}

import { expect, test } from 'vitest'
import { shownTest } from '#renderer/features/actions/test/shown-test.ts'
import type { TestRecord } from '#shared/model/call.ts'

function record(callId: string, totalMs: number): TestRecord {
  const timings = { totalMs, dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: totalMs, downloadMs: 0 }
  return {
    callId,
    at: '2026-11-21T09:30:00.000Z',
    arguments: {},
    environmentVariables: [],
    shortened: true,
    result: { ok: true, request: null, response: null, result: null, mapped: null, timings, error: null },
  }
}
const [second, first] = [record('test_2', 2.25), record('test_1', 1.5)]
const tests = [second, first]
const at = '2026-11-21T09:31:00.000Z'

test('the newest test is shown unless another is chosen', () => {
  expect(shownTest([], null, undefined)).toBeNull()
  expect(shownTest(tests, null, undefined)).toBe(second)
  expect(shownTest(tests, 'test_1', undefined)).toBe(first)
  expect(shownTest(tests, 'test_gone', undefined)).toBe(second)
})

test('the full result made on this page is preferred to the shortened record', () => {
  const fresh = { callId: 'test_2', at, result: second.result }
  expect(shownTest(tests, null, fresh)).toEqual({ ...fresh, shortened: false })
  expect(shownTest(tests, 'test_2', fresh)).toEqual({ ...fresh, shortened: false })
  expect(shownTest(tests, 'test_1', fresh)).toBe(first)
})

test('a result that the service’s list does not contain yet is shown', () => {
  const fresh = { callId: 'test_3', at, result: second.result }
  expect(shownTest(tests, null, fresh)).toEqual({ ...fresh, shortened: false })
})

import { expect, test } from 'vitest'
import { matchTest } from '#renderer/features/activity/match-test.ts'
import type { TestRecord } from '#shared/model/call.ts'
import { at, called } from './fixtures.ts'

function tested(ms: number, totalMs: number, status: number | null, code: string | null = null): TestRecord {
  return {
    testId: `test_${ms}`,
    at: at(ms),
    arguments: {},
    environmentVariables: [],
    shortened: false,
    result: {
      ok: status === 200,
      request: null,
      response: status === null ? null : { status, headers: {}, body: '', bytes: 0 },
      result: null,
      mapped: null,
      timings: { totalMs, dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: 0, downloadMs: 0 },
      error: code === null ? null : { code, message: '' },
    },
  }
}

test('a call is found among the tests by how it ended, when, and how long it took', () => {
  const tests = [tested(5000, 187, 200), tested(12, 186.9, 200), tested(11, 187, 404), tested(10, 187, 200)]
  expect(matchTest(called(9), tests)?.testId).toBe('test_10')
  expect(matchTest(called(9, { totalMs: 3 }), tests)).toBeUndefined()
})

test('a call without an answer is found by its code', () => {
  const call = called(9, { status: null, ok: false, code: 'timeout', totalMs: 30_000 })
  const tests = [tested(10, 30_000, null, 'connection_reset'), tested(10, 30_000, null, 'timeout')]
  expect(matchTest(call, tests)?.result.error?.code).toBe('timeout')
})

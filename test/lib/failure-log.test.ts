import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createFailureLog } from '#main/lib/failure-log.ts'
import { ServiceError } from '#shared/errors.ts'
import type { StorageOutage } from '#shared/model/readiness.ts'
import { createLogRecorder } from '../support/log-recorder.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function open() {
  const state: { reason: StorageOutage | null } = { reason: null }
  const { logger, lines } = createLogRecorder()
  const log = createFailureLog(logger, () => state.reason)
  onTestFinished(log.stop)
  const taken = () => lines.splice(0)
  return {
    ...{ state, log, taken },
    messages: () => taken().map(({ message }) => message),
    wait: (seconds: number) => void vi.advanceTimersByTime(1000 * seconds),
  }
}
const away = new ServiceError('storage_unavailable')

test('logs the first failure of an outage and its end, and all other failures', () => {
  const { log, state, messages, taken, wait } = open()
  for (let n = 0; n < 100; n++) log.failed(away)
  expect(messages()).toEqual(['A part of the service failed'])
  wait(2)
  log.failed(new ServiceError('unavailable'))
  state.reason = 'storage'
  wait(59)
  log.failed(new TypeError('Another one.'))
  state.reason = null
  wait(2)
  expect(messages()).toEqual(['The storage cannot be used', 'A part of the service failed'])
  wait(1)
  expect(taken()).toMatchObject([
    { fields: { failures: 101, seconds: 64 }, message: 'The storage can be used again' },
  ])
  wait(60)
  expect(messages()).toEqual([])
  log.failed(away)
  expect(messages()).toEqual(['A part of the service failed'])
})

test('logs the reason of an outage, each change of it, and one line a minute', () => {
  const { log, state, messages, taken, wait } = open()
  state.reason = 'no_connection'
  wait(60)
  expect(taken()).toMatchObject([
    { fields: { reason: 'no_connection', seconds: 1 }, message: 'The storage cannot be used' },
  ])
  for (let n = 0; n < 100; n++) log.failed(away)
  wait(1)
  expect(taken()).toMatchObject([
    { fields: { reason: 'no_connection', failures: 100 }, message: 'The storage still cannot be used' },
  ])
  state.reason = 'locked'
  wait(59)
  expect(taken()).toMatchObject([{ fields: { reason: 'locked' }, message: 'The storage cannot be used' }])
  state.reason = null
  wait(3)
  expect(messages()).toEqual(['The storage can be used again'])
})

test('logs nothing after it was stopped', () => {
  const { log, state, messages, wait } = open()
  log.stop()
  state.reason = 'storage'
  wait(120)
  expect(messages()).toEqual([])
})

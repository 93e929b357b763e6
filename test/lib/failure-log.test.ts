import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFailureLog } from '#main/lib/failure-log.ts'
import { ServiceError } from '#shared/errors.ts'
import { createLogRecorder } from '../support/log-recorder.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('logs the first failure of an outage and its end, and all other failures', () => {
  let isReady = true
  const { logger, lines } = createLogRecorder()
  const log = createFailureLog(logger, () => isReady)
  const away = new ServiceError('storage_unavailable')
  const messages = () => lines.splice(0).map(({ message }) => message)
  for (let n = 0; n < 100; n++) log(away)
  expect(messages()).toEqual(['A part of the service failed'])
  vi.advanceTimersByTime(2000)
  log(new ServiceError('unavailable'))
  isReady = false
  vi.advanceTimersByTime(60_000)
  log(new TypeError('Another one.'))
  isReady = true
  vi.advanceTimersByTime(2000)
  expect(messages()).toEqual(['A part of the service failed'])
  vi.advanceTimersByTime(1000)
  expect(lines.map(({ fields }) => fields)).toEqual([{ failures: 101 }])
  expect(messages()).toEqual(['The storage can be used again'])
  vi.advanceTimersByTime(60_000)
  expect(messages()).toEqual([])
  log(away)
  expect(messages()).toEqual(['A part of the service failed'])
})

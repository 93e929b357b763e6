import { afterEach, expect, test, vi } from 'vitest'
import { logOutcomes } from '#main/history/log-outcomes.ts'
import type { InboundOutcome } from '#main/inbound/outcomes.ts'
import { createBus } from '#main/lib/bus.ts'
import { createLogRecorder } from '../support/log-recorder.ts'

afterEach(() => void vi.useRealTimers())

test('a disk on which nothing can be written does not have the log written full', () => {
  vi.useFakeTimers()
  const outcomes = createBus<InboundOutcome>(error => {
    throw error
  })
  const { logger, lines } = createLogRecorder()
  const stop = logOutcomes(outcomes, logger)
  const fail = (times: number, connectionId = 'conn_1') => {
    for (let count = 0; count < times; count++)
      outcomes.publish({ kind: 'unavailable', connectionId, error: new Error('No space left') })
  }
  const told = () =>
    lines.splice(0).map(({ level, fields, message }) => ({ level, message, ...fields, err: undefined }))
  const line = {
    level: 'error',
    message: 'Events could not be stored',
    connectionId: 'conn_1',
    err: undefined,
  }

  fail(1)
  expect(told()).toEqual([{ ...line, events: 1 }])
  fail(2000)
  fail(1, 'conn_2')
  expect(told()).toEqual([])
  vi.advanceTimersByTime(1000)
  expect(told()).toEqual([{ ...line, connectionId: 'conn_2', events: 2001 }])
  vi.advanceTimersByTime(60_000)
  expect(told()).toEqual([])
  fail(3)
  stop()
  expect(told()).toMatchObject([{ events: 1 }, { events: 2 }])
})

import { afterEach, expect, test, vi } from 'vitest'
import type { Occurrence } from '#main/history/kinds.ts'
import { logOccurrences } from '#main/history/log.ts'
import { createBus } from '#main/lib/bus.ts'
import { createLogRecorder } from '../support/log-recorder.ts'

afterEach(() => void vi.useRealTimers())

const error = new Error('No space left')
const failure = { kind: 'event.unavailable', id: 'una_1', at: 0, connectionId: 'conn_1', error } as const

test('throttles the errors of a disk that refuses writes', () => {
  vi.useFakeTimers()
  const occurrences = createBus<Occurrence>(error => {
    throw error
  })
  const { logger, lines } = createLogRecorder()
  const stop = logOccurrences(occurrences, logger)
  const fail = (times: number, connectionId = 'conn_1') => {
    for (let count = 0; count < times; count++) occurrences.publish({ ...failure, connectionId })
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

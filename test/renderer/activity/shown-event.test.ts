import { expect, test } from 'vitest'
import {
  comparableEvents,
  mayBeStored,
  shownEvent,
  trailOf,
} from '#renderer/features/activity/shown-event.ts'
import { accepted, called, rejected, stored } from './fixtures.ts'

const inLog = {
  eventId: 'evt_1',
  eventName: 'order.paid',
  data: {},
  dataText: '{}',
  bodyText: '{"event":"order.paid","data":{"name":"ü"}}',
  receivedAt: '2026-11-21T09:30:00.000Z',
  declared: true,
  repeat: false,
  oldSecret: false,
  replayOf: null,
  notes: [],
  headers: [],
}
const steps = (...parameters: Parameters<typeof shownEvent>) => {
  const event = shownEvent(...parameters)
  return event === null ? null : trailOf(event).map(({ name }) => name)
}

test('the trail lists the processing steps of an event', () => {
  expect(steps(accepted(1), null, false)).toEqual(['Received', 'Verified', 'Not stored', 'Raised'])
  expect(steps(accepted(1), inLog, false)).toEqual(['Received', 'Verified', 'Stored', 'Raised'])
  expect(steps(accepted(1), null, true)).toEqual(['Received', 'Verified', 'No longer stored', 'Raised'])
  expect(steps({ ...accepted(1), type: 'event.repeated' }, null, false)).toEqual([
    'Received',
    'Verified',
    'Not stored',
    'Not raised',
  ])
  expect(steps(null, { ...inLog, replayOf: 'evt_0' }, false)).toEqual(['Replayed', 'Stored', 'Raised'])
  expect(steps(null, null, true)).toBeNull()
})

test('an event that is only in the log has a size in bytes', () => {
  expect(shownEvent(null, inLog, false)).toMatchObject({ bytes: 43, isCut: false, keeping: 'stored' })
})

test('a truncated body is marked unless the log has all of it', () => {
  const cut = accepted(1, { bodyText: '{"event"', bytes: 70_000 })
  expect(shownEvent(cut, null, false)?.isCut).toBe(true)
  expect(shownEvent(cut, inLog, false)?.isCut).toBe(false)
})

test('the log is queried only if it may have the event', () => {
  expect(mayBeStored(null)).toBe(true)
  expect(mayBeStored(accepted(1, { stored: true }))).toBe(true)
  expect(mayBeStored(accepted(1))).toBe(false)
})

test('an event is compared with the previous one of the same name first', () => {
  const own = accepted(30)
  const entries = [
    stored(50),
    called(40),
    own,
    rejected(25),
    stored(20, { eventName: 'order.shipped' }),
    stored(10),
  ]
  expect(comparableEvents(entries, own).map(({ value }) => value)).toEqual(
    [10, 50, 20].map(ms => stored(ms).eventId),
  )
})

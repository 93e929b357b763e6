import { expect, test } from 'vitest'
import type { EventItem } from '#renderer/features/activity/rows.ts'
import { trailOf } from '#renderer/features/activity/shown-event.ts'
import type { StoredEvent } from '#shared/model/inbound-event.ts'
import { accepted } from './fixtures.ts'

const steps = (item: EventItem, change: Partial<StoredEvent> = {}) => {
  const event: StoredEvent = {
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
    duplicateOf: null,
    notes: [],
    headers: [],
    ...change,
  }
  return trailOf({ item, event }).map(({ name }) => name)
}

test('the trail lists the processing steps of an event', () => {
  expect(steps(accepted(1))).toEqual(['Received', 'Verified', 'Stored', 'Raised'])
  expect(steps(accepted(1), { inMemory: true })).toEqual(['Received', 'Verified', 'Not stored', 'Raised'])
  expect(steps({ ...accepted(1), type: 'event.repeated' }, { inMemory: true })).toEqual([
    'Received',
    'Verified',
    'Not stored',
    'Not raised',
  ])
  const redelivered = (runs: number) =>
    steps({ ...accepted(1), type: 'event.repeated', redelivery: { of: 'evt_0', runs } }).at(-1)
  expect([redelivered(2), redelivered(0)]).toEqual(['Started again', 'Not started again'])
  const replay = { ...accepted(1), type: 'event.replayed', replayOf: 'evt_0' } as const
  expect(steps(replay, { replayOf: 'evt_0' })).toEqual(['Replayed', 'Stored', 'Raised'])
})

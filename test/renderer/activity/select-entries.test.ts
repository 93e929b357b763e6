import { expect, test } from 'vitest'
import { countEntries, isShown, matches } from '#renderer/features/activity/select-entries.ts'
import { accepted, attempted, called, rejected, stored } from './fixtures.ts'

const gap = { type: 'activity.missed' as const, id: '1', at: accepted(1).at, count: 3 }
const attempt = { type: 'attempt' as const, key: 'x', attempt: attempted(1, { bodyText: '{"sku":"KB-87"}' }) }
const all = [accepted(1), rejected(2), called(3), stored(4), attempt, gap]

test('each kind is in its channel, and refused requests are also inbound', () => {
  const shown = (show: 'inbound' | 'outbound' | 'rejected' | undefined) =>
    all.filter(entry => isShown(entry, show)).map(({ type }) => type)
  expect(shown(undefined)).toHaveLength(6)
  expect(shown('inbound')).toEqual(['event.accepted', 'event.rejected', 'event.stored', 'attempt'])
  expect(shown('outbound')).toEqual(['call.finished'])
  expect(shown('rejected')).toEqual(['event.rejected', 'attempt'])
  expect(countEntries(all)).toEqual({ all: 6, inbound: 4, outbound: 1, rejected: 2 })
})

const found = (text: string) =>
  all.filter(entry => matches(entry, { text, eventName: undefined })).map(({ type }) => type)

test('a search covers names, bodies, statuses, codes and row texts', () => {
  expect(found('ord-1')).toEqual(['event.accepted', 'event.stored'])
  expect(found('LOOK_UP')).toEqual(['call.finished', 'event.stored'])
  expect(found('401')).toEqual(['event.rejected', 'event.stored', 'attempt'])
  expect(found('invalid_sig')).toEqual(['event.rejected', 'event.stored', 'attempt'])
  expect(found('does not match')).toEqual(['event.rejected', 'event.stored', 'attempt'])
  expect(found('kb-87')).toEqual(['event.stored', 'attempt'])
})

test('a search finds an escaped letter', () => {
  const body = '{"event":"a","data":{"city":"M\\u00fcnchen"}}'
  expect(matches(accepted(1, { bodyText: body }), { text: 'münchen', eventName: undefined })).toBe(true)
})

test('the filter by event name keeps only events of that exact name', () => {
  const left = all.filter(entry => matches(entry, { text: '', eventName: 'order.paid' }))
  expect(left.map(({ type }) => type)).toEqual(['event.accepted', 'event.stored'])
  expect(matches(accepted(1), { text: '', eventName: 'order' })).toBe(false)
})

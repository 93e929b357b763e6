import { expect, test, vi } from 'vitest'
import { createActivityStore } from '#renderer/client/activity-store.ts'
import type { ActivityItem } from '#shared/model/activity.ts'

const item = (id: string): ActivityItem => ({
  type: 'activity.missed',
  id,
  at: '2026-11-21T09:30:00.000Z',
  count: 1,
})

function createStore() {
  let due: (() => void)[] = []
  const store = createActivityStore(flush => due.push(flush))
  const pass = () => {
    for (const flush of due.splice(0)) flush()
    due = []
  }
  return { store, pass }
}

test('shows several items in one update, oldest first', () => {
  const { store, pass } = createStore()
  const listener = vi.fn()
  store.subscribe(listener)
  store.watch('conn_1')
  listener.mockClear()
  for (const id of ['a', 'b', 'c']) store.add(item(id))
  expect(listener).not.toHaveBeenCalled()
  pass()
  expect(listener).toHaveBeenCalledTimes(1)
  expect(store.snapshot().items.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
})

test('another connection starts empty, the same one keeps its items', () => {
  const { store, pass } = createStore()
  store.watch('conn_1')
  store.add(item('a'))
  pass()
  const before = store.snapshot()
  store.watch('conn_1')
  expect(store.snapshot()).toBe(before)
  store.add(item('b'))
  store.watch('conn_2')
  pass()
  expect(store.snapshot()).toEqual({ connectionId: 'conn_2', items: [] })
})

test('keeps the newest items of a long watch', () => {
  const { store, pass } = createStore()
  store.watch('conn_1')
  for (let n = 0; n < 20_010; n++) store.add(item(String(n)))
  pass()
  expect(store.snapshot().items).toHaveLength(20_000)
  expect(store.snapshot().items.at(-1)?.id).toBe('20009')
})

test('adds a diagnosis to its refused request instead of showing it as an item', () => {
  const { store, pass } = createStore()
  const rejected = (id: string): ActivityItem => ({
    type: 'event.rejected',
    id,
    at: '2026-11-21T09:30:00.000Z',
    connectionId: 'conn_1',
    attemptId: `att_${id}`,
    code: 'invalid_signature',
    message: 'The signature does not match.',
    diagnosis: null,
    bytes: 2,
    tookMs: 1,
  })
  const diagnosis = { code: 'missing_dot' as const, message: 'Put a dot between them.' }
  const diagnosed = (id: string): ActivityItem => ({
    type: 'event.diagnosed',
    id: `${id}x`,
    at: '2026-11-21T09:30:00.000Z',
    connectionId: 'conn_1',
    attemptId: `att_${id}`,
    diagnosis,
  })
  store.watch('conn_1')
  store.add(rejected('a'))
  store.add(rejected('b'))
  store.add(diagnosed('a'))
  pass()
  expect(store.snapshot().items).toMatchObject([
    { id: 'a', diagnosis },
    { id: 'b', diagnosis: null },
  ])
  store.add(diagnosed('b'))
  store.add(diagnosed('gone'))
  pass()
  expect(store.snapshot().items).toMatchObject([
    { id: 'a', diagnosis },
    { id: 'b', diagnosis },
  ])
})

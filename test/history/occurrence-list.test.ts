import { expect, onTestFinished, test, vi } from 'vitest'
import { createActivity } from '#main/history/activity.ts'
import { createOccurrenceList } from '#main/history/occurrence-list.ts'
import { eventPrefix, idOf } from '#main/lib/sequence.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { exampleConnection, now, withConnections } from '../storage/config-fixtures.ts'

const config = withConnections(newConfig(now), exampleConnection('conn_1'))

/** Returns the list of a service whose memory alone has `count` events. */
function listOf(count: number) {
  let number = 0
  const activity = createActivity(
    () => true,
    () => ++number,
    () => now,
  )
  for (let index = 1; index <= count; index++)
    activity.add({
      ...{ kind: 'event.accepted', id: idOf(eventPrefix, index), at: now, connectionId: 'conn_1' },
      ...{ eventName: 'order.paid', repeat: false, stored: false, previousSecret: false, tookMs: 1 },
      bodyText: `{"event":"order.paid","data":{"order_id":"ORD-${index}"}}`,
    })
  return createOccurrenceList({
    store: { snapshot: () => config },
    log: {
      summaries: async ({ above }) => ({ events: [], checkedAbove: above, damaged: 0 }),
      countBetween: async () => 0,
    },
    history: {
      list: async ({ above = -1 }) => ({ occurrences: [], checkedAbove: above }),
      count: async () => ({ counts: [], isComplete: true }),
    },
    activity,
    isDeclared: () => true,
    clock: () => now,
  })
}

test('a page reads the bodies of the events that it shows, and a count reads none', async () => {
  const list = listOf(100)
  const parse = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parse.mockRestore())
  const page = await list.list({}, { limit: 10 })
  expect(page.items.map(item => 'subject' in item && item.subject)).toEqual(
    Array.from({ length: 10 }, (_, index) => `ORD-${100 - index}`),
  )
  expect(parse.mock.calls.length).toBeLessThanOrEqual(11)
  parse.mockClear()
  expect(await list.count({})).toMatchObject({ total: 100, byKind: { 'event.accepted': 100 } })
  expect(parse).not.toHaveBeenCalled()
})

test('pages of events in memory alone follow each other without a gap, to the end', async () => {
  const list = listOf(25)
  const names: unknown[] = []
  for (let before: string | undefined; ; ) {
    const { items, nextBefore, end } = await list.list({}, { before, limit: 10 })
    names.push(...items.map(item => 'subject' in item && item.subject))
    expect(end === null).toBe(nextBefore !== null)
    if (nextBefore === null) break
    before = nextBefore
  }
  expect(names).toEqual(Array.from({ length: 25 }, (_, index) => `ORD-${25 - index}`))
})

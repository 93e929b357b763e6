import { expect, onTestFinished, test, vi } from 'vitest'
import { createActivity, maxEntries } from '#main/history/activity.ts'
import { createExchange } from '#main/history/exchange.ts'
import { kinds } from '#main/history/kinds.ts'
import { createOccurrenceList } from '#main/history/occurrence-list.ts'
import { eventPrefix, idOf } from '#main/lib/sequence.ts'
import { createActivityRelay } from '#main/storage/local/activity-relay.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { exampleConnection, now, withConnections } from '../storage/config-fixtures.ts'

const config = withConnections(
  newConfig(now),
  exampleConnection('conn_1', { persistEvents: false }),
  exampleConnection('conn_2'),
)

/**
 * Returns the list of a service whose memory alone has `count` events.
 *
 * @param filling of their data. @param onRead called with each event that is read from the memory.
 * @param refused how many refused requests the history has, by connection; `service` for none.
 */
function listOf(
  count: number,
  filling = '',
  onRead: (bodyText: string) => void = () => {},
  refused: Readonly<Record<string, number>> = {},
) {
  let number = 0
  const activity = createActivity(
    () => true,
    () => ++number,
    () => now,
    createExchange(
      createActivityRelay(() => {}),
      'this',
    ),
  )
  for (let index = 1; index <= count; index++)
    activity.add({
      ...{ kind: 'event.accepted', id: idOf(eventPrefix, index), at: now, connectionId: 'conn_1' },
      ...{
        eventName: 'order.paid',
        repeat: false,
        stored: false,
        previousSecret: false,
        duplicateOf: null,
        tookMs: 1,
      },
      bodyText: `{"event":"order.paid","data":{"order_id":"ORD-${index}"${filling}}}`,
    })
  function* unstored() {
    for (const occurrence of activity.unstored()) {
      onRead('bodyText' in occurrence ? occurrence.bodyText : '')
      yield occurrence
    }
  }
  return createOccurrenceList({
    store: { snapshot: () => config },
    log: {
      summaries: async ({ above }) => ({ events: [], checkedAbove: above, damaged: 0, searched: null }),
      countBetween: async () => 0,
      countParts: async () => [],
    },
    history: {
      list: async ({ above = -1 }) => ({ occurrences: [], checkedAbove: above, searched: null }),
      count: async ({ connectionIds }) => ({
        counts: Object.entries(refused)
          .filter(([id]) => connectionIds?.includes(id === 'service' ? null : id) ?? true)
          .map(([_id, count]) => ({
            ...{ kind: kinds['event.rejected'].stored.name, connectionId: null, cause: null, count },
            ...{ first: 1, last: 1 },
          })),
        isComplete: true,
      }),
      countBuckets: async () => ({ counts: [], isComplete: true }),
    },
    activity: { ...activity, unstored },
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

test.each<[string, (list: ReturnType<typeof listOf>) => Promise<unknown>]>([
  ['a search', list => list.list({ text: 'absent' }, { limit: 10 })],
  ['a page', list => list.list({}, { limit: 10 })],
  ['a count', list => list.count({})],
  ['a count of what is found', list => list.count({ text: 'absent' })],
  ['a look-up', list => list.get(idOf(eventPrefix, 1))],
])('%s lets other work have its turn while it reads the bodies in memory', async (_what, read) => {
  let inTurn = 0
  let most = 0
  let total = 0
  const list = listOf(900, `,"note":"${'x'.repeat(8000)}"`, ({ length }) => {
    inTurn += length
    total += length
    most = Math.max(most, inTurn)
  })
  let isReading = true
  const nextTurn = () => {
    inTurn = 0
    if (isReading) setImmediate(nextTurn)
  }
  nextTurn()
  await read(list)
  isReading = false
  expect(total).toBeGreaterThan(900 * 8000)
  expect(most).toBeLessThan(128 * 1024)
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

/** Reads to the end, and returns what it says. */
async function endOf(list: ReturnType<typeof listOf>, connectionId?: string) {
  for (let before: string | undefined; ; ) {
    const { nextBefore, end } = await list.list({ connectionId }, { before, limit: 200 })
    if (nextBefore === null) return end
    before = nextBefore
  }
}

test('the end names the memory once it had more events than it keeps', async () => {
  expect(await endOf(listOf(maxEntries))).toEqual({ reason: 'start' })
  expect(await endOf(listOf(maxEntries + 1))).toEqual({ reason: 'memory' })
  expect(await endOf(listOf(maxEntries + 1), 'conn_2')).toEqual({ reason: 'start' })
})

test.each<[string, Record<string, number>, string]>([
  ['two connections that are full only together', { conn_1: 150, conn_2: 150 }, 'start'],
  ['a connection that is full', { conn_1: 1, conn_2: 200 }, 'retention'],
  ['what belongs to no connection', { service: 200 }, 'retention'],
])('the limit of refused requests is that of each connection: %s', async (_what, refused, reason) => {
  expect(await endOf(listOf(0, '', undefined, refused))).toMatchObject({ reason })
})

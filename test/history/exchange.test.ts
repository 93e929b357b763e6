import { expect, onTestFinished, test, vi } from 'vitest'
import { createActivity } from '#main/history/activity.ts'
import { createExchange } from '#main/history/exchange.ts'
import type { Occurrence } from '#main/history/kinds.ts'
import { eventPrefix, idOf } from '#main/lib/sequence.ts'
import { createActivityRelay } from '#main/storage/local/activity-relay.ts'
import type { ActivityItem } from '#shared/model/activity.ts'
import { startOfTests } from '../support/connection-records.ts'
import { take } from '../support/take.ts'

const onError = (error: unknown) => {
  throw error
}
const all = () => true

/** The activity of two nodes, whose numbers come from one sequence. */
function twoNodes() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const relay = createActivityRelay(onError)
  const send = vi.spyOn(relay, 'send')
  let number = startOfTests * 1024
  const open = (node: string) => {
    const exchange = createExchange(relay, node)
    onTestFinished(exchange.stop)
    return createActivity(
      () => true,
      () => ++number,
      () => startOfTests,
      exchange,
    )
  }
  return { a: open('a'), b: open('b'), send }
}

function event(number: number, changes: { stored?: boolean; bodyText?: string } = {}): Occurrence {
  return {
    ...{ kind: 'event.accepted', id: idOf(eventPrefix, number), at: startOfTests, connectionId: 'conn_1' },
    ...{ eventName: 'a', bodyText: '{"event":"a"}', repeat: false, stored: true, previousSecret: false },
    ...{ duplicateOf: null, tookMs: 1, ...changes },
  }
}

const idsOf = (items: readonly ActivityItem[]) =>
  items.map(item => (item.type === 'event.accepted' ? item.eventId : item.type))
const eventId = (number: number) => idOf(eventPrefix, number)

test('a reader gets the items of both nodes, as they are on the node itself', async () => {
  const { a, b } = twoNodes()
  const reading = take(a.follow({ matches: all, lastId: null }), 3)
  b.add(event(1))
  a.add(event(2))
  b.add(event(3))
  vi.advanceTimersByTime(250)
  const items = await reading
  expect(idsOf(items)).toEqual([eventId(1), eventId(2), eventId(3)])
  const own = await take(b.follow({ matches: all, lastId: null }), 2)
  expect([items[0], items[2]]).toEqual(own)
})

test('a reader goes on after the item that it read last, though items of the other node came late', async () => {
  const { a, b } = twoNodes()
  onTestFinished(a.changes.subscribe(() => {}))
  const onB = [event(1), event(2)]
  b.add(event(0))
  for (const each of onB) b.add(each)
  a.add(event(3))
  vi.advanceTimersByTime(250)
  const items = await take(a.follow({ matches: all, lastId: null }), 4)
  expect(idsOf(items)).toEqual([eventId(0), eventId(3), eventId(1), eventId(2)])
  for (const [index, { id }] of items.entries()) {
    if (index === items.length - 1) break
    const [next] = await take(a.follow({ matches: all, lastId: id }), 1)
    expect(next).toEqual(items[index + 1])
  }
})

test('nothing is sent while nobody reads on another node', () => {
  const { a, b, send } = twoNodes()
  const stop = b.changes.subscribe(() => {})
  b.add(event(1))
  expect(send).not.toHaveBeenCalled()
  a.add(event(2))
  expect(send).toHaveBeenCalledOnce()
  stop()
  vi.advanceTimersByTime(250)
  a.add(event(3))
  vi.advanceTimersByTime(250)
  expect(send).toHaveBeenCalledOnce()
})

test('lists of another node learn of everything, also of what is not stored, but not its content', () => {
  const { a, b, send } = twoNodes()
  const changed: (string | null)[] = []
  onTestFinished(a.changes.subscribe(connectionId => changed.push(connectionId)))
  b.add(event(1, { stored: false, bodyText: '{"event":"a","data":"secret"}' }))
  b.add({
    ...{ kind: 'workflow.notified', id: idOf('note_', 2), at: startOfTests, connectionId: 'conn_2' },
    ...{ workflowId: 'wf_1', runId: 'run_1', path: '0', message: 'also secret', isMessageStored: false },
  })
  vi.advanceTimersByTime(250)
  expect(changed).toEqual(['conn_1', 'conn_2'])
  expect(JSON.stringify(send.mock.calls)).not.toContain('secret')
  expect([...a.unstored()]).toEqual([])
  expect([...b.unstored()]).toHaveLength(1)
})

test('of a flood, the newest are counted instead of sent', async () => {
  const { a, b } = twoNodes()
  const changed: (string | null)[] = []
  onTestFinished(a.changes.subscribe(connectionId => changed.push(connectionId)))
  b.add(event(0))
  for (let number = 1; number <= 1000; number++) b.add(event(number))
  vi.advanceTimersByTime(250)
  expect(changed).toHaveLength(201)
  const items = await take(a.follow({ matches: all, lastId: null }), 201)
  expect(items.at(-1)).toMatchObject({ type: 'activity.missed', count: 801 })
  expect(changed.at(-1)).toBeNull()
})

import { describe, expect, test } from 'vitest'
import { createActivity } from '#main/inbound/activity.ts'
import { connectionOf } from '#main/inbound/activity-entries.ts'
import { createSequence } from '#main/sequence.ts'
import { ActivityItem } from '#shared/model/activity.ts'
import { startOfTests } from '../support/connection-records.ts'
import { type InboundFixture, startInbound } from '../support/inbound-fixture.ts'

type Item = { id: string; at: string; word?: string; missed?: number }

function createFeed(limits: { maxEntries?: number; maxBytes?: number } = {}) {
  const clock = { now: startOfTests }
  return {
    clock,
    feed: createActivity<string, Item>({
      maxEntries: 5,
      maxBytes: 1000,
      ...limits,
      weightOf: word => word.length,
      toItem: (word, id, at) => ({ id, at, word }),
      toGap: (missed, id, at) => ({ id, at, missed }),
      nextSequence: createSequence(() => clock.now),
      clock: () => clock.now,
    }),
  }
}

const all = () => true
const brief = ({ word, missed }: Item) => word ?? missed

/** Reads so many items; what else is there stays unread. */
async function take<T>(items: AsyncGenerator<T>, count: number): Promise<T[]> {
  const taken: T[] = []
  while (taken.length < count) {
    const { value, done } = await items.next()
    if (done) throw new Error(`It ended after ${taken.length}.`)
    taken.push(value)
  }
  return taken
}

/** Reads all that is kept, by a last word added for the purpose. */
async function kept(feed: ReturnType<typeof createFeed>['feed'], lastId: string | null) {
  feed.add('end')
  const items: Item[] = []
  for await (const item of feed.follow({ matches: all, lastId })) {
    if (item.word === 'end') break
    items.push(item)
  }
  return items
}

describe('the feed', () => {
  test('gives what is kept, then what happens', async () => {
    const { feed } = createFeed()
    feed.add('a')
    feed.add('b')
    const items = feed.follow({ matches: all, lastId: null })
    expect((await take(items, 2)).map(brief)).toEqual(['a', 'b'])
    const next = take(items, 2)
    feed.add('c')
    feed.add('d')
    expect((await next).map(brief)).toEqual(['c', 'd'])
  })

  test('keeps the newest entries', async () => {
    const { feed } = createFeed()
    for (const word of 'abcdefgh') feed.add(word)
    expect((await kept(feed, null)).map(brief)).toEqual(['e', 'f', 'g', 'h'])
  })

  test('keeps no more than a certain weight', async () => {
    const { feed } = createFeed({ maxBytes: 9 })
    for (const word of ['aaaa', 'bbbb', 'cc', 'd']) feed.add(word)
    expect((await kept(feed, null)).map(brief)).toEqual(['cc', 'd'])
  })

  test('keeps one entry, however heavy', async () => {
    const { feed } = createFeed({ maxBytes: 10 })
    feed.add('a')
    feed.add('x'.repeat(50))
    const [only] = await take(feed.follow({ matches: all, lastId: null }), 1)
    expect(only?.word).toHaveLength(50)
  })

  test('gives a reader only what it asked for', async () => {
    const { feed } = createFeed()
    for (const word of ['a1', 'b1', 'a2', 'b2']) feed.add(word)
    const items = feed.follow({ matches: word => word.startsWith('b'), lastId: null })
    expect((await take(items, 2)).map(brief)).toEqual(['b1', 'b2'])
  })

  test('tells a slow reader how much it missed, and goes on from there', async () => {
    const { feed } = createFeed()
    feed.add('a')
    const items = feed.follow({ matches: all, lastId: null })
    await take(items, 1)
    for (const word of 'bcdefghi') feed.add(word)
    const seen = await take(items, 6)
    expect(seen.map(brief)).toEqual([3, 'e', 'f', 'g', 'h', 'i'])
    expect(seen.map(({ id }) => id)).toEqual([...seen.map(({ id }) => id)].sort())
  })

  test('lets a slow reader resume from the notice', async () => {
    const { feed } = createFeed()
    feed.add('a')
    const items = feed.follow({ matches: all, lastId: null })
    await take(items, 1)
    for (const word of 'bcdefghi') feed.add(word)
    const [gap] = await take(items, 1)
    const resumed = await take(feed.follow({ matches: all, lastId: gap?.id ?? '' }), 5)
    expect(resumed.map(brief)).toEqual(['e', 'f', 'g', 'h', 'i'])
  })

  test('resumes behind an id', async () => {
    const { feed } = createFeed()
    for (const word of 'abc') feed.add(word)
    const [, b] = await take(feed.follow({ matches: all, lastId: null }), 2)
    expect((await kept(feed, b?.id ?? '')).map(brief)).toEqual(['c'])
  })

  test('resumes behind an id of before a restart', async () => {
    const before = createFeed()
    before.feed.add('a')
    const [last] = await take(before.feed.follow({ matches: all, lastId: null }), 1)
    const { feed, clock } = createFeed()
    clock.now += 1
    feed.add('b')
    expect((await kept(feed, last?.id ?? '')).map(brief)).toEqual(['b'])
  })

  test('ends when the reader leaves, waiting or not', async () => {
    const { feed } = createFeed()
    feed.add('a')
    const leaving = new AbortController()
    const items = feed.follow({ matches: all, lastId: null, signal: leaving.signal })
    await take(items, 1)
    const waiting = items.next()
    leaving.abort()
    expect(await waiting).toEqual({ value: undefined, done: true })
    const late = feed.follow({ matches: all, lastId: null, signal: AbortSignal.abort() })
    expect(await late.next()).toEqual({ value: undefined, done: true })
  })

  test('serves many readers, each at its own pace', async () => {
    const { feed } = createFeed()
    const readers = Array.from({ length: 20 }, () => take(feed.follow({ matches: all, lastId: null }), 3))
    for (const word of 'abc') feed.add(word)
    for (const items of await Promise.all(readers)) expect(items.map(brief)).toEqual(['a', 'b', 'c'])
  })
})

/** The items of the fixture's feed that are there by now, each as the interface describes it. */
async function itemsOf(
  { inbound, outcomes }: InboundFixture,
  lastId: string | null = null,
  count = outcomes.length,
) {
  const items = await take(inbound.activity.follow({ matches: all, lastId }), count)
  for (const item of items) expect(ActivityItem.parse(item)).toEqual(item)
  return items
}

describe('what the feed shows', () => {
  test('an accepted event, whether it was stored, declared, and what is notable', async () => {
    const at = new Date(startOfTests).toISOString()
    const declared = { eventTypeId: 'evtype_1', eventName: 'known', label: null, samplePayload: null }
    const eventTypes = [{ ...declared, createdAt: at, updatedAt: at }]
    const fixture = await startInbound({ connection: { persistEvents: false, eventTypes } })
    const body = '{"event":"known","data":{"connectionId":1,"\u20ac":2},"more":3}'
    await fixture.post({ body })
    await fixture.post({ body: '{"event":"unknown"}' }, fixture.other)
    expect(await itemsOf(fixture)).toEqual([
      {
        id: expect.any(String),
        at,
        type: 'event.accepted',
        connectionId: 'conn_first',
        eventId: fixture.triggers[0]?.eventId,
        eventName: 'known',
        declared: true,
        repeat: false,
        stored: false,
        previousSecret: false,
        bodyText: body,
        bytes: Buffer.byteLength(body),
        notes: ['extra_fields', 'reserved_keys'],
      },
      expect.objectContaining({ connectionId: 'conn_second', declared: false, stored: true, notes: [] }),
    ])
  })

  test('the first 64 KiB of a long body', async () => {
    const fixture = await startInbound()
    const body = JSON.stringify({ event: 'a', data: { fill: 'x'.repeat(100_000) } })
    await fixture.post({ body })
    const [item] = await itemsOf(fixture)
    expect(item).toMatchObject({ bodyText: body.slice(0, 64 * 1024), bytes: body.length })
  })

  test('a repeat: marked, or ignored', async () => {
    const fixture = await startInbound()
    await fixture.post()
    await fixture.post()
    await fixture.change({ ignoreRepeats: true })
    await fixture.post()
    expect(await itemsOf(fixture)).toMatchObject([
      { type: 'event.accepted', repeat: false },
      { type: 'event.accepted', repeat: true },
      { type: 'event.repeated' },
    ])
  })

  test('a refusal, with the diagnosis', async () => {
    const fixture = await startInbound()
    await fixture.post({ body: '{"event":"a"}', signedBody: '' })
    await expect.poll(() => fixture.outcomes.length).toBe(1)
    await fixture.post({ target: '/api/connect/unknown/events' })
    await expect.poll(() => fixture.outcomes.length).toBe(2)
    expect(await itemsOf(fixture)).toMatchObject([
      {
        type: 'event.rejected',
        connectionId: 'conn_first',
        code: 'invalid_signature',
        diagnosis: { code: 'empty_body' },
        bytes: 13,
      },
      { type: 'event.rejected', connectionId: null, code: 'unknown_token', diagnosis: null },
    ])
  })

  test('a replay', async () => {
    const fixture = await startInbound()
    await fixture.post()
    const [original] = await fixture.stored('conn_first')
    const record = fixture.store.snapshot().connections.get('conn_first')
    if (original === undefined || record === undefined) throw new Error('It was stored.')
    const eventId = await fixture.inbound.receiver.replay(original, record)
    const [, replay] = await itemsOf(fixture)
    expect(replay).toMatchObject({ type: 'event.replayed', eventId, replayOf: original.eventId })
  })

  test('one connection alone, behind an id', async () => {
    const fixture = await startInbound()
    await fixture.post()
    await fixture.post({}, fixture.other)
    const [first] = await itemsOf(fixture)
    await fixture.post({ body: '{"event":"second"}' })
    const own = fixture.inbound.activity.follow({
      matches: outcome => connectionOf(outcome) === 'conn_first',
      lastId: first?.id ?? null,
    })
    expect(await take(own, 1)).toMatchObject([{ eventName: 'second' }])
  })
})

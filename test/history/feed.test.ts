import { describe, expect, test } from 'vitest'
import { createFeed, type FeedOptions } from '#main/history/feed.ts'
import { createSequence } from '#main/lib/sequence.ts'
import { startOfTests } from '../support/connection-records.ts'
import { take } from '../support/take.ts'

type Item = { id: string; at: string; word?: string; missed?: number }

function openFeed(limits: Partial<Pick<FeedOptions<string, Item>, 'maxEntries' | 'maxBytes'>> = {}) {
  const clock = { now: startOfTests }
  const words = new Map<number, string>()
  return {
    clock,
    feed: createFeed<string, Item>({
      maxEntries: 5,
      maxBytes: 1000,
      ...limits,
      storage: {
        put: (slot, word) => void words.set(slot, word),
        get: slot => words.get(slot) ?? '',
        drop: slot => void words.delete(slot),
      },
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

/** Reads all that is kept, by a last word added for the purpose. */
async function kept(feed: ReturnType<typeof openFeed>['feed'], lastId: string | null) {
  feed.add('end')
  const items: Item[] = []
  for await (const item of feed.follow({ matches: all, lastId })) {
    if (item.word === 'end') break
    items.push(item)
  }
  return items
}

describe('the feed', () => {
  test('yields kept entries, then new ones', async () => {
    const { feed } = openFeed()
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
    const { feed } = openFeed()
    for (const word of 'abcdefgh') feed.add(word)
    expect((await kept(feed, null)).map(brief)).toEqual(['e', 'f', 'g', 'h'])
  })

  test('keeps a bounded weight', async () => {
    const { feed } = openFeed({ maxBytes: 9 })
    for (const word of ['aaaa', 'bbbb', 'cc', 'd']) feed.add(word)
    expect((await kept(feed, null)).map(brief)).toEqual(['cc', 'd'])
  })

  test('keeps one entry, however heavy', async () => {
    const { feed } = openFeed({ maxBytes: 10 })
    feed.add('a')
    feed.add('x'.repeat(50))
    const [only] = await take(feed.follow({ matches: all, lastId: null }), 1)
    expect(only?.word).toHaveLength(50)
  })

  test('yields only entries that match', async () => {
    const { feed } = openFeed()
    for (const word of ['a1', 'b1', 'a2', 'b2']) feed.add(word)
    const items = feed.follow({ matches: word => word.startsWith('b'), lastId: null })
    expect((await take(items, 2)).map(brief)).toEqual(['b1', 'b2'])
  })

  test('tells a slow reader how many entries it missed, then continues', async () => {
    const { feed } = openFeed()
    feed.add('a')
    const items = feed.follow({ matches: all, lastId: null })
    await take(items, 1)
    for (const word of 'bcdefghi') feed.add(word)
    const seen = await take(items, 6)
    expect(seen.map(brief)).toEqual([3, 'e', 'f', 'g', 'h', 'i'])
    expect(seen.map(({ id }) => id)).toEqual([...seen.map(({ id }) => id)].sort())
  })

  test('lets a slow reader resume after that notice', async () => {
    const { feed } = openFeed()
    feed.add('a')
    const items = feed.follow({ matches: all, lastId: null })
    await take(items, 1)
    for (const word of 'bcdefghi') feed.add(word)
    const [gap] = await take(items, 1)
    const resumed = await take(feed.follow({ matches: all, lastId: gap?.id ?? '' }), 5)
    expect(resumed.map(brief)).toEqual(['e', 'f', 'g', 'h', 'i'])
  })

  test('resumes after an id', async () => {
    const { feed } = openFeed()
    for (const word of 'abc') feed.add(word)
    const [, b] = await take(feed.follow({ matches: all, lastId: null }), 2)
    expect((await kept(feed, b?.id ?? '')).map(brief)).toEqual(['c'])
  })

  test('resumes after an id from before a restart', async () => {
    const before = openFeed()
    before.feed.add('a')
    const [last] = await take(before.feed.follow({ matches: all, lastId: null }), 1)
    const { feed, clock } = openFeed()
    clock.now += 1
    feed.add('b')
    expect((await kept(feed, last?.id ?? '')).map(brief)).toEqual(['b'])
  })

  test('ends when the reader leaves, waiting or not', async () => {
    const { feed } = openFeed()
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
    const { feed } = openFeed()
    const readers = Array.from({ length: 20 }, () => take(feed.follow({ matches: all, lastId: null }), 3))
    for (const word of 'abc') feed.add(word)
    for (const items of await Promise.all(readers)) expect(items.map(brief)).toEqual(['a', 'b', 'c'])
  })
})

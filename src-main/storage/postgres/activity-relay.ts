import type { ActivityRelay, RelayedItem } from '../activity-relay.ts'
import { createCoalescedPoll } from '../coalesced-poll.ts'
import type { Signals } from '../signals.ts'
import type { Row } from './connect.ts'
import { PerServer } from './per-server.ts'
import type { Pool } from './pool.ts'
import { fromStored, toStored } from './stored-text.ts'

/** Milliseconds between two batches of items, between two polls of those of others, and of who follows. */
const sendEvery = 250
const pollEvery = 1000
/** Milliseconds for which a follower is believed to follow, and for which items are kept. */
const followMs = 5000
const keptMs = 60_000
/** Batches that each poll reads again: they become visible in any order. */
const rereadBatches = 500
const mostWaiting = 1000
const topic = 'activity'

type Known = { seen: ReadonlySet<number> | null; newest: number }

/** Relays activity through tables. A crash of the database empties that of the followers, who say soon that they follow. */
export async function openActivityRelay(
  pool: Pool,
  signals: Signals,
  clock: () => number,
  onError: (error: unknown) => void,
): Promise<ActivityRelay & { close(): void }> {
  const followers = new Map<string, Set<(items: readonly RelayedItem[]) => void>>()
  let others: readonly string[] = []
  let waiting: { readonly node: string; readonly items: readonly RelayedItem[] }[] = []
  let sending: NodeJS.Timeout | undefined
  let isClosed = false
  /** The newest batches; null for those of a server that were not read yet. */
  const known = new PerServer((): Known => ({ seen: null, newest: 0 }))

  async function readFollowers(): Promise<void> {
    const now = clock()
    const own = [...followers.keys()]
    if (own.length > 0) await pool.query(follow, [own, now + followMs])
    others = (await pool.query(following, [now])).map(({ node }) => String(node))
  }

  async function readItems(): Promise<void> {
    for (const { node, items } of await readNew()) {
      const parsed: RelayedItem[] = JSON.parse(fromStored(String(items)))
      for (const [follower, listeners] of followers)
        if (follower !== node)
          for (const listener of listeners)
            try {
              listener(parsed)
            } catch (error) {
              onError(error)
            }
    }
  }

  /** Returns the batches that were not read yet; none of those that a server had before. */
  function readNew(): Promise<Row[]> {
    return pool.use(async connection => {
      const of = known.of(connection.server)
      const before = of.seen
      if (before === null) of.newest = Number((await connection.query(newestBatch))[0]?.number)
      const rows = await connection.query(batches, [of.newest - rereadBatches])
      const seen = new Set(rows.map(({ number }) => Number(number)))
      of.seen = seen
      of.newest = Math.max(of.newest, ...seen)
      return before === null ? [] : rows.filter(({ number }) => !before.has(Number(number)))
    })
  }

  const pollFollowers = createCoalescedPoll(readFollowers)
  const pollItems = createCoalescedPoll(async () => {
    if (followers.size > 0 && !isClosed) await readItems()
  })
  const stop = signals.on(topic, text => (text === 'items' ? pollItems() : pollFollowers()))
  const timer = setInterval(() => {
    pollFollowers()
    pollItems()
  }, pollEvery).unref()

  async function sendAll(): Promise<void> {
    sending = undefined
    const sent = waiting
    waiting = []
    const texts = sent.map(({ items }) => toStored(JSON.stringify(items)))
    await pool.query(send, [sent.map(({ node }) => node), texts, clock(), clock() - keptMs]).catch(() => {})
    signals.send(topic, 'items')
  }

  await readNew()
  return {
    isFollowed: node => others.some(other => other !== node),
    send(node, items) {
      if (isClosed || waiting.length >= mostWaiting) return
      waiting.push({ node, items })
      sending ??= setTimeout(() => void sendAll(), sendEvery)
    },
    follow(node, listener) {
      const call = (items: readonly RelayedItem[]) => listener(items)
      followers.set(node, (followers.get(node) ?? new Set()).add(call))
      const isFirst = followers.size === 1 && followers.get(node)?.size === 1
      const tell = createCoalescedPoll(async () => {
        // Others send to it from then on.
        if (isFirst) await readNew()
        await readFollowers()
        signals.send(topic, 'followers')
      })
      tell()
      return () => {
        const listeners = followers.get(node)
        listeners?.delete(call)
        if (listeners?.size !== 0) return
        followers.delete(node)
        pool.query('DELETE FROM activity_follower WHERE node = $1', [node]).then(
          () => signals.send(topic, 'followers'),
          () => {},
        )
      }
    },
    close() {
      isClosed = true
      stop()
      clearInterval(timer)
      clearTimeout(sending)
      followers.clear()
    },
  }
}

const follow = {
  name: 'follow_activity',
  text: `INSERT INTO activity_follower (node, until) SELECT one, $2 FROM unnest($1::text[]) AS one
    ON CONFLICT (node) DO UPDATE SET until = excluded.until`,
}
const following = { name: 'activity_followers', text: 'SELECT node FROM activity_follower WHERE until > $1' }
const newestBatch = {
  name: 'newest_activity',
  text: 'SELECT coalesce(max(number), 0) AS number FROM activity',
}
const batches = {
  name: 'activity',
  text: 'SELECT number, node, items FROM activity WHERE number > $1 ORDER BY number',
}
const send = {
  name: 'send_activity',
  text: `WITH d AS (DELETE FROM activity WHERE at < $4)
    INSERT INTO activity (node, items, at) SELECT u.*, $3 FROM unnest($1::text[], $2::text[]) AS u`,
}

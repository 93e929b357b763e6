import { createSerialQueue } from '#main/lib/serial-queue.ts'
import { createThrottle } from '#main/lib/throttle.ts'
import { createCoalescedPoll } from '../coalesced-poll.ts'
import type { Presence } from '../presence.ts'
import type { Signals } from '../signals.ts'
import type { Pool } from './pool.ts'
import { fromStored, toStored } from './stored-text.ts'

/** Milliseconds between two writes of what has changed. */
const writeEvery = 1000
/** Milliseconds between two times that a node says that it still shows a text, and polls those of others. */
const pollEvery = 5000
/** A node that has not said it for so many milliseconds has ended. */
const shownMs = 15_000
const keptMs = 3_600_000
const topicOfSignals = 'board'

type Shown = {
  readonly node: string
  readonly topic: string
  read: () => string | null
  written: string | null
}
/** The texts of nodes, and their versions, which hold on one server. */
type Texts = ReadonlyMap<string, { readonly version: unknown; readonly text: string }>
type Follower = {
  readonly node: string
  readonly topic: string
  readonly listener: (texts: readonly string[]) => void
  known: { readonly server: number; readonly texts: Texts }
}

/** Shows texts in a table that a crash of the database empties: the nodes write them again. */
export function createPresence(
  pool: Pool,
  signals: Signals,
  clock: () => number,
  onError: (error: unknown) => void,
): Presence & { close(): Promise<void> } {
  const shown = new Map<string, Shown>()
  const followers = new Set<Follower>()

  async function writeAll(): Promise<void> {
    for (const one of shown.values()) {
      const { node, topic, read } = one
      const text = read()
      if (text === null && one.written === null) continue
      if (text === null) await pool.query(hide, [node, topic])
      else await pool.query(show, [node, topic, toStored(text), clock(), clock() - keptMs])
      if (text !== one.written) signals.send(topicOfSignals, topic)
      one.written = text
    }
  }

  async function pollFor(follower: Follower): Promise<void> {
    const { node, topic, known } = follower
    let { server } = known
    const rows = await pool.query(others, of => {
      server = of
      const same: Texts = of === known.server ? known.texts : new Map()
      const versions = Array.from(same.values(), ({ version }) => version)
      return [node, topic, clock() - shownMs, [...same.keys()], versions]
    })
    const texts = new Map(
      rows.map(row => {
        const name = String(row.node)
        const text = row.doc === null ? (known.texts.get(name)?.text ?? '') : fromStored(String(row.doc))
        return [name, { version: row.version, text }]
      }),
    )
    const isSame = texts.size === known.texts.size && rows.every(({ doc }) => doc === null)
    follower.known = { server, texts }
    if (isSame || !followers.has(follower)) return
    try {
      follower.listener(Array.from(texts.values(), ({ text }) => text))
    } catch (error) {
      onError(error)
    }
  }

  const inTurn = createSerialQueue()
  const write = createCoalescedPoll(() => inTurn(writeAll))
  const throttle = createThrottle(writeEvery, write)
  const poll = createCoalescedPoll(async () => {
    for (const follower of followers) await pollFor(follower)
  })
  const stopSignals = signals.on(topicOfSignals, poll)
  const timer = setInterval(() => {
    write()
    poll()
  }, pollEvery).unref()

  return {
    show(node, topic, read) {
      const key = JSON.stringify([node, topic])
      const one = shown.get(key) ?? { node, topic, read, written: null }
      one.read = read
      shown.set(key, one)
      throttle.ask()
    },
    follow(node, topic, listener) {
      const follower: Follower = { node, topic, listener, known: { server: 0, texts: new Map() } }
      followers.add(follower)
      poll()
      return () => void followers.delete(follower)
    },
    async close() {
      stopSignals()
      clearInterval(timer)
      throttle.stop()
      followers.clear()
      const nodes = Array.from(shown.values(), ({ node }) => node)
      shown.clear()
      // Without the database, others see in a while that this one has ended.
      await inTurn(() => pool.query(hideAll, [nodes])).then(
        () => signals.send(topicOfSignals, ''),
        () => {},
      )
    },
  }
}

const show = {
  name: 'show',
  text: `WITH d AS (DELETE FROM board WHERE at < $5)
    INSERT INTO board AS b (node, topic, doc, at) VALUES ($1, $2, $3, $4) ON CONFLICT (topic, node) DO UPDATE SET
      doc = excluded.doc, at = excluded.at,
      version = CASE WHEN b.doc = excluded.doc THEN b.version ELSE nextval('board_version') END`,
}
const hide = { name: 'hide', text: 'DELETE FROM board WHERE node = $1 AND topic = $2' }
const hideAll = { name: 'hide_all', text: 'DELETE FROM board WHERE node = ANY ($1::text[])' }
/** The texts of other nodes than $1; null for those that are known in the version of $5. */
const others = {
  name: 'shown_by_others',
  text: `SELECT b.node, b.version, CASE WHEN b.version = k.version THEN NULL ELSE b.doc END AS doc
    FROM board AS b LEFT JOIN unnest($4::text[], $5::bigint[]) AS k(node, version) ON k.node = b.node
    WHERE b.node <> $1 AND b.topic = $2 AND b.at > $3`,
}

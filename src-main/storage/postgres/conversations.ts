import { createBus } from '#main/lib/bus.ts'
import { createCoalescedPoll } from '../coalesced-poll.ts'
import type {
  ChangedConversation,
  ConversationItem,
  ConversationQuery,
  ConversationStore,
  ReadConversation,
  StoredConversation,
} from '../conversations.ts'
import { tables } from '../rows/tables.ts'
import type { Signals } from '../signals.ts'
import type { Connection, Row } from './connect.ts'
import { PerServer } from './per-server.ts'
import type { Pool } from './pool.ts'
import { postgresRow } from './row-codec.ts'
import { escapedPart, toStored, toStoredOrNull } from './stored-text.ts'

/** Milliseconds between two polls of what other nodes have changed. */
const pollEvery = 1000
/** Changes that are kept for those polls, and that each reads again: they become visible in any order. */
const keptChanges = 4000
const rereadChanges = 1000
/** Bytes of conversations that one page of a search reads, and rows that are read at once. */
const searchBytes = 32 * 1024 * 1024
const chunkRows = 100
const topic = 'conversations'

/** The numbers of the newest changes that this node has published, and the highest that it has read. */
type Known = { published: Set<number>; newest: number | null }

/**
 * Opens the conversations in a database.
 *
 * @param slowPool for deletions that may take long.
 * @throws ServiceError `storage_unavailable`.
 */
export async function openConversations(
  pool: Pool,
  signals: Signals,
  clock: () => number,
  onError: (error: unknown) => void,
  slowPool = pool,
): Promise<ConversationStore & { close(): void }> {
  const changes = createBus<ChangedConversation>(onError)
  const known = new PerServer((): Known => ({ published: new Set(), newest: null }))
  let isOpen = false

  async function readChanges(): Promise<void> {
    const rows = await pool.use(async connection => {
      const of = known.of(connection.server)
      const { published, newest } = of
      const rows = await connection.query(newest === null ? newestChanges : changesAfter, [
        newest === null ? rereadChanges : newest - rereadChanges,
      ])
      of.published = new Set(rows.map(({ seq }) => Number(seq)))
      of.newest = Math.max(newest ?? 0, ...of.published)
      // Those that another server has missed are undone: the earlier ones hold again.
      return rows.filter(({ seq }) => !published.has(Number(seq)))
    })
    if (!isOpen) return
    for (const { conversation, updated } of rows)
      changes.publish({ number: Number(conversation), updated: updated === null ? null : Number(updated) })
  }
  await readChanges()
  isOpen = true
  const poll = createCoalescedPoll(readChanges)
  const stop = signals.on(topic, poll)
  const timer = setInterval(() => {
    if (changes.hasListeners()) poll()
  }, pollEvery).unref()

  /** Runs a transaction and publishes what it has changed. */
  async function change<Result>(
    act: (
      connection: Connection,
    ) => Promise<{ readonly result: Result; readonly changed: readonly ChangedConversation[] }>,
    using = pool,
  ): Promise<Result> {
    const { result, changed, seqs, server } = await using.repeatable(async connection => {
      const done = { ...(await act(connection)), server: connection.server }
      if (done.changed.length === 0) return { ...done, seqs: [] }
      const rows = await connection.query(logChanges, [
        done.changed.map(({ number }) => number),
        done.changed.map(({ updated }) => updated),
      ])
      const seqs = rows.map(({ seq }) => Number(seq))
      if (seqs.some(seq => seq % 256 === 0))
        await connection.query('DELETE FROM conversation_change WHERE seq <= $1', [
          Math.max(...seqs) - keptChanges,
        ])
      return { ...done, seqs }
    })
    for (const seq of seqs) known.of(server).published.add(seq)
    for (const one of changed) changes.publish(one)
    if (changed.length > 0) signals.send(topic, '')
    return result
  }

  const gone = (rows: readonly Row[]) => rows.map(({ number }) => ({ number: Number(number), updated: null }))

  async function list({ workspaceId, text, before, limit }: ConversationQuery) {
    const conversations: ReadConversation[] = []
    const isPlain = text?.isWellFormed() && !text.includes('\0')
    const needles = text === undefined ? [null, null] : [isPlain ? text : null, escapedPart(text)]
    let last: number | null = null
    let left = text === undefined ? Number.MAX_SAFE_INTEGER : searchBytes
    for (let below = before ?? Number.MAX_SAFE_INTEGER; ; ) {
      const values = [
        below,
        toStoredOrNull(workspaceId),
        text !== undefined,
        ...needles,
        left,
        chunkRows,
        clock(),
      ]
      const rows = await pool.query(page, values)
      for (const row of rows) {
        if (conversations.length === limit) return { conversations, nextBefore: last }
        last = below = Number(row.updated)
        left -= Number(row.bytes)
        if (row.is_found === true) conversations.push(conversationOf(row))
      }
      if (rows.length === 0 || (rows.length < chunkRows && rows.at(-1)?.is_last === true))
        return { conversations, nextBefore: null }
      if (left < 0) return { conversations, nextBefore: last }
    }
  }

  return {
    changes,
    writeEveryMs: 200,
    create: (conversation, { mostPerWorkspace, mostBytes, oldest }) =>
      change(async connection => {
        const { number, workspaceId, updated } = conversation
        await connection.query(insert, [number, workspaceId, ...textsOf(conversation)])
        const values = [workspaceId, mostPerWorkspace, mostBytes, oldest]
        const rows = await connection.query(beyondBounds, values)
        await remove(connection, rows)
        return { result: undefined, changed: [{ number, updated }, ...gone(rows)] }
      }),
    write: ({ conversation, keepMessages, items }, expected) =>
      change<'written' | 'changed' | 'gone'>(async connection => {
        const { number, updated } = conversation
        const written = await connection.query(update, [number, expected, ...textsOf(conversation)])
        if (written.length === 0) {
          const known = await connection.query('SELECT 1 FROM conversation WHERE number = $1', [number])
          return { result: known.length > 0 ? 'changed' : 'gone', changed: [] }
        }
        await connection.query(cut, [number, keepMessages])
        if (items.length > 0) await connection.query(put, [number, ...columnsOf(items)])
        return { result: 'written', changed: [{ number, updated }] }
      }),
    list,
    async get(number) {
      // Both in one statement, so that they are of one moment.
      const rows = await pool.query(get, [number, clock()])
      const [first] = rows
      if (first === undefined) return null
      const items = rows
        .filter(({ message }) => message !== null)
        .map(row => readItem({ ...row, body: row.item_body, text: row.item_text }))
      return { conversation: conversationOf(first), items }
    },
    remove: number =>
      change(async connection => {
        const rows = await remove(connection, [{ number }])
        return { result: rows.length > 0, changed: gone(rows) }
      }),
    keepOnly: workspaceIds =>
      change(async connection => {
        const rows = await connection.query(
          'SELECT number FROM conversation WHERE workspace <> ALL ($1::text[]) ORDER BY number FOR UPDATE',
          [workspaceIds],
        )
        return { result: undefined, changed: gone(await remove(connection, rows)) }
      }, slowPool),
    async own(number, owner, leaseMs) {
      const now = clock()
      await pool.query(own, [number, owner, now + leaseMs, now])
    },
    async disown(number, owner) {
      await pool.query('DELETE FROM conversation_owner WHERE conversation = $1 AND owner = $2', [
        number,
        owner,
      ])
    },
    close() {
      stop()
      clearInterval(timer)
    },
  }
}

/** Deletes conversations. Returns those that existed. */
async function remove(connection: Connection, rows: readonly Row[]): Promise<Row[]> {
  const numbers = rows.map(({ number }) => number)
  if (numbers.length === 0) return []
  // First what a write locks first.
  await connection.query(
    'SELECT FROM conversation WHERE number = ANY ($1::bigint[]) ORDER BY number FOR UPDATE',
    [numbers],
  )
  await connection.query('DELETE FROM conversation_item WHERE conversation = ANY ($1::bigint[])', [numbers])
  await connection.query('DELETE FROM conversation_owner WHERE conversation = ANY ($1::bigint[])', [numbers])
  return connection.query('DELETE FROM conversation WHERE number = ANY ($1::bigint[]) RETURNING number', [
    numbers,
  ])
}

const textsOf = ({ updated, bytes, head, text }: StoredConversation) => [
  updated,
  bytes,
  toStored(head),
  toStored(text),
]

const columnsOf = (items: readonly ConversationItem[]) => [
  items.map(({ message }) => message),
  items.map(({ part }) => part),
  items.map(({ body }) => toStored(body)),
  items.map(({ text }) => toStored(text)),
]

const { read: readConversation } = postgresRow(tables.conversations)
const { conversation: _, ...itemColumns } = tables.conversationItems
const { read: readItem } = postgresRow(itemColumns)

function conversationOf(row: Row): ReadConversation {
  const { workspace: workspaceId, ...others } = readConversation(row)
  return { ...others, workspaceId, owners: Array.isArray(row.owners) ? row.owners.map(String) : [] }
}

const insert = {
  name: 'insert_conversation',
  text: 'INSERT INTO conversation (number, workspace, updated, bytes, head, text) VALUES ($1, $2, $3, $4, $5, $6)',
}
const update = {
  name: 'update_conversation',
  text: `UPDATE conversation SET updated = $3, bytes = $4, head = $5, text = $6
    WHERE number = $1 AND updated = $2 RETURNING number`,
}
const cut = {
  name: 'cut_conversation',
  text: 'DELETE FROM conversation_item WHERE conversation = $1 AND message >= $2',
}
const put = {
  name: 'put_conversation_items',
  text: `INSERT INTO conversation_item (conversation, message, part, body, text)
    SELECT $1, * FROM unnest($2::int[], $3::int[], $4::text[], $5::text[])
    ON CONFLICT (conversation, message, part) DO UPDATE SET body = excluded.body, text = excluded.text`,
}
const beyondBounds = `
  SELECT number FROM conversation WHERE updated < $4
  UNION SELECT number FROM (SELECT number FROM conversation WHERE workspace = $1 ORDER BY updated DESC OFFSET $2) AS w
  UNION SELECT number FROM (SELECT number, sum(bytes) OVER (ORDER BY updated DESC) AS total FROM conversation) AS b
    WHERE total > $3`
const owners = (now: string) => `ARRAY(SELECT owner FROM conversation_owner AS o
    WHERE o.conversation = c.number AND o.leased_until > ${now}::bigint ORDER BY owner) AS owners`
const contains = (text: string) =>
  `CASE WHEN starts_with(${text}, chr(1)) THEN strpos(${text}, $5) > 0 ELSE coalesce(strpos(${text}, $4) > 0, false) END`
const page = {
  name: 'list_conversations',
  text: `SELECT c.*, ${owners('$8')}, NOT $3::boolean OR ${contains('c.text')} OR EXISTS (
      SELECT FROM conversation_item AS i WHERE i.conversation = c.number AND ${contains('i.text')}) AS is_found
    FROM (
      SELECT *, sum(bytes) OVER (ORDER BY updated DESC) AS upto,
        row_number() OVER (ORDER BY updated DESC) = count(*) OVER () AS is_last
      FROM (SELECT * FROM conversation WHERE updated < $1 AND ($2::text IS NULL OR workspace = $2)
        ORDER BY updated DESC LIMIT $7) AS r) AS c
    WHERE upto - bytes <= $6 ORDER BY updated DESC`,
}
const get = {
  name: 'conversation',
  text: `SELECT c.*, ${owners('$2')}, i.message, i.part, i.body AS item_body, i.text AS item_text
    FROM conversation AS c LEFT JOIN conversation_item AS i ON i.conversation = c.number
    WHERE c.number = $1 ORDER BY i.message, i.part`,
}
const own = {
  name: 'own_conversation',
  text: `WITH d AS (DELETE FROM conversation_owner WHERE leased_until <= $4 AND (conversation, owner) <> ($1, $2))
    INSERT INTO conversation_owner (conversation, owner, leased_until) VALUES ($1, $2, $3)
    ON CONFLICT (conversation, owner) DO UPDATE SET leased_until = excluded.leased_until`,
}
const logChanges = {
  name: 'log_conversations',
  text: `INSERT INTO conversation_change (conversation, updated)
    SELECT * FROM unnest($1::bigint[], $2::bigint[]) RETURNING seq`,
}
const newestChanges = 'SELECT seq FROM conversation_change ORDER BY seq DESC LIMIT $1'
const changesAfter = {
  name: 'conversation_changes',
  text: 'SELECT seq, conversation, updated FROM conversation_change WHERE seq > $1 ORDER BY seq',
}

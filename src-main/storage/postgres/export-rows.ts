import { partNames } from '../local/config-file-schema.ts'
import type { RowBatch, Rows } from '../rows/row-batches.ts'
import type { Connection, Row } from './connect.ts'
import { handedBack } from './run-reader.ts'
import { fromStored } from './stored-text.ts'

/** A batch ends with about one of these. How large its rows are is only known once it was fetched. */
const mostRows = 100
const mostSize = 256 * 1024

/**
 * Yields everything in a database, as of one moment.
 *
 * @param connect waits for longer than usual: the server sorts whole tables first.
 * @throws ServiceError `storage_unavailable`; errors of the connection.
 */
export async function* exportRows(connect: () => Promise<Connection>): AsyncGenerator<RowBatch> {
  const connection = await connect()
  try {
    await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    // The reader of the rows may be slow.
    await connection.query('SET LOCAL idle_in_transaction_session_timeout = 0')
    yield* read(connection, config, configOf, rows => ({ config: rows }))
    yield* read(
      connection,
      'SELECT greatest(newest_seq, (SELECT max(hidden_up_to) FROM connection)) AS newest_seq FROM event_log',
      row => ({ newestSeq: Number(row.newest_seq) }),
      rows => ({ log: rows }),
    )
    yield* read(connection, events, eventOf, rows => ({ events: rows }))
    yield* read(connection, fanOuts, fanOutOf, rows => ({ fanOuts: rows }))
    yield* read(connection, runs, runOf, rows => ({ runs: rows }))
    yield* read(connection, 'SELECT * FROM run_step ORDER BY place', stepOf, rows => ({ steps: rows }))
    yield* read(connection, 'SELECT * FROM kept_key ORDER BY digest', keyOf, rows => ({ keys: rows }))
    const occurrences = 'SELECT * FROM occurrence ORDER BY number'
    yield* read(connection, occurrences, occurrenceOf, rows => ({ occurrences: rows }))
    const conversations = 'SELECT * FROM conversation ORDER BY number'
    yield* read(connection, conversations, conversationOf, rows => ({ conversations: rows }))
    yield* read(connection, items, itemOf, rows => ({ conversationItems: rows }))
    yield* read(connection, 'SELECT * FROM knowledge_file ORDER BY number', fileOf, rows => ({ files: rows }))
    yield* read(connection, pieces, pieceOf, rows => ({ pieces: rows }))
    yield* read(connection, passages, passageOf, rows => ({ passages: rows }))
  } finally {
    connection.end()
  }
}

/** Yields the rows of a query in batches. */
async function* read<Read>(
  connection: Connection,
  query: string,
  toRow: (row: Row) => Read,
  toBatch: (rows: readonly Read[]) => RowBatch,
): AsyncGenerator<RowBatch> {
  await connection.query(`DECLARE rows NO SCROLL CURSOR FOR ${query}`)
  for (let count = 16; ; ) {
    const rows = await connection.query(`FETCH ${count} FROM rows`)
    if (rows.length > 0) yield toBatch(rows.map(toRow))
    if (rows.length < count) break
    const size = rows.reduce((sum, row) => sum + sizeOf(row), 0)
    count = Math.max(1, Math.min(mostRows, Math.floor((count * mostSize) / Math.max(size, 1))))
  }
  await connection.query('CLOSE rows')
}

function sizeOf(row: Row): number {
  let size = 0
  for (const value of Object.values(row))
    if (typeof value === 'string' || value instanceof Uint8Array) size += value.length
    else if (Array.isArray(value)) size += value.length * 32
  return size
}

const text = (value: unknown): string => fromStored(String(value))
const textOrNull = (value: unknown): string | null => (value === null ? null : text(value))
const numberOrNull = (value: unknown): number | null => (value === null ? null : Number(value))
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const kinds = partNames.map(name => `'${name}'`).join(', ')
const config = `SELECT kind, doc, token_use.at FROM config_part
    LEFT JOIN token_use ON kind = 'clientTokens' AND token = id
  WHERE doc IS NOT NULL ORDER BY coalesce(array_position(ARRAY[${kinds}], kind), 0), place`

function configOf({ kind, doc, at }: Row): Rows['config'] {
  const part = partNames.find(name => name === kind)
  if (part !== undefined) return { part, json: at === null ? String(doc) : usedAt(String(doc), Number(at)) }
  const { journal: _, ...head }: Record<string, unknown> = JSON.parse(String(doc))
  return { part: 'head', json: JSON.stringify(head) }
}

/** Returns a client token with its last use. @param at milliseconds since 1970. */
function usedAt(doc: string, at: number): string {
  const token: Record<string, unknown> = JSON.parse(doc)
  // It has the last use of before the import, or none.
  if (Date.parse(String(token.lastUsedAt)) >= at) return doc
  return JSON.stringify({ ...token, lastUsedAt: new Date(at).toISOString() })
}

const events = `SELECT event.*, key FROM event JOIN connection AS c ON c.id = event.connection
  WHERE seq > hidden_up_to ORDER BY seq`

function eventOf(row: Row): Rows['events'] {
  return {
    seq: Number(row.seq),
    connection: text(row.key),
    name: text(row.name),
    receivedAt: Number(row.received_at),
    flags: Number(row.flags),
    replayOf: row.replay_of === null ? null : String(row.replay_of),
    duplicateOf: numberOrNull(row.duplicate_of),
    headers: text(row.headers),
    body: text(row.body),
  }
}

/** Whether a run of a fan-out was not begun. */
const isPending = (run: string) => `(${run}.is_fanned AND ${run}.state = 0 AND ${run}.attempt = 0)`
const fanOuts = `SELECT b.id, b.runs, b.data, r.*
  FROM (SELECT DISTINCT body FROM run WHERE ${isPending('run')}) AS p JOIN run_body AS b ON b.id = p.body
    CROSS JOIN LATERAL (
      SELECT array_agg(run.id - b.id ORDER BY run.id) AS indexes, array_agg(workflow ORDER BY run.id) AS workflows,
        array_agg(run.id - b.id ORDER BY run.id) FILTER (WHERE ${isPending('run')}) AS pending,
        min(event) AS event, min(workspace) AS workspace, min(connection) AS connection, min(queued_at) AS queued_at,
        min(summary) AS summary
      FROM run WHERE run.id >= b.id AND run.id < b.id + b.runs) AS r
  ORDER BY b.id`

function fanOutOf(row: Row): Rows['fanOuts'] {
  const names = new Map(listOf(row.indexes).map((index, at) => [Number(index), listOf(row.workflows)[at]]))
  return {
    id: Number(row.id),
    workflows: Array.from({ length: Number(row.runs) }, (_, index) => text(names.get(index) ?? '')),
    pending: listOf(row.pending).map(Number),
    event: numberOrNull(row.event),
    workspace: text(row.workspace),
    connection: text(row.connection),
    queuedAt: Number(row.queued_at),
    summary: text(row.summary),
    data: textOrNull(row.data),
  }
}

const runs = `SELECT run.*, b.data, own.steps FROM run
    LEFT JOIN run_body AS b ON b.id = run.body LEFT JOIN run_body AS own ON own.id = run.id
  WHERE NOT ${isPending('run')} ORDER BY run.place`

function runOf(row: Row): Rows['runs'] {
  return {
    id: Number(row.id),
    workflow: text(row.workflow),
    workspace: text(row.workspace),
    connection: text(row.connection),
    event: numberOrNull(row.event),
    lane: text(row.lane),
    state: Number(row.state),
    dueAt: row.due_at === handedBack ? 0 : Number(row.due_at),
    attempt: Number(row.attempt),
    queuedAt: Number(row.queued_at),
    startedAt: numberOrNull(row.started_at),
    endedAt: numberOrNull(row.ended_at),
    error: textOrNull(row.error),
    summary: text(row.summary),
    data: textOrNull(row.data),
    steps: textOrNull(row.steps),
  }
}

function stepOf(row: Row): Rows['steps'] {
  return {
    run: Number(row.run),
    path: text(row.path),
    type: text(row.type),
    attempt: Number(row.attempt),
    startedAt: Number(row.started_at),
    endedAt: numberOrNull(row.ended_at),
    error: textOrNull(row.error),
    call: textOrNull(row.call),
    input: textOrNull(row.input),
    output: textOrNull(row.output),
    isCut: row.is_cut === true,
    absent: text(row.absent),
  }
}

function keyOf(row: Row): Rows['keys'] {
  return {
    digest: String(row.digest),
    scope: text(row.scope),
    expiresAt: Number(row.expires_at),
    run: numberOrNull(row.run),
  }
}

function occurrenceOf(row: Row): Rows['occurrences'] {
  return {
    number: Number(row.number),
    kind: String(row.kind),
    connection: text(row.connection),
    subject: text(row.subject),
    at: Number(row.at),
    finding: textOrNull(row.finding),
    summary: text(row.summary),
    details: text(row.details),
  }
}

function conversationOf(row: Row): Rows['conversations'] {
  return {
    number: Number(row.number),
    workspace: String(row.workspace),
    updated: Number(row.updated),
    bytes: Number(row.bytes),
    head: text(row.head),
    text: text(row.text),
  }
}

const items = 'SELECT * FROM conversation_item ORDER BY conversation, message, part'

function itemOf(row: Row): Rows['conversationItems'] {
  return {
    conversation: Number(row.conversation),
    message: Number(row.message),
    part: Number(row.part),
    body: text(row.body),
    text: text(row.text),
  }
}

function fileOf(row: Row): Rows['files'] {
  return {
    id: text(row.id),
    workspace: text(row.workspace),
    agent: text(row.agent),
    name: text(row.name),
    sha256: String(row.sha256),
    bytes: Number(row.bytes),
    file: String(row.file),
  }
}

const pieces = `SELECT f.id, p.bytes FROM knowledge_piece AS p JOIN knowledge_file AS f ON f.number = p.file
  ORDER BY p.file, p.piece`

function pieceOf({ id, bytes }: Row): Rows['pieces'] {
  if (!(bytes instanceof Uint8Array)) throw new TypeError('A piece of a file is not bytes.')
  return { file: text(id), bytes }
}

const passages = `SELECT f.id, p.number, p.first, p.last, p.text
  FROM knowledge_passage AS p JOIN knowledge_file AS f ON f.number = p.file ORDER BY p.file, p.number`

function passageOf(row: Row): Rows['passages'] {
  return {
    file: text(row.id),
    number: Number(row.number),
    first: Number(row.first),
    last: Number(row.last),
    text: text(row.text),
  }
}

import { partNames } from '../local/config-file-schema.ts'
import { batchOf, type RowBatch, sizeOf } from '../rows/row-batches.ts'
import { type Rows, tables } from '../rows/tables.ts'
import type { Connection, Row } from './connect.ts'
import { postgresRow } from './row-codec.ts'
import { handedBack } from './run-row.ts'
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
  /** Yields the rows of a query in batches. */
  async function* read<Table extends keyof Rows>(
    table: Table,
    query: string,
    toRow: (row: Row) => Rows[Table],
  ): AsyncGenerator<RowBatch> {
    await connection.query(`DECLARE rows NO SCROLL CURSOR FOR ${query}`)
    for (let count = 16; ; ) {
      const rows = await connection.query(`FETCH ${count} FROM rows`)
      if (rows.length > 0) yield batchOf(table, rows.map(toRow))
      if (rows.length < count) break
      const size = rows.reduce((sum, row) => sum + sizeOf(row), 0)
      count = Math.max(1, Math.min(mostRows, Math.floor((count * mostSize) / Math.max(size, 1))))
    }
    await connection.query('CLOSE rows')
  }
  const all = (table: string, order: string) => `SELECT * FROM ${table} ORDER BY ${order}`
  try {
    await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    // The reader of the rows may be slow.
    await connection.query('SET LOCAL idle_in_transaction_session_timeout = 0')
    yield* read('config', config, configOf)
    yield* read('log', log, postgresRow(tables.log).read)
    yield* read('events', events, postgresRow(tables.events).read)
    yield* read('fanOuts', fanOuts, fanOutOf)
    yield* read('runs', runs, runOf)
    yield* read('steps', all('run_step', 'place'), postgresRow(tables.steps).read)
    yield* read('keys', all('kept_key', 'digest'), postgresRow(tables.keys).read)
    yield* read('occurrences', all('occurrence', 'number'), postgresRow(tables.occurrences).read)
    yield* read('conversations', all('conversation', 'number'), postgresRow(tables.conversations).read)
    const items = all('conversation_item', 'conversation, message, part')
    yield* read('conversationItems', items, postgresRow(tables.conversationItems).read)
    const hours = all('hour_count', 'connection, hour, node')
    yield* read('hourCounts', hours, postgresRow(tables.hourCounts).read)
    yield* read('alerts', all('alert', 'number'), postgresRow(tables.alerts).read)
    yield* read('files', all('knowledge_file', 'number'), postgresRow(tables.files).read)
    yield* read('pieces', pieces, postgresRow(tables.pieces).read)
    yield* read('passages', passages, postgresRow(tables.passages).read)
  } finally {
    connection.end()
  }
}

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

const log =
  'SELECT greatest(newest_seq, (SELECT max(hidden_up_to) FROM connection)) AS newest_seq FROM event_log'

const events = `SELECT seq, key AS connection, name, received_at, flags, replay_of, duplicate_of, headers, body
  FROM event JOIN connection AS c ON c.id = event.connection WHERE seq > hidden_up_to ORDER BY seq`

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
const { read: readFanOut } = postgresRow(tables.fanOuts)

function fanOutOf(stored: Row): Rows['fanOuts'] {
  const names = listOf(stored.workflows).map(name => fromStored(String(name)))
  const byIndex = new Map(listOf(stored.indexes).map((index, at) => [Number(index), names[at]]))
  return {
    ...readFanOut(stored),
    workflows: Array.from({ length: Number(stored.runs) }, (_, index) => byIndex.get(index) ?? ''),
    pending: listOf(stored.pending).map(Number),
  }
}

const runs = `SELECT run.*, b.data, own.steps FROM run
    LEFT JOIN run_body AS b ON b.id = run.body LEFT JOIN run_body AS own ON own.id = run.id
  WHERE NOT ${isPending('run')} ORDER BY run.place`
const { read: readRun } = postgresRow(tables.runs)

function runOf(stored: Row): Rows['runs'] {
  const run = readRun(stored)
  return run.dueAt === handedBack ? { ...run, dueAt: 0 } : run
}

const pieces = `SELECT f.id AS file, p.bytes FROM knowledge_piece AS p JOIN knowledge_file AS f ON f.number = p.file
  ORDER BY p.file, p.piece`

const passages = `SELECT f.id AS file, p.number, p.first, p.last, p.text
  FROM knowledge_passage AS p JOIN knowledge_file AS f ON f.number = p.file ORDER BY p.file, p.number`

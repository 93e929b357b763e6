import { partNames } from '../local/config-file-schema.ts'
import type { Columns, RowOf } from '../rows/columns.ts'
import { inBatches, type RowBatch, sizeOf } from '../rows/row-batches.ts'
import { type Rows, tables } from '../rows/tables.ts'
import type { Connection, Row } from './connect.ts'
import { endedRunsOf } from './fan-out-reader.ts'
import { endInSql, isOfSameMsInSql, leastGap, nthInSql, withoutGapFrom } from './ids.ts'
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
  /** Yields what `toRows` makes of the rows of a query in batches. */
  async function* read<Table extends keyof Rows>(
    table: Table,
    query: string,
    toRows: (row: Row) => Iterable<Rows[Table]>,
  ): AsyncGenerator<RowBatch> {
    await connection.query(`DECLARE rows NO SCROLL CURSOR FOR ${query}`)
    for (let count = 16; ; ) {
      const rows = await connection.query(`FETCH ${count} FROM rows`)
      yield* inBatches(table, eachOf(rows, toRows))
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
    yield* read('config', config, row => [configOf(row)])
    yield* read('log', log, rowOf(tables.log))
    yield* read('events', events, rowOf(tables.events))
    yield* read('fanOuts', fanOuts, waitingFanOuts)
    yield* read('runs', runs, row => [runOf(row)])
    yield* read('runs', endedTogether, endedRuns)
    yield* read('steps', all('run_step', 'place'), rowOf(tables.steps))
    yield* read('keys', all('kept_key', 'digest'), rowOf(tables.keys))
    yield* read('occurrences', all('occurrence', 'number'), rowOf(tables.occurrences))
    yield* read('conversations', all('conversation', 'number'), rowOf(tables.conversations))
    const items = all('conversation_item', 'conversation, message, part')
    yield* read('conversationItems', items, rowOf(tables.conversationItems))
    const hours = all('hour_count', 'connection, hour, node')
    yield* read('hourCounts', hours, rowOf(tables.hourCounts))
    yield* read('alerts', all('alert', 'number'), rowOf(tables.alerts))
    yield* read('files', all('knowledge_file', 'number'), rowOf(tables.files))
    yield* read('pieces', pieces, rowOf(tables.pieces))
    yield* read('passages', passages, rowOf(tables.passages))
  } finally {
    connection.end()
  }
}

function* eachOf<Read>(rows: readonly Row[], toRows: (row: Row) => Iterable<Read>): Generator<Read> {
  for (const row of rows) yield* toRows(row)
}

/** Returns what reads a row of a table that has one for each. */
function rowOf<Table extends Columns>(table: Table): (row: Row) => RowOf<Table>[] {
  const { read } = postgresRow(table)
  return row => [read(row)]
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
/** Those whose runs are rows, with all of their ids that are known, and those that are to be decided. */
const fanOuts = `
  SELECT b.id, b.runs, b.data, r.*
  FROM (SELECT DISTINCT body FROM run WHERE ${isPending('run')}) AS p JOIN run_body AS b ON b.id = p.body
    CROSS JOIN LATERAL (
      SELECT array_agg(run.id ORDER BY run.id) AS ids, array_agg(workflow ORDER BY run.id) AS workflows,
        array_agg(run.id ORDER BY run.id) FILTER (WHERE ${isPending('run')}) AS pending,
        min(event) AS event, min(workspace) AS workspace, min(connection) AS connection, min(queued_at) AS queued_at,
        min(summary) AS summary
      FROM run WHERE run.id >= b.id AND run.id < ${endInSql('b.id', 'b.runs')}
        AND (run.body = b.id OR run.id < b.id + b.runs AND ${isOfSameMsInSql('b.id', 'run.id')})) AS r
  UNION ALL
  SELECT f.id, f.runs, f.data, n.ids, l.workflows, n.pending, f.event, l.workspace, f.connection, f.queued_at, f.summary
  FROM fan_out AS f JOIN run_list AS l ON l.id = f.list CROSS JOIN LATERAL (
    SELECT array_agg(o.id ORDER BY nth) AS ids, array_agg(o.id ORDER BY nth) FILTER (WHERE NOT nth = ANY (f.gone)) AS pending
    FROM generate_series(0, f.runs - 1) AS g(nth) CROSS JOIN LATERAL (SELECT ${nthInSql('f.id', 'nth')} AS id) AS o) AS n
  WHERE f.ended_at IS NULL
  ORDER BY id`
const { read: readFanOut } = postgresRow(tables.fanOuts)

/** Yields the runs of a fan-out that wait, those whose ids follow each other as a fan-out of their own. */
function* waitingFanOuts(stored: Row): Generator<Rows['fanOuts']> {
  const [first, runs] = [Number(stored.id), Number(stored.runs)]
  const pending = new Set(listOf(stored.pending).map(Number))
  const names = listOf(stored.workflows).map(name => fromStored(String(name)))
  const parts: { readonly id: number; readonly byId: Map<number, string>; last: number }[] = []
  for (const [index, run] of listOf(stored.ids).map(Number).entries()) {
    const last = parts.at(-1)
    const isNext = run - (last?.last ?? first) < leastGap
    const part =
      isNext && last !== undefined ? last : { id: isNext ? first : run, byId: new Map(), last: run }
    if (part !== last) parts.push(part)
    part.byId.set(run, names[index] ?? '')
    part.last = run
  }
  for (const { id, byId, last } of parts) {
    const length = Math.max(last - id + 1, id === first ? Math.min(runs, withoutGapFrom(first)) : 0)
    const indexes = Array.from({ length }, (_, index) => index)
    const fanOut = {
      ...readFanOut({ ...stored, id }),
      workflows: indexes.map(index => byId.get(id + index) ?? ''),
      pending: indexes.filter(index => pending.has(id + index)),
    }
    if (fanOut.pending.length > 0) yield fanOut
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

/** Yields one after another: each has a copy of the data. */
function* endedRuns(stored: Row): Generator<Rows['runs']> {
  for (const run of endedRunsOf(stored)) yield readRun(run)
}
const endedTogether = `SELECT f.*, l.workspace, l.workflows FROM fan_out AS f JOIN run_list AS l ON l.id = f.list
  WHERE f.ended_at IS NOT NULL ORDER BY f.id`

const pieces = `SELECT f.id AS file, p.bytes FROM knowledge_piece AS p JOIN knowledge_file AS f ON f.number = p.file
  ORDER BY p.file, p.piece`

const passages = `SELECT f.id AS file, p.number, p.first, p.last, p.text
  FROM knowledge_passage AS p JOIN knowledge_file AS f ON f.number = p.file ORDER BY p.file, p.number`

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { messageOf } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import { inBatches, type RowBatch } from '../../rows/row-batches.ts'
import { fromStored, integer, StoredValueError } from '../../rows/stored-text.ts'
import { type Rows, tables } from '../../rows/tables.ts'
import { partNames, schemaVersion } from '../config-file-schema.ts'
import { allMigrations, migrate } from '../migrate.ts'
import { entriesOf } from '../sqlite/fan-out-list.ts'
import { type DatabaseSchema, openOwnDatabase } from '../sqlite/own-database.ts'
import { sqliteRow } from '../sqlite/row-codec.ts'
import { eventLogSchema, historySchema, knowledgeSchema } from '../sqlite/schemas.ts'
import { wholeRuns } from '../sqlite/shared-texts.ts'

type Row = Readonly<Record<string, unknown>>

/**
 * Yields everything in the files of a backup, under their names in it. No service may run on them: databases of an
 * earlier version are brought to this one.
 *
 * @param onUnreadable receives the name of the table of each row that cannot be read and is left out.
 * @throws ServiceError `damaged_backup` if a file cannot be read.
 */
export async function* readRows(
  folder: string,
  onUnreadable: (table: keyof Rows) => void,
): AsyncGenerator<RowBatch> {
  yield* inBatches('config', await configRows(join(folder, 'config.json')))
  const readerOf =
    (database: DatabaseSync) =>
    <Table extends keyof Rows>(table: Table, sql: string, toRow: (row: Row) => Rows[Table] | null) => {
      const rows = database.prepare(sql).iterate()
      return inBatches(
        table,
        readable(rows, toRow, () => onUnreadable(table)),
      )
    }
  yield* fromDatabase(join(folder, 'events.sqlite'), eventLogSchema, function* (database) {
    const read = readerOf(database)
    yield* read('log', 'SELECT newest_seq FROM log', sqliteRow(tables.log).read)
    yield* read('events', eventsSql, sqliteRow(tables.events).read)
    yield* read('fanOuts', 'SELECT * FROM fan_outs ORDER BY id', fanOutReader(database))
    yield* read('runs', `${wholeRuns} ORDER BY id`, sqliteRow(tables.runs).read)
    yield* read('steps', 'SELECT * FROM run_steps ORDER BY rowid', sqliteRow(tables.steps).read)
    yield* read('keys', 'SELECT * FROM kept_keys ORDER BY id', sqliteRow(tables.keys).read)
  })
  yield* fromDatabase(join(folder, 'history.sqlite'), historySchema, function* (database) {
    const read = readerOf(database)
    const conversations = 'SELECT * FROM conversations ORDER BY number'
    const items = 'SELECT * FROM conversation_items ORDER BY conversation, message, part'
    yield* read(
      'occurrences',
      'SELECT * FROM occurrences ORDER BY number',
      sqliteRow(tables.occurrences).read,
    )
    yield* read('conversations', conversations, sqliteRow(tables.conversations).read)
    yield* read('conversationItems', items, sqliteRow(tables.conversationItems).read)
    const hours = 'SELECT * FROM hour_count ORDER BY connection, hour, node'
    yield* read('hourCounts', hours, sqliteRow(tables.hourCounts).read)
    yield* read('alerts', 'SELECT * FROM alert ORDER BY number', sqliteRow(tables.alerts).read)
  })
  yield* fromDatabase(join(folder, 'knowledge.sqlite'), knowledgeSchema, function* (database) {
    const read = readerOf(database)
    yield* read('files', 'SELECT * FROM files ORDER BY number', sqliteRow(tables.files).read)
    yield* read('pieces', piecesSql, sqliteRow(tables.pieces).read)
    yield* read('passages', passagesSql, sqliteRow(tables.passages).read)
  })
}

async function configRows(file: string): Promise<Rows['config'][]> {
  try {
    const { value } = migrate(JSON.parse(await readFile(file, 'utf8')), allMigrations, schemaVersion)
    const { settings, listener, metricsToken, ...lists }: Record<string, unknown> = Object(value)
    const head = { schemaVersion, settings, listener, metricsToken }
    return [
      { part: 'head', json: JSON.stringify(head) },
      ...partNames.flatMap(part => {
        const list: unknown = lists[part] ?? []
        if (!Array.isArray(list)) throw new TypeError(`${part} must be a list`)
        return list.map((entry: unknown) => ({ part, json: JSON.stringify(entry) }))
      }),
    ]
  } catch (cause) {
    throw damaged('config.json', cause)
  }
}

/** Yields what `read` yields of a database; nothing if there is no such file. */
function* fromDatabase(
  file: string,
  schema: DatabaseSchema,
  read: (database: DatabaseSync) => Generator<RowBatch>,
): Generator<RowBatch> {
  if (!existsSync(file)) return
  let database: DatabaseSync | null = null
  try {
    database = openOwnDatabase(file, schema, null)
    yield* read(database)
  } catch (cause) {
    throw damaged(schema.name, cause)
  } finally {
    database?.close()
  }
}

function damaged(what: string, cause: unknown): ServiceError {
  const detail = `Its ${what} cannot be read: ${messageOf(cause)}`
  return new ServiceError('damaged_backup', { detail, cause })
}

function* readable<Read>(
  rows: Iterable<Row>,
  toRow: (row: Row) => Read | null,
  onUnreadable: () => void,
): Generator<Read> {
  for (const stored of rows) {
    try {
      const row = toRow(stored)
      if (row !== null) yield row
    } catch (error) {
      if (!(error instanceof StoredValueError)) throw error
      onUnreadable()
    }
  }
}

const eventsSql = `
  SELECT seq, key AS connection, name, received_at, repeat AS flags, replay_of, duplicate_of, headers, body
  FROM events JOIN connections ON connections.id = connection
  WHERE seq > hidden_up_to ORDER BY seq`

/** Returns what reads a fan-out; null for one whose runs are all stored. */
function fanOutReader(database: DatabaseSync): (row: Row) => Rows['fanOuts'] | null {
  const lists = new Map<unknown, { workflows: string[]; passed: number[] }>()
  for (const row of database.prepare('SELECT * FROM workflow_lists').iterate()) {
    const [workflows, passed] = [row.workflows, row.passed].map(text => entriesOf(fromStored(text)) ?? [])
    lists.set(row.id, { workflows: (workflows ?? []).map(String), passed: (passed ?? []).map(Number) })
  }
  const early = database.prepare('SELECT id FROM early_runs WHERE id >= ? AND id < ?')
  const { read } = sqliteRow(tables.fanOuts)
  return stored => {
    const row = read(stored)
    const list = lists.get(stored.list)
    if (list === undefined) throw new StoredValueError('The workflows of an event are missing.')
    const { workflows, passed } = list
    const { id } = row
    const begun = new Set(early.all(id, id + workflows.length).map(one => integer(one.id)))
    const indexes = workflows.map((_workflow, index) => index)
    const pending = indexes.filter(index => id > (passed[index] ?? 0) && !begun.has(id + index))
    return pending.length > 0 ? { ...row, workflows, pending } : null
  }
}

const piecesSql = `
  SELECT files.id AS file, contents.bytes FROM contents JOIN files ON files.number = contents.file
  ORDER BY contents.file, piece`

const passagesSql = `
  SELECT files.id AS file, passages.number, first, last, text FROM passages
    JOIN files ON files.number = passages.file JOIN passage_texts ON passage_texts.rowid = passages.id
  ORDER BY passages.file, passages.number`

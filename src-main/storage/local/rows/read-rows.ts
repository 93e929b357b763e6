import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { messageOf } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import { inBatches, type RowBatch, type Rows } from '../../rows/row-batches.ts'
import { fromStored, fromStoredOrNull, integer, StoredValueError } from '../../rows/stored-text.ts'
import { partNames, schemaVersion } from '../config-file-schema.ts'
import { allMigrations, migrate } from '../migrate.ts'
import { entriesOf } from '../sqlite/fan-out-list.ts'
import { type DatabaseSchema, openOwnDatabase } from '../sqlite/own-database.ts'
import { eventLogSchema, historySchema, knowledgeSchema } from '../sqlite/schemas.ts'

type Row = Record<string, SQLOutputValue>

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
  yield* inBatches(await configRows(join(folder, 'config.json')), config => ({ config }))
  const read = <Read>(table: keyof Rows, rows: Iterable<Row>, toRow: (row: Row) => Read) =>
    readable(rows, toRow, () => onUnreadable(table))
  yield* fromDatabase(join(folder, 'events.sqlite'), eventLogSchema, function* (database) {
    const all = (sql: string) => database.prepare(sql).iterate()
    yield* inBatches(
      read('log', all('SELECT newest_seq FROM log'), row => ({ newestSeq: integer(row.newest_seq) })),
      log => ({ log }),
    )
    yield* inBatches(read('events', all(eventsSql), eventOf), events => ({ events }))
    yield* inBatches(
      fanOutsOf(database, () => onUnreadable('fanOuts')),
      fanOuts => ({ fanOuts }),
    )
    yield* inBatches(read('runs', all('SELECT * FROM runs ORDER BY id'), runOf), runs => ({ runs }))
    yield* inBatches(read('steps', all('SELECT * FROM run_steps ORDER BY rowid'), stepOf), steps => ({
      steps,
    }))
    yield* inBatches(read('keys', all('SELECT * FROM kept_keys ORDER BY id'), keyOf), keys => ({ keys }))
  })
  yield* fromDatabase(join(folder, 'history.sqlite'), historySchema, function* (database) {
    const all = (table: string, order: string) =>
      database.prepare(`SELECT * FROM ${table} ORDER BY ${order}`).iterate()
    yield* inBatches(read('occurrences', all('occurrences', 'number'), occurrenceOf), occurrences => ({
      occurrences,
    }))
    yield* inBatches(
      read('conversations', all('conversations', 'number'), conversationOf),
      conversations => ({
        conversations,
      }),
    )
    const items = all('conversation_items', 'conversation, message, part')
    yield* inBatches(read('conversationItems', items, itemOf), conversationItems => ({ conversationItems }))
  })
  yield* fromDatabase(join(folder, 'knowledge.sqlite'), knowledgeSchema, function* (database) {
    const all = (sql: string) => database.prepare(sql).iterate()
    yield* inBatches(read('files', all('SELECT * FROM files ORDER BY number'), fileOf), files => ({ files }))
    yield* inBatches(read('pieces', all(piecesSql), pieceOf), pieces => ({ pieces }))
    yield* inBatches(read('passages', all(passagesSql), passageOf), passages => ({ passages }))
  })
}

async function configRows(file: string): Promise<Rows['config'][]> {
  try {
    const { value } = migrate(JSON.parse(await readFile(file, 'utf8')), allMigrations, schemaVersion)
    const { settings, listener, ...lists }: Record<string, unknown> = Object(value)
    const head = { schemaVersion, settings, listener }
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
  toRow: (row: Row) => Read,
  onUnreadable: () => void,
): Generator<Read> {
  for (const row of rows) {
    try {
      yield toRow(row)
    } catch (error) {
      if (!(error instanceof StoredValueError)) throw error
      onUnreadable()
    }
  }
}

const integerOrNull = (value: unknown) => (value === null ? null : integer(value))

const eventsSql = `
  SELECT events.*, key FROM events JOIN connections ON connections.id = connection
  WHERE seq > hidden_up_to ORDER BY seq`

function eventOf(row: Row): Rows['events'] {
  return {
    seq: integer(row.seq),
    connection: fromStored(row.key),
    name: fromStored(row.name),
    receivedAt: integer(row.received_at),
    flags: integer(row.repeat),
    replayOf: fromStoredOrNull(row.replay_of),
    duplicateOf: integerOrNull(row.duplicate_of),
    headers: fromStored(row.headers),
    body: fromStored(row.body),
  }
}

function* fanOutsOf(database: DatabaseSync, onUnreadable: () => void): Generator<Rows['fanOuts']> {
  const lists = new Map<unknown, { workflows: string[]; passed: number[] }>()
  for (const row of database.prepare('SELECT * FROM workflow_lists').iterate()) {
    const [workflows, passed] = [row.workflows, row.passed].map(text => entriesOf(fromStored(text)) ?? [])
    lists.set(row.id, { workflows: (workflows ?? []).map(String), passed: (passed ?? []).map(Number) })
  }
  const early = database.prepare('SELECT id FROM early_runs WHERE id >= ? AND id < ?')
  const toRow = (row: Row): Rows['fanOuts'] => {
    const id = integer(row.id)
    const list = lists.get(row.list)
    if (list === undefined) throw new StoredValueError('The workflows of an event are missing.')
    const { workflows, passed } = list
    const stored = new Set(early.all(id, id + workflows.length).map(one => integer(one.id)))
    const indexes = workflows.map((_workflow, index) => index)
    return {
      id,
      workflows,
      pending: indexes.filter(index => id > (passed[index] ?? 0) && !stored.has(id + index)),
      event: integerOrNull(row.event),
      workspace: fromStored(row.workspace),
      connection: fromStored(row.connection),
      queuedAt: integer(row.queued_at),
      summary: fromStored(row.summary),
      data: fromStoredOrNull(row.data),
    }
  }
  const rows = database.prepare('SELECT * FROM fan_outs ORDER BY id').iterate()
  for (const fanOut of readable(rows, toRow, onUnreadable)) if (fanOut.pending.length > 0) yield fanOut
}

function runOf(row: Row): Rows['runs'] {
  return {
    id: integer(row.id),
    workflow: fromStored(row.workflow),
    workspace: fromStored(row.workspace),
    connection: fromStored(row.connection),
    event: integerOrNull(row.event),
    lane: fromStored(row.lane),
    state: integer(row.state),
    dueAt: integer(row.due_at),
    attempt: integer(row.attempt),
    queuedAt: integer(row.queued_at),
    startedAt: integerOrNull(row.started_at),
    endedAt: integerOrNull(row.ended_at),
    error: fromStoredOrNull(row.error),
    summary: fromStored(row.summary),
    data: fromStoredOrNull(row.data),
    steps: fromStoredOrNull(row.steps),
  }
}

function stepOf(row: Row): Rows['steps'] {
  return {
    run: integer(row.run),
    path: fromStored(row.path),
    type: fromStored(row.type),
    attempt: integer(row.attempt),
    startedAt: integer(row.started_at),
    endedAt: integerOrNull(row.ended_at),
    error: fromStoredOrNull(row.error),
    call: fromStoredOrNull(row.call),
    input: fromStoredOrNull(row.input),
    output: fromStoredOrNull(row.output),
    isCut: row.is_cut === 1,
    absent: fromStored(row.absent),
  }
}

function keyOf(row: Row): Rows['keys'] {
  return {
    digest: fromStored(row.digest),
    scope: fromStored(row.scope),
    expiresAt: integer(row.expires_at),
    run: integerOrNull(row.run),
  }
}

function occurrenceOf(row: Row): Rows['occurrences'] {
  return {
    number: integer(row.number),
    kind: fromStored(row.kind),
    connection: fromStored(row.connection),
    subject: fromStored(row.subject),
    at: integer(row.at),
    finding: fromStoredOrNull(row.finding),
    summary: fromStored(row.summary),
    details: fromStored(row.details),
  }
}

function conversationOf(row: Row): Rows['conversations'] {
  return {
    number: integer(row.number),
    workspace: fromStored(row.workspace),
    updated: integer(row.updated),
    bytes: integer(row.bytes),
    head: fromStored(row.head),
    text: fromStored(row.text),
  }
}

function itemOf(row: Row): Rows['conversationItems'] {
  return {
    conversation: integer(row.conversation),
    message: integer(row.message),
    part: integer(row.part),
    body: fromStored(row.body),
    text: fromStored(row.text),
  }
}

function fileOf(row: Row): Rows['files'] {
  return {
    id: fromStored(row.id),
    workspace: fromStored(row.workspace),
    agent: fromStored(row.agent),
    name: fromStored(row.name),
    sha256: fromStored(row.sha256),
    bytes: integer(row.bytes),
    file: fromStored(row.file),
  }
}

const piecesSql = `
  SELECT files.id, contents.bytes FROM contents JOIN files ON files.number = contents.file
  ORDER BY contents.file, piece`

function pieceOf({ id, bytes }: Row): Rows['pieces'] {
  if (!(bytes instanceof Uint8Array)) throw new StoredValueError('A piece of a file is not bytes.')
  return { file: fromStored(id), bytes }
}

const passagesSql = `
  SELECT files.id, passages.number, first, last, text FROM passages
    JOIN files ON files.number = passages.file JOIN passage_texts ON passage_texts.rowid = passages.id
  ORDER BY passages.file, passages.number`

function passageOf(row: Row): Rows['passages'] {
  return {
    file: fromStored(row.id),
    number: integer(row.number),
    first: integer(row.first),
    last: integer(row.last),
    text: fromStored(row.text),
  }
}

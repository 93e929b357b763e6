import { ServiceError } from '#shared/errors.ts'
import { isObject } from '#shared/json/exact-json.ts'
import { entryId } from '../local/config-file.ts'
import { ConfigHead, entrySchemas } from '../local/config-file-schema.ts'
import { causeOf } from '../occurrence-filter.ts'
import type { RowBatch, Rows } from '../rows/row-batches.ts'
import { headKind } from './config-parts.ts'
import { type Connection, failureOf, isServerError } from './connect.ts'
import { joinLock, livingNodes } from './node.ts'
import { vectorOf, wordOfAgent, wordOfFile } from './passage-words.ts'
import { fromStored, toStored, toStoredOrNull } from './stored-text.ts'

/**
 * Writes the rows of another storage into an empty database with this program's schema, in one transaction.
 *
 * @throws the error of `batches`; ServiceError `data_in_use`, `database_not_empty`, `storage_unavailable`;
 *   the database is then as it was.
 */
export async function importRows(
  connect: () => Promise<Connection>,
  batches: AsyncIterable<RowBatch>,
): Promise<void> {
  const connection = await connect()
  try {
    await connection.query('BEGIN')
    await connection.query('SET LOCAL idle_in_transaction_session_timeout = 0')
    // A service that starts meanwhile waits for the rows.
    await connection.query(joinLock)
    await connection.query('SELECT FROM config_head FOR UPDATE')
    await requireUnused(connection)
    const write = writerOn(connection)
    for await (const batch of batches) await write(batch)
    await connection.query(
      "SELECT setval('run_place', greatest((SELECT last_value FROM run_place), (SELECT max(place) FROM run)))",
    )
    await connection.query('UPDATE config_head SET version = 1')
    await connection.query('COMMIT')
  } catch (error) {
    throw isServerError(error) || connection.isBroken ? failureOf(error) : error
  } finally {
    // What was not committed is undone with it.
    connection.end()
  }
}

/**
 * Refuses a database that a service uses or has used. It may have no tables yet.
 *
 * @throws ServiceError `data_in_use`, `database_not_empty`.
 */
export async function requireUnused(connection: Pick<Connection, 'query'>): Promise<void> {
  if (!(await hasTables(connection))) return
  if ((await connection.query(livingNodes)).length > 0) throw new ServiceError('data_in_use')
  if (!(await isEmpty(connection))) throw new ServiceError('database_not_empty')
}

async function hasTables(connection: Pick<Connection, 'query'>): Promise<boolean> {
  const [tables] = await connection.query("SELECT to_regclass('config_head') IS NOT NULL AS exist")
  return tables?.exist === true
}

/** Returns whether no service has used a database, which may have no tables yet. */
export async function isEmpty(connection: Pick<Connection, 'query'>): Promise<boolean> {
  if (!(await hasTables(connection))) return true
  const [head] = await connection.query('SELECT version FROM config_head')
  return Number(head?.version) === 0
}

/** Returns the function that writes a batch. */
function writerOn(connection: Connection) {
  const connections = new Map<string, number>()
  /** Files by their ids. */
  const files = new Map<string, { number: number; words: readonly string[]; pieces: number }>()
  let configPlace = 0

  async function insert(table: string, columns: Columns, end = ''): Promise<void> {
    if (columns[0]?.values.length === 0) return
    const names = columns.map(({ name }) => name).join(', ')
    const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')
    const read = columns.map(({ name, type }) => (name === 'words' ? 'words::tsvector' : `${name}::${type}`))
    await connection.query(
      `INSERT INTO ${table} (${names}) SELECT ${read.join(', ')} FROM unnest(${arrays}) WITH ORDINALITY
        AS u(${names}, nth) ORDER BY nth ${end}`,
      columns.map(({ values }) => values),
    )
  }

  async function writeEvents(events: readonly Rows['events'][]): Promise<void> {
    const unknown = [...new Set(events.map(one => one.connection))].filter(key => !connections.has(key))
    const known = 'INSERT INTO connection (key) SELECT unnest($1::text[]) RETURNING id, key'
    for (const { id, key } of await connection.query(known, [unknown.map(toStored)]))
      connections.set(fromStored(String(key)), Number(id))
    await insert('event', [
      column('seq', 'bigint', events, one => one.seq),
      column('connection', 'int', events, one => connections.get(one.connection)),
      column('name', 'text', events, one => toStored(one.name)),
      column('received_at', 'bigint', events, one => one.receivedAt),
      column('flags', 'smallint', events, one => one.flags),
      column('replay_of', 'text', events, one => one.replayOf),
      column('headers', 'text', events, one => toStored(one.headers)),
      column('body', 'text', events, one => toStored(one.body)),
      column('duplicate_of', 'bigint', events, one => one.duplicateOf),
    ])
  }

  /** The runs of a fan-out share its data. A place is the id: files have no other order. */
  async function writeFanOuts(fanOuts: readonly Rows['fanOuts'][]): Promise<void> {
    const runs = fanOuts.flatMap(({ pending, workflows, ...one }) =>
      pending.map(index => ({ ...one, run: one.id + index, workflow: toStored(workflows[index] ?? '') })),
    )
    await knowLanes(runs.map(({ workflow }) => workflow))
    await insert('run_body', [
      column('id', 'bigint', fanOuts, one => one.id),
      column('runs', 'int', fanOuts, one => one.workflows.length),
      column('data', 'text', fanOuts, one => toStoredOrNull(one.data)),
    ])
    await insert('run', [
      column('id', 'bigint', runs, one => one.run),
      column('place', 'bigint', runs, one => one.run),
      column('workflow', 'text', runs, one => one.workflow),
      column('workspace', 'text', runs, one => toStored(one.workspace)),
      column('connection', 'text', runs, one => toStored(one.connection)),
      column('event', 'bigint', runs, one => one.event),
      column('lane', 'text', runs, one => one.workflow),
      column('state', 'smallint', runs, () => 0),
      column('due_at', 'bigint', runs, () => 0),
      column('attempt', 'int', runs, () => 0),
      column('queued_at', 'bigint', runs, one => one.queuedAt),
      column('body', 'bigint', runs, one => one.id),
      column('is_fanned', 'boolean', runs, () => true),
      column('summary', 'text', runs, one => toStored(one.summary)),
    ])
  }

  async function writeRuns(runs: readonly Rows['runs'][]): Promise<void> {
    await knowLanes(runs.map(({ lane }) => toStored(lane)))
    await insert('run', [
      column('id', 'bigint', runs, one => one.id),
      column('place', 'bigint', runs, one => one.id),
      column('workflow', 'text', runs, one => toStored(one.workflow)),
      column('workspace', 'text', runs, one => toStored(one.workspace)),
      column('connection', 'text', runs, one => toStored(one.connection)),
      column('event', 'bigint', runs, one => one.event),
      column('lane', 'text', runs, one => toStored(one.lane)),
      column('state', 'smallint', runs, one => one.state),
      column('due_at', 'bigint', runs, one => one.dueAt),
      column('attempt', 'int', runs, one => one.attempt),
      column('queued_at', 'bigint', runs, one => one.queuedAt),
      column('started_at', 'bigint', runs, one => one.startedAt),
      column('ended_at', 'bigint', runs, one => one.endedAt),
      column('body', 'bigint', runs, one => (one.data === null ? null : one.id)),
      column('is_fanned', 'boolean', runs, () => false),
      column('error', 'text', runs, one => toStoredOrNull(one.error)),
      column('summary', 'text', runs, one => toStored(one.summary)),
    ])
    const bodies = runs.filter(({ data, steps }) => data !== null || steps !== null)
    // The first run of a fan-out finds the data of all there.
    const merge =
      'ON CONFLICT (id) DO UPDATE SET data = coalesce(run_body.data, excluded.data), steps = excluded.steps'
    await insert(
      'run_body',
      [
        column('id', 'bigint', bodies, one => one.id),
        column('data', 'text', bodies, one => toStoredOrNull(one.data)),
        column('steps', 'text', bodies, one => toStoredOrNull(one.steps)),
      ],
      merge,
    )
  }

  async function knowLanes(lanes: readonly string[]): Promise<void> {
    await connection.query('INSERT INTO lane (lane) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING', [
      [...new Set(lanes)],
    ])
  }

  async function writeFiles(rows: readonly Rows['files'][]): Promise<void> {
    for (const { id, workspace, agent, name, sha256, bytes, file } of rows) {
      const parsed: unknown = JSON.parse(file)
      const { addedAt, reader } = isObject(parsed) ? parsed : {}
      const texts = [id, workspace, agent, name].map(toStored)
      const facts = [sha256, bytes, String(addedAt ?? ''), Number(reader ?? 0), file]
      const [row] = await connection.query(addFile, [...texts, ...facts])
      const number = Number(row?.number)
      const words = [wordOfAgent({ workspaceId: workspace, agentId: agent }), wordOfFile(number)]
      files.set(id, { number, words, pieces: 0 })
    }
  }

  async function writePieces(rows: readonly Rows['pieces'][]): Promise<void> {
    for (const { file, bytes } of rows) {
      const known = files.get(file)
      if (known !== undefined) await connection.query(addPiece, [known.number, known.pieces++, bytes])
    }
  }

  async function writePassages(rows: readonly Rows['passages'][]): Promise<void> {
    const own = rows.flatMap(row => {
      const known = files.get(row.file)
      return known === undefined ? [] : { ...row, ...known, passage: row.number }
    })
    await insert('knowledge_passage', [
      column('file', 'bigint', own, one => one.number),
      column('number', 'int', own, one => one.passage),
      column('first', 'bigint', own, one => one.first),
      column('last', 'bigint', own, one => one.last),
      column('text', 'text', own, one => toStored(one.text)),
      column('words', 'text', own, one => vectorOf(one.text, one.words)),
    ])
  }

  return async ({ config = [], log = [], ...batch }: RowBatch): Promise<void> => {
    const records = config.map(({ part, json }) => {
      const schema = part === headKind ? ConfigHead : entrySchemas[part]
      const entry: unknown = schema.parse(JSON.parse(json))
      return { kind: part, id: part === headKind ? '' : entryId(part, entry), entry }
    })
    await insert('config_part', [
      column('kind', 'text', records, one => one.kind),
      column('id', 'text', records, one => one.id),
      column('place', 'float8', records, () => ++configPlace),
      column('version', 'bigint', records, () => 1),
      column('doc_version', 'bigint', records, () => 1),
      column('changed_at', 'bigint', records, () => 0),
      column('doc', 'text', records, one => JSON.stringify(one.entry)),
    ])
    const uses = records.flatMap(({ kind, id, entry }) => {
      const { lastUsedAt } = Object(entry)
      return kind === 'clientTokens' && lastUsedAt !== null ? { id, at: Date.parse(lastUsedAt) } : []
    })
    await insert('token_use', [
      column('token', 'text', uses, one => one.id),
      column('at', 'bigint', uses, one => one.at),
    ])
    for (const { newestSeq } of log)
      await connection.query('UPDATE event_log SET newest_seq = $1', [newestSeq])
    const { events, fanOuts, runs, steps = [], keys = [] } = batch
    if (events !== undefined) await writeEvents(events)
    if (fanOuts !== undefined) await writeFanOuts(fanOuts)
    if (runs !== undefined) await writeRuns(runs)
    await insert('run_step', [
      column('run', 'bigint', steps, one => one.run),
      column('path', 'text', steps, one => toStored(one.path)),
      column('attempt', 'int', steps, one => one.attempt),
      column('type', 'text', steps, one => toStored(one.type)),
      column('started_at', 'bigint', steps, one => one.startedAt),
      column('ended_at', 'bigint', steps, one => one.endedAt),
      column('error', 'text', steps, one => toStoredOrNull(one.error)),
      column('call', 'text', steps, one => toStoredOrNull(one.call)),
      column('input', 'text', steps, one => toStoredOrNull(one.input)),
      column('output', 'text', steps, one => toStoredOrNull(one.output)),
      column('is_cut', 'boolean', steps, one => one.isCut),
      column('absent', 'text', steps, one => toStored(one.absent)),
    ])
    await insert('kept_key', [
      column('digest', 'text', keys, one => one.digest),
      column('scope', 'text', keys, one => toStored(one.scope)),
      column('expires_at', 'bigint', keys, one => one.expiresAt),
      column('run', 'bigint', keys, one => one.run),
    ])
    const { occurrences = [], conversations = [], conversationItems = [] } = batch
    await insert('occurrence', [
      column('number', 'bigint', occurrences, one => one.number),
      column('kind', 'text', occurrences, one => one.kind),
      column('connection', 'text', occurrences, one => toStored(one.connection)),
      column('subject', 'text', occurrences, one => toStored(one.subject)),
      column('at', 'bigint', occurrences, one => one.at),
      column('cause', 'text', occurrences, one => toStoredOrNull(causeIn(one))),
      column('finding', 'text', occurrences, one => toStoredOrNull(one.finding)),
      column('summary', 'text', occurrences, one => toStored(one.summary)),
      column('details', 'text', occurrences, one => toStored(one.details)),
    ])
    await insert('conversation', [
      column('number', 'bigint', conversations, one => one.number),
      column('workspace', 'text', conversations, one => one.workspace),
      column('updated', 'bigint', conversations, one => one.updated),
      column('bytes', 'bigint', conversations, one => one.bytes),
      column('head', 'text', conversations, one => toStored(one.head)),
      column('text', 'text', conversations, one => toStored(one.text)),
    ])
    await insert('conversation_item', [
      column('conversation', 'bigint', conversationItems, one => one.conversation),
      column('message', 'int', conversationItems, one => one.message),
      column('part', 'int', conversationItems, one => one.part),
      column('body', 'text', conversationItems, one => toStored(one.body)),
      column('text', 'text', conversationItems, one => toStored(one.text)),
    ])
    if (batch.files !== undefined) await writeFiles(batch.files)
    if (batch.pieces !== undefined) await writePieces(batch.pieces)
    if (batch.passages !== undefined) await writePassages(batch.passages)
  }
}

type Columns = readonly { readonly name: string; readonly type: string; readonly values: unknown[] }[]

const column = <One>(name: string, type: string, rows: readonly One[], read: (row: One) => unknown) => ({
  ...{ name, type },
  values: rows.map(read),
})

/** Returns the cause of an occurrence; null if its texts are not JSON. */
function causeIn({ connection, ...one }: Rows['occurrences']): string | null {
  try {
    return causeOf({ ...one, connectionId: connection })
  } catch {
    return null
  }
}

const addFile = {
  name: 'import_knowledge',
  text: `INSERT INTO knowledge_file (id, workspace, agent, name, sha256, bytes, added_at, reader, file)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING number`,
}
const addPiece = {
  name: 'import_knowledge_piece',
  text: 'INSERT INTO knowledge_piece (file, piece, bytes) VALUES ($1, $2, $3)',
}

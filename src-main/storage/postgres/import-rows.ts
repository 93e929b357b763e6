import { ServiceError } from '#shared/errors.ts'
import { isObject } from '#shared/json/exact-json.ts'
import { entryId } from '../local/config-file.ts'
import { ConfigHead, entrySchemas } from '../local/config-file-schema.ts'
import { causeOf } from '../occurrence-filter.ts'
import type { Columns } from '../rows/columns.ts'
import type { RowBatch } from '../rows/row-batches.ts'
import { type Rows, tables } from '../rows/tables.ts'
import { headKind } from './config-parts.ts'
import { type Connection, failureOf, isServerError } from './connect.ts'
import { livingNodes } from './node.ts'
import { joinLock } from './node-list.ts'
import { vectorOf, wordOfAgent, wordOfFile } from './passage-words.ts'
import { inserter } from './row-codec.ts'
import { fromStored, toStored } from './stored-text.ts'

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
  const insertInto = <Table extends Columns>(name: string, table: Table, end?: string) =>
    inserter(connection, name, table, end)
  const addConfig = insertInto('config_part', {
    ...{ kind: 'plain', id: 'plain', place: 'integer', version: 'integer', docVersion: 'integer' },
    ...{ changedAt: 'integer', doc: 'plain' },
  })
  const addUses = insertInto('token_use', { token: 'plain', at: 'integer' })
  const addEvents = insertInto('event', { ...tables.events, connection: 'integerOrNull' })
  const { data, steps, ...runColumns } = tables.runs
  const addRuns = insertInto('run', {
    ...runColumns,
    place: 'integer',
    body: 'integerOrNull',
    isFanned: 'flag',
  })
  const addFanOutBodies = insertInto('run_body', { id: 'integer', runs: 'integer', data })
  // The first run of a fan-out finds the data of all there.
  const merge =
    'ON CONFLICT (id) DO UPDATE SET data = coalesce(run_body.data, excluded.data), steps = excluded.steps'
  const addBodies = insertInto('run_body', { id: 'integer', data, steps }, merge)
  const addSteps = insertInto('run_step', tables.steps)
  const addKeys = insertInto('kept_key', tables.keys)
  const addOccurrences = insertInto('occurrence', { ...tables.occurrences, cause: 'textOrNull' })
  const addConversations = insertInto('conversation', tables.conversations)
  const addItems = insertInto('conversation_item', tables.conversationItems)
  const addHours = insertInto('hour_count', tables.hourCounts)
  const addAlerts = insertInto('alert', tables.alerts)

  async function writeConfig(rows: readonly Rows['config'][]): Promise<void> {
    const records = rows.map(({ part, json }) => {
      const schema = part === headKind ? ConfigHead : entrySchemas[part]
      const entry: unknown = schema.parse(JSON.parse(json))
      return { kind: part, id: part === headKind ? '' : entryId(part, entry), entry }
    })
    await addConfig(
      records.map(({ kind, id, entry }) => ({
        ...{ kind, id, place: ++configPlace, version: 1, docVersion: 1, changedAt: 0 },
        doc: JSON.stringify(entry),
      })),
    )
    await addUses(
      records.flatMap(({ kind, id, entry }) => {
        const { lastUsedAt } = Object(entry)
        return kind === 'clientTokens' && lastUsedAt !== null ? { token: id, at: Date.parse(lastUsedAt) } : []
      }),
    )
  }

  async function writeEvents(events: readonly Rows['events'][]): Promise<void> {
    const unknown = [...new Set(events.map(one => one.connection))].filter(key => !connections.has(key))
    const known = 'INSERT INTO connection (key) SELECT unnest($1::text[]) RETURNING id, key'
    for (const { id, key } of await connection.query(known, [unknown.map(toStored)]))
      connections.set(fromStored(String(key)), Number(id))
    await addEvents(events.map(one => ({ ...one, connection: connections.get(one.connection) ?? null })))
  }

  /** The runs of a fan-out share its data. A place is the id: files have no other order. */
  async function writeFanOuts(fanOuts: readonly Rows['fanOuts'][]): Promise<void> {
    const runs = fanOuts.flatMap(({ pending, workflows, ...one }) =>
      pending.map(index => {
        const [id, workflow] = [one.id + index, workflows[index] ?? '']
        return {
          ...{ ...one, id, place: id, workflow, lane: workflow, body: one.id, isFanned: true },
          ...{ state: 0, dueAt: 0, attempt: 0, startedAt: null, endedAt: null, error: null },
        }
      }),
    )
    await knowLanes(runs)
    await addFanOutBodies(fanOuts.map(({ id, workflows, data }) => ({ id, runs: workflows.length, data })))
    await addRuns(runs)
  }

  async function writeRuns(runs: readonly Rows['runs'][]): Promise<void> {
    await knowLanes(runs)
    await addRuns(
      runs.map(run => ({ ...run, place: run.id, body: run.data === null ? null : run.id, isFanned: false })),
    )
    await addBodies(runs.filter(({ data, steps }) => data !== null || steps !== null))
  }

  async function knowLanes(runs: readonly { readonly lane: string }[]): Promise<void> {
    const lanes = new Set(runs.map(({ lane }) => toStored(lane)))
    await connection.query('INSERT INTO lane (lane) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING', [
      [...lanes],
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
    await connection.query(addPassages, [
      own.map(one => one.number),
      own.map(one => one.passage),
      own.map(one => one.first),
      own.map(one => one.last),
      own.map(one => toStored(one.text)),
      own.map(one => vectorOf(one.text, one.words)),
    ])
  }

  return async (batch: RowBatch): Promise<void> => {
    const { config, log = [], events, fanOuts, runs, files, pieces, passages } = batch
    if (config !== undefined) await writeConfig(config)
    for (const { newestSeq } of log)
      await connection.query('UPDATE event_log SET newest_seq = $1', [newestSeq])
    if (events !== undefined) await writeEvents(events)
    if (fanOuts !== undefined) await writeFanOuts(fanOuts)
    if (runs !== undefined) await writeRuns(runs)
    await addSteps(batch.steps ?? [])
    await addKeys(batch.keys ?? [])
    await addOccurrences((batch.occurrences ?? []).map(one => ({ ...one, cause: causeIn(one) })))
    await addConversations(batch.conversations ?? [])
    await addItems(batch.conversationItems ?? [])
    await addHours(batch.hourCounts ?? [])
    await addAlerts(batch.alerts ?? [])
    if (files !== undefined) await writeFiles(files)
    if (pieces !== undefined) await writePieces(pieces)
    if (passages !== undefined) await writePassages(passages)
  }
}

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
const addPassages = {
  name: 'import_passages',
  text: `INSERT INTO knowledge_passage (file, number, first, last, text, words) SELECT file, number, first, last, text, words::tsvector
    FROM unnest($1::bigint[], $2::int[], $3::bigint[], $4::bigint[], $5::text[], $6::text[]) AS u(file, number, first, last, text, words)`,
}

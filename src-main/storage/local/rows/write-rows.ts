import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { finished } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import type { RowBatch } from '../../rows/row-batches.ts'
import { toStored } from '../../rows/stored-text.ts'
import { type Rows, tables } from '../../rows/tables.ts'
import { partNames } from '../config-file-schema.ts'
import { scopeOf } from '../sqlite/knowledge-table.ts'
import { type DatabaseSchema, openOwnDatabase, prepareAll, transactionsOn } from '../sqlite/own-database.ts'
import { inserter } from '../sqlite/row-codec.ts'
import { eventLogSchema, historySchema, knowledgeSchema } from '../sqlite/schemas.ts'

/**
 * Writes rows as the files of a backup into an empty folder. They are not made durable: a kill leaves a part of them.
 *
 * @throws the error of `batches`; SQLite's and the system's errors.
 */
export async function writeRows(folder: string, batches: AsyncIterable<RowBatch>): Promise<void> {
  const config = await configWriter(join(folder, 'config.json'))
  const open: (() => void)[] = []
  /** Creates a database with its first rows: without knowledge files, for example, a backup has none. */
  function opener<Writer>(
    name: string,
    schema: DatabaseSchema,
    writerOf: (database: DatabaseSync) => Writer,
  ) {
    let writer: Writer | null = null
    return () => {
      if (writer !== null) return writer
      const database = openOwnDatabase(join(folder, name), schema, null)
      open.push(() => database.close())
      database.exec('PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 1000')
      writer = writerOf(database)
      return writer
    }
  }
  const events = opener('events.sqlite', eventLogSchema, eventsWriter)
  const history = opener('history.sqlite', historySchema, historyWriter)
  const knowledge = opener('knowledge.sqlite', knowledgeSchema, knowledgeWriter)
  try {
    for await (const batch of batches) {
      const { log, events: newEvents, fanOuts, runs, steps, keys } = batch
      const { occurrences, conversations, conversationItems, hourCounts, alerts } = batch
      const { files, pieces, passages } = batch
      if (batch.config !== undefined) await config.write(batch.config)
      if (log ?? newEvents ?? fanOuts ?? runs ?? steps ?? keys) events()(batch)
      if (occurrences ?? conversations ?? conversationItems ?? hourCounts ?? alerts) history()(batch)
      if (files ?? pieces ?? passages) knowledge()(batch)
      // A source that has its rows in memory would not let anything else run.
      await setImmediate()
    }
    await config.end()
  } finally {
    for (const close of open) close()
    config.destroy()
  }
}

async function configWriter(file: string) {
  const stream = createWriteStream(file, { flags: 'wx', mode: 0o600 })
  const isDone = finished(stream)
  isDone.catch(() => {})
  const parts = ['head', ...partNames] as const
  let part: Rows['config']['part'] = 'head'
  let isFirst = true
  /** Ends the lists before a part, and begins its own. */
  function* upTo(next: Rows['config']['part'] | null): Generator<string> {
    while (part !== next) {
      if (part !== 'head') yield ']'
      const following = parts[parts.indexOf(part) + 1]
      if (following === undefined) return
      part = following
      isFirst = true
      yield `,\n"${part}": [`
    }
  }
  return {
    async write(rows: readonly Rows['config'][]): Promise<void> {
      let text = ''
      for (const { part: of, json } of rows) {
        if (of === 'head') text += json.slice(0, -1)
        else {
          text += [...upTo(of)].join('')
          text += `${isFirst ? '' : ','}\n${json}`
          isFirst = false
        }
      }
      await new Promise<void>((resolve, reject) =>
        stream.write(text, error => (error ? reject(error) : resolve())),
      )
    },
    async end(): Promise<void> {
      stream.end(`${[...upTo(null)].join('')}\n}\n`)
      await isDone
    },
    destroy: () => stream.destroy(),
  }
}

function eventsWriter(database: DatabaseSync): (batch: RowBatch) => void {
  const transaction = transactionsOn(database)
  const { flags, ...eventColumns } = tables.events
  const addEvents = inserter(database, 'events', { ...eventColumns, connection: 'integer', repeat: flags })
  const addFanOuts = inserter(database, 'fan_outs', { ...tables.fanOuts, list: 'integer' })
  const addRuns = inserter(database, 'runs', tables.runs)
  const addSteps = inserter(database, 'run_steps', tables.steps)
  const addKeys = inserter(database, 'kept_keys', tables.keys)
  const on = prepareAll(database, {
    log: 'UPDATE log SET newest_seq = ?',
    connection: 'SELECT id FROM connections WHERE key = ?',
    addConnection: 'INSERT INTO connections (key) VALUES (?)',
    list: 'SELECT id FROM workflow_lists WHERE workflows = ?',
    addList: 'INSERT INTO workflow_lists (workflows, passed) VALUES (?, ?)',
    early: 'INSERT INTO early_runs VALUES (?)',
  })
  let connection: { readonly key: string; readonly id: number } | null = null
  function connectionOf(key: string): number {
    if (connection?.key === key) return connection.id
    const stored = toStored(key)
    const id = Number(on.connection.get(stored)?.id ?? on.addConnection.run(stored).lastInsertRowid)
    connection = { key, id }
    return id
  }
  function listOf(workflows: readonly string[]): number {
    const text = JSON.stringify(workflows)
    const passed = JSON.stringify(workflows.map(() => 0))
    return Number(on.list.get(text)?.id ?? on.addList.run(text, passed).lastInsertRowid)
  }
  return ({ log = [], events = [], fanOuts = [], runs = [], steps = [], keys = [] }) =>
    transaction(() => {
      for (const { newestSeq } of log) on.log.run(newestSeq)
      addEvents(events.map(one => ({ ...one, connection: connectionOf(one.connection), repeat: one.flags })))
      addFanOuts(fanOuts.map(one => ({ ...one, list: listOf(one.workflows) })))
      for (const { id, workflows, pending } of fanOuts) {
        const waiting = new Set(pending)
        for (const index of workflows.keys()) if (!waiting.has(index)) on.early.run(id + index)
      }
      addRuns(runs)
      addSteps(steps)
      addKeys(keys)
    })
}

function historyWriter(database: DatabaseSync): (batch: RowBatch) => void {
  const transaction = transactionsOn(database)
  const addOccurrences = inserter(database, 'occurrences', tables.occurrences)
  const addConversations = inserter(database, 'conversations', tables.conversations)
  const addItems = inserter(database, 'conversation_items', tables.conversationItems)
  const addHours = inserter(database, 'hour_count', tables.hourCounts)
  const addAlerts = inserter(database, 'alert', tables.alerts)
  return ({ occurrences = [], conversations = [], conversationItems = [], hourCounts = [], alerts = [] }) =>
    transaction(() => {
      addOccurrences(occurrences)
      addConversations(conversations)
      addItems(conversationItems)
      addHours(hourCounts)
      addAlerts(alerts)
    })
}

function knowledgeWriter(database: DatabaseSync): (batch: RowBatch) => void {
  const transaction = transactionsOn(database)
  const addFiles = inserter(database, 'files', tables.files)
  const on = prepareAll(database, {
    number: 'SELECT number, workspace, agent FROM files WHERE id = ?',
    piece: `
      INSERT INTO contents (file, piece, bytes)
      SELECT ?1, coalesce(max(piece) + 1, 0), ?2 FROM contents WHERE file = ?1`,
    passage: 'INSERT INTO passages (file, number, first, last) VALUES (?, ?, ?, ?)',
    text: 'INSERT INTO passage_texts (rowid, scope, text) VALUES (?, ?, ?)',
  })
  let file: { readonly id: string; readonly number: number; readonly scope: string } | null = null
  function fileOf(id: string) {
    if (file?.id === id) return file
    const row = on.number.get(id)
    if (typeof row?.number !== 'number') throw new Error(`There are rows of ${id}, which is not there.`)
    const scope = scopeOf({ workspaceId: String(row.workspace), agentId: String(row.agent) }, row.number)
    file = { id, number: row.number, scope }
    return file
  }
  return ({ files = [], pieces = [], passages = [] }) =>
    transaction(() => {
      addFiles(files)
      for (const { file, bytes } of pieces) on.piece.run(fileOf(file).number, bytes)
      for (const passage of passages) {
        const { number, scope } = fileOf(passage.file)
        const { lastInsertRowid } = on.passage.run(number, passage.number, passage.first, passage.last)
        on.text.run(lastInsertRowid, scope, passage.text)
      }
    })
}

import { randomBytes } from 'node:crypto'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { storageBounds } from '#main/history/kinds.ts'
import { deduplicationKey } from '#main/storage/deduplication-key.ts'
import { openLocalStorage } from '#main/storage/local/local-storage.ts'
import { readRows } from '#main/storage/local/rows/read-rows.ts'
import { writeRows } from '#main/storage/local/rows/write-rows.ts'
import { eventLogSchema } from '#main/storage/local/sqlite/schemas.ts'
import type { Storage } from '#main/storage/storage.ts'
import { noChoice } from '#shared/model/platform/knowledge.ts'
import { createLogRecorder } from '../support/log-recorder.ts'
import { newFolder, now, withOneOfEach } from './config-fixtures.ts'
import { eventMaker } from './event-log-events.ts'
import { collect, describeRows } from './rows-contract.ts'

const failed = (table: string) => {
  throw new Error(`A row of ${table} cannot be read.`)
}

describeRows('a data folder', async () => {
  const folder = await newFolder()
  return {
    import: batches => writeRows(folder, batches),
    export: () => readRows(folder, failed),
    close: async () => {},
  }
})

async function open(dataFolder: string) {
  const { storage } = await openLocalStorage({
    ...{ dataFolder, env: {}, logger: createLogRecorder().logger, clock: () => now, random: randomBytes },
    ...{ historyBounds: storageBounds, onFolderLost: () => {}, reserveBytes: 0 },
    lanesOf: () => [['wf_2', 0]],
  })
  return storage
}

/** Stores something of everything. */
async function fill({
  config,
  events,
  runs,
  history,
  conversations,
  hourCounts,
  knowledge,
}: Storage): Promise<void> {
  await config.update(before => ({ next: withOneOfEach(before), result: null }))
  const event = eventMaker(() => now)
  const odd = '\0 \ud800 \u{1f600}'
  const run = { workspaceId: 'default', connectionId: 'conn_a', queuedAt: now, summary: '{}', data: odd }
  const step = { path: `a ${odd}`, type: 'http', attempt: 1, startedAt: now, endedAt: now, input: odd }
  const done = { ...step, output: null, error: null, callId: null, absent: ['x'] }
  const ended = { state: 'succeeded', endedAt: now, error: null, discard: false, steps: [done] } as const
  const key = deduplicationKey('wf_1', 'a', now, 1_000_000)
  await events.append(event({ bodyText: `{"data":"${odd}"}`, headerLines: 'a: b', reading: 'form' }), [
    { ...run, workflowId: 'wf_1', lane: 'wf_1', deduplicationKey: key },
    { ...run, workflowId: 'wf_1', lane: 'wf_1', ended },
    { ...run, workflowIds: ['wf_1', 'wf_2', 'wf_3'] },
  ])
  const duplicate = [{ ...run, workflowId: 'wf_1', lane: 'wf_1', deduplicationKey: key }]
  expect((await events.append(event(), duplicate))?.duplicates.size).toBe(1)
  const hidden = event({ connectionId: 'conn_hidden' })
  await events.append(hidden)
  await events.clear('conn_hidden')
  for (const one of (await runs.claim(10, 60_000)).runs) {
    if (one.workflowId === 'wf_3')
      await runs.endPending([{ runId: one.runId, claimNumber: one.claimNumber, startedAt: now, ended }])
    else await runs.retryAt(one, now + 60_000, odd, [done])
  }
  await history.write({
    occurrences: [
      { number: 1, kind: 'call', connectionId: 'conn_a', subject: 'act_a', at: now, ...texts },
      { number: 2, kind: 'call', connectionId: null, subject: '', at: now, ...texts },
    ],
    findings: [],
    now,
  })
  await hourCounts.save('a', [{ of: '', hour: 7, doc: '{"accepted":1}' }])
  const conversation = { number: 7, workspaceId: 'default', updated: 8, head: odd, text: odd, bytes: 3 }
  await conversations.create(conversation, { mostPerWorkspace: 9, mostBytes: 999, oldest: 0 })
  const staged = await knowledge.receive(Readable.from([Buffer.from('bytes')]))
  await writeFile(staged.textPath, '[1,2,"A damaged article"]\n')
  await knowledge.add(
    {
      ...{ fileId: 'file_a', workspaceId: 'default', agentId: 'default', name: 'a', bytes: 5 },
      ...{ sha256: '277089d91c0bdf4f2e6862ba7e4a07605119431f5d13f726dd352b06f1b206a9' },
      ...{ kind: 'txt', detail: 'UTF-8', nameFits: true, characters: 1, encoding: 'utf-8', separator: null },
      ...{ chosen: noChoice, pages: null, rows: null, lines: 1, warnings: [] },
      addedAt: '2026-11-22T08:00:00.000Z',
    },
    staged,
  )
}
const texts = { summary: '{"ok":true}', details: '{"arguments":{}}', finding: null }

/** Returns the answers of the stores. */
async function answersOf({ config, events, runs, history, conversations, hourCounts, knowledge }: Storage) {
  const list = await runs.list({ limit: 200 })
  const scope = { workspaceId: 'default', agentId: 'default' }
  const staged = await knowledge.restage('file_a')
  const bytes = staged === null ? null : await readFile(staged.path, 'utf8')
  await staged?.discard()
  const { settings, listener, metricsToken, ...parts } = config.snapshot()
  return {
    ...{ settings, listener, metricsToken },
    config: Object.entries(parts).map(([name, records]) => [name, [...records]]),
    events: await Promise.all(
      ['conn_a', 'conn_hidden'].map(connectionId => events.list(connectionId, { limit: 200 })),
    ),
    list,
    runs: await Promise.all(list.runs.map(({ runId }) => runs.get(runId))),
    lanes: (await runs.laneCounts()).sort((a, b) => (a.lane < b.lane ? -1 : 1)),
    ended: await runs.countEnded({}),
    figures: await runs.figures(['wf_1', 'wf_2', 'wf_3'], now),
    claimed: (await runs.claim(10, 60_000)).runs,
    history: await history.latest(100),
    calls: await Promise.all([1, 2].map(number => history.get('call', number))),
    conversation: await conversations.get(7),
    conversations: await conversations.list({ limit: 9 }),
    hours: await hourCounts.read('', { from: 0, until: 9 }),
    files: await knowledge.list(scope),
    text: await knowledge.text('file_a', { from: 0, limit: 9 }),
    found: await knowledge.search({ ...scope, query: 'damag', limit: 9 }),
    bytes,
  }
}

/** Returns the files of a backup of a filled data folder. */
async function filledBackup(): Promise<string> {
  const storage = await open(join(await newFolder(), 'data'))
  const backup = join(await newFolder(), 'backup')
  await mkdir(backup)
  await fill(storage)
  await storage.backupSources.copyTo(backup)
  await storage.close()
  return backup
}

test('a service answers the same on files that were written from the rows of others', async () => {
  const backup = await filledBackup()
  const written = join(await newFolder(), 'written')
  await mkdir(written)
  await writeRows(written, readRows(backup, failed))
  for (const name of ['secret.key']) await cp(join(backup, name), join(written, name))
  const first = await collect(readRows(backup, failed))
  expect(await collect(readRows(written, failed))).toEqual(first)

  const [one, other] = [await open(backup), await open(written)]
  onTestFinished(async () => {
    for (const storage of [one, other]) await storage.close()
  })
  const answers = await answersOf(other)
  expect(answers).toEqual(await answersOf(one))
  expect(answers.events.map(({ events }) => events.length)).toEqual([2, 0])
  expect(answers.list.runs.map(({ state }) => state).sort()).toEqual([
    ...['retrying', 'succeeded', 'succeeded', 'waiting', 'waiting'],
  ])
  // Nothing was lost that an import must keep from being repeated.
  expect(first.rows.keys).toHaveLength(1)
  expect(first.rows.events?.[1]?.duplicateOf).toBe(first.rows.keys?.[0]?.run)
  expect(answers.found).toHaveLength(1)
  expect(answers.bytes).toBe('bytes')
})

test('reads the files of an earlier version', async () => {
  const folder = await newFolder()
  await writeFile(
    join(folder, 'config.json'),
    JSON.stringify({
      ...{ schemaVersion: 2, settings: {}, environment: [], workspaces: [] },
      connections: [{ connectionId: 'conn_a', previousSecret: null }],
    }),
  )
  const database = new DatabaseSync(join(folder, 'events.sqlite'))
  const [first = ''] = eventLogSchema.migrations
  database.exec(`${first}; PRAGMA user_version = 1;
    INSERT INTO connections (key) VALUES ('conn_a');
    INSERT INTO events VALUES (1024, 1, 'a', 1, 0, NULL, 'a: b', '{}')`)
  database.close()
  const { rows } = await collect(readRows(folder, failed))
  expect(rows.events).toMatchObject([{ seq: 1024, connection: 'conn_a', duplicateOf: null, body: '{}' }])
  expect(rows.config?.map(({ json }): unknown => JSON.parse(json))).toEqual([
    { schemaVersion: 5, settings: {} },
    { connectionId: 'conn_a', oldSecrets: [] },
  ])
})

test('leaves out rows that cannot be read, and says so', async () => {
  const backup = await filledBackup()
  const database = new DatabaseSync(join(backup, 'events.sqlite'))
  database.exec('UPDATE events SET headers = 1 WHERE seq = (SELECT min(seq) FROM events)')
  database.close()
  const unreadable: string[] = []
  const { rows } = await collect(readRows(backup, table => unreadable.push(table)))
  expect(unreadable).toEqual(['events'])
  expect(rows.events).toHaveLength(1)
  await writeFile(join(backup, 'history.sqlite'), 'SQLite format 3')
  await expect(collect(readRows(backup, failed))).rejects.toMatchObject({ code: 'damaged_backup' })
})

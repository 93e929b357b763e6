import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createHistory, type History } from '#main/history/history.ts'
import { storageBounds } from '#main/history/kinds.ts'
import type { WaitingOccurrence } from '#main/history/write-queue.ts'
import { createSequence, idOf } from '#main/lib/sequence.ts'
import { newConfig } from '#main/storage/local/lowdb-config-store.ts'
import { openSqliteHistory } from '#main/storage/local/sqlite/sqlite-history.ts'
import type { StoredOccurrence } from '#main/storage/occurrence-storage.ts'
import { exampleConnection, now, withConnections } from '../storage/config-fixtures.ts'
import { unhurried } from '../support/patience.ts'

const dayMs = 24 * 60 * 60 * 1000
const config = withConnections(newConfig(now), exampleConnection('conn_1'), exampleConnection('conn_2'))

async function newFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cc-history-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'history.sqlite')
}

type Opened = { history: History; nextNumber: () => number; problems: string[]; clock: { now: number } }

async function open(file: string, options: { maxPages?: number; at?: number } = {}): Promise<Opened> {
  const { at = now, ...rest } = options
  const clock = { now: at }
  const problems: string[] = []
  const storage = await openSqliteHistory({
    file,
    bounds: storageBounds,
    ...unhurried,
    clock: () => clock.now,
    onProblem: ({ message }) => problems.push(message),
    onNotice: notice => problems.push(notice),
    ...rest,
  })
  const history = createHistory({
    storage,
    store: { snapshot: () => config, onChange: () => () => {} },
    clock: () => clock.now,
    onProblem: notice => problems.push(notice),
  })
  onTestFinished(() => history.stop())
  return { history, nextNumber: storage.nextNumber, problems, clock }
}

const newNumber = createSequence(() => now)

function record(
  change: Partial<StoredOccurrence> = {},
  onStored = () => {},
): WaitingOccurrence & { readonly number: number } {
  const number = newNumber()
  const connectionId = change.connectionId === undefined ? 'conn_1' : change.connectionId
  return {
    number,
    connectionId,
    bytes: 100,
    toStored() {
      onStored()
      return {
        number,
        kind: 'call',
        connectionId,
        subject: '',
        at: now,
        summary: '{}',
        details: '{}',
        finding: null,
        ...change,
      }
    },
  }
}

/** Reads all pages: one that takes long ends before its limit. */
async function allOf(
  history: History,
  kind: 'call.finished' | 'event.rejected',
  connectionId = 'conn_1',
): Promise<StoredOccurrence[]> {
  const found: StoredOccurrence[] = []
  for (let below = Number.MAX_SAFE_INTEGER; below > 0; ) {
    const query = { kinds: [kind], connectionIds: [connectionId], limit: 2000, below }
    const { occurrences, checkedAbove } = await history.list(query)
    found.push(...occurrences)
    below = checkedAbove + 1
  }
  return found
}
const callsOf = (history: History, connectionId?: string) => allOf(history, 'call.finished', connectionId)

describe('a record', () => {
  test('is listed at once, and under the same number after a restart', async () => {
    const file = await newFile()
    const first = await open(file)
    const kept = record({ subject: 'act_1', details: '{"n":1}' })
    first.history.keep('call.finished', kept)
    expect(await callsOf(first.history)).toEqual([kept.toStored()])
    await first.history.stop()

    const { history, nextNumber, problems } = await open(file)
    expect(await callsOf(history)).toEqual([kept.toStored()])
    expect(await history.get('call.finished', idOf('call_', kept.number))).toEqual(kept.toStored())
    expect(await history.get('event.rejected', idOf('att_', kept.number))).toBeNull()
    expect(nextNumber()).toBeGreaterThan(kept.number)
    expect(problems).toEqual([])
  })

  test('gets later findings by its number', async () => {
    const file = await newFile()
    const first = await open(file)
    const attempt = record({ kind: 'attempt' })
    first.history.keep('event.rejected', attempt)
    await first.history.stop()
    const second = await open(file)
    second.history.addFinding(attempt.number, 'conn_1', '{"code":"unknown"}')
    await second.history.stop()
    const third = await open(file)
    const { occurrences } = await third.history.list({
      ...{ kinds: ['event.rejected'], connectionIds: ['conn_1'], limit: 9 },
    })
    expect(occurrences).toMatchObject([{ finding: '{"code":"unknown"}' }])
  })

  test('is written with a finding even if nothing else happens, and tells of both', async () => {
    const file = await newFile()
    const { history } = await open(file)
    const written: unknown[] = []
    history.written(connectionIds => written.push([...connectionIds]))
    const attempt = record({ kind: 'attempt' })
    history.keep('event.rejected', attempt)
    const onDisk = () => {
      const database = new DatabaseSync(file, { readOnly: true })
      const row = database.prepare('SELECT finding FROM occurrences').get()
      database.close()
      return row
    }
    await expect.poll(onDisk).toEqual({ finding: null })
    history.addFinding(attempt.number, 'conn_1', '{"code":"unknown"}')
    await expect.poll(onDisk).toEqual({ finding: '{"code":"unknown"}' })
    await expect.poll(() => written).toEqual([['conn_1'], ['conn_1']])
  })

  test('is deleted with its connection, also if that happened while the service was down', async () => {
    const file = await newFile()
    const first = await open(file)
    first.history.keep('call.finished', record({ connectionId: 'conn_gone' }))
    first.history.keep('call.finished', record())
    await first.history.stop()
    const { history } = await open(file)
    expect(await history.latest(10)).toMatchObject([{ connectionId: 'conn_1' }])
  })
})

describe('the stored history is bounded', () => {
  test('to the newest 1,000 calls of each connection', async () => {
    const file = await newFile()
    const { history } = await open(file)
    const records = Array.from({ length: 1010 }, () => record())
    const other = record({ connectionId: 'conn_2' })
    for (const one of [...records, other]) history.keep('call.finished', one)
    await history.stop()
    const again = await open(file)
    const numbers = (await callsOf(again.history)).map(({ number }) => number)
    expect(numbers).toEqual(
      records
        .slice(10)
        .map(({ number }) => number)
        .reverse(),
    )
    expect(await callsOf(again.history, 'conn_2')).toHaveLength(1)
  })

  test('to 7 days for attempts, and to 30 for everything else', async () => {
    const file = await newFile()
    const first = await open(file)
    for (const [name, kind] of [
      ['call.finished', 'call'],
      ['event.rejected', 'attempt'],
      ['call.refused', 'refused call'],
      ['workflow.notified', 'notification'],
      ['run.failed', 'failed_run'],
    ] as const)
      for (const days of [6, 8, 29, 31])
        first.history.keep(name, record({ kind, at: now - days * dayMs, subject: `${days}` }))
    await first.history.stop()
    const { history } = await open(file)
    const left = (await history.latest(20)).map(({ kind, subject }) => `${kind} ${subject}`)
    const others = ['call', 'refused call', 'notification', 'failed_run']
    expect(left.toSorted()).toEqual(
      ['attempt 6', ...others.flatMap(kind => [`${kind} 6`, `${kind} 8`, `${kind} 29`])].toSorted(),
    )
  })
})

test('writes a flood of refusals in few batches, and never more than the bound of a connection', async () => {
  const file = await newFile()
  const { history } = await open(file)
  let written = 0
  for (let round = 0; round < 50; round++) {
    for (let count = 0; count < 200; count++)
      history.keep(
        'event.rejected',
        record({ kind: 'attempt' }, () => written++),
      )
    await new Promise(resolve => setImmediate(resolve))
  }
  await history.stop()
  // Only some of 10,000: those that had come when the first write began, and those that were kept at the end.
  expect(written).toBeLessThanOrEqual(400)
  const again = await open(file)
  expect(await allOf(again.history, 'event.rejected')).toHaveLength(200)
})

describe('a file that cannot be used', () => {
  test('is set aside if it is damaged, and a new one is started', async () => {
    const file = await newFile()
    await writeFile(file, 'This is not a database. '.repeat(1000))
    const { history, problems } = await open(file)
    history.keep('call.finished', record())
    await history.stop()
    expect(problems).toEqual([expect.stringContaining('damaged')])
    expect((await readdir(join(file, '..'))).some(name => name.startsWith('history.sqlite.corrupt-'))).toBe(
      true,
    )
    const again = await open(file)
    expect(await callsOf(again.history)).toHaveLength(1)
  })

  test('is set aside if the damage is found later', async () => {
    const file = await newFile()
    const first = await open(file)
    for (let count = 0; count < 500; count++)
      first.history.keep('call.finished', record({ details: JSON.stringify('x'.repeat(500)) }))
    await first.history.stop()
    const bytes = await readFile(file)
    // The first page, with the schema, stays as it was.
    await writeFile(file, Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 0x5a)]))
    const { history, problems } = await open(file)
    expect(await callsOf(history)).toEqual([])
    history.keep('call.finished', record())
    await history.stop()
    expect(problems).toEqual([expect.stringContaining('damaged')])
    const again = await open(file)
    expect(await callsOf(again.history)).toHaveLength(1)
  })

  test('is replaced by a later call if that was impossible when the damage was found', async () => {
    const file = await newFile()
    const folder = dirname(file)
    const first = await open(file)
    // More than the cache of the database holds after the check at the start.
    for (let count = 0; count < 500; count++)
      first.history.keep('call.finished', record({ details: JSON.stringify('x'.repeat(9000)) }))
    await first.history.stop()
    const problems: string[] = []
    const storage = await openSqliteHistory({
      file,
      bounds: {},
      clock: () => now,
      onProblem: ({ message }) => problems.push(message),
      onNotice: notice => problems.push(notice),
    })
    onTestFinished(() => storage.close())
    const list = async () =>
      (await storage.list({ kinds: ['call'], connectionIds: ['conn_1'], limit: 999 })).occurrences
    const bytes = await readFile(file)
    await writeFile(file, Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 0x5a)]))
    await rename(folder, `${folder}-away`)
    expect(await list()).toEqual([])
    expect(problems).toEqual([expect.stringContaining('no such file')])
    await rename(`${folder}-away`, folder)
    expect(await list()).toEqual([])
    expect(problems.at(-1)).toContain('damaged')
    expect((await readdir(folder)).some(name => name.startsWith('history.sqlite.corrupt-'))).toBe(true)
    await storage.backup(join(folder, 'copy.sqlite'))
  })

  test('makes a backup fail instead of leaving the history out', async () => {
    const file = await newFile()
    await mkdir(file)
    const storage = await openSqliteHistory({
      file,
      bounds: {},
      clock: () => now,
      onProblem: () => {},
      onNotice: () => {},
    })
    await expect(storage.backup(join(dirname(file), 'copy.sqlite'))).rejects.toMatchObject({
      code: 'storage_unavailable',
      message: expect.stringContaining(file),
    })
    await storage.close()
  })

  test('stays unchanged if it has a newer version, and the history is in memory', async () => {
    const file = await newFile()
    const first = await open(file)
    await first.history.stop()
    const database = new DatabaseSync(file)
    database.exec('PRAGMA user_version = 999')
    database.close()
    const { history, problems } = await open(file)
    const kept = record()
    history.keep('call.finished', kept)
    expect(await callsOf(history)).toEqual([kept.toStored()])
    expect(problems[0]).toContain('newer version')
    expect(await readdir(join(file, '..'))).toEqual(['history.sqlite'])
  })

  test('keeps records in memory if it is full, and reports that once', async () => {
    const { history, problems } = await open(await newFile(), { maxPages: 12 })
    const details = JSON.stringify('x'.repeat(100_000))
    const kept = record({ details })
    history.keep('call.finished', kept)
    await expect.poll(() => problems.length).toBe(1)
    expect(problems[0]).toContain('in memory only')
    expect(await callsOf(history)).toEqual([kept.toStored()])
  })
})

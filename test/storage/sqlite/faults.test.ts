import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import { sequenceOfEventId } from '#main/lib/sequence.ts'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import {
  openSqliteEventLog,
  type SqliteEventLogOptions,
} from '#main/storage/local/sqlite/sqlite-event-log.ts'
import { unhurried } from '../../support/patience.ts'
import { bodyOf, countOf, eventMaker } from '../event-log-events.ts'
import { openTemporary } from './open-temporary.ts'

const toDispose: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const dispose of toDispose.splice(0)) await dispose()
})

async function open(options?: Omit<SqliteEventLogOptions, 'file'>) {
  const opened = await openTemporary(options)
  toDispose.push(opened.dispose)
  return opened
}

const unavailable = { name: 'ServiceError', code: 'unavailable', status: 503 }
const make = eventMaker()

describe('a locked database', () => {
  it('makes appends unavailable until the lock is gone', async () => {
    const { log, file } = await open()
    const other = new DatabaseSync(file)
    other.exec('BEGIN IMMEDIATE')
    await expect(log.append(make())).rejects.toMatchObject(unavailable)
    expect(await log.isWritable()).toBe(false)
    await expect(log.clear('conn_a')).resolves.toBe(0)
    other.exec('ROLLBACK')
    other.close()
    const event = make()
    await log.append(event)
    expect(await log.isWritable()).toBe(true)
    expect((await log.list('conn_a', { limit: 10 })).events).toEqual([event])
  })
})

describe('a full disk', () => {
  it('rejects events without room, keeps the others, and recovers when there is room', async () => {
    const { log } = await open({ maxPages: 60 })
    const kept: LoggedEvent[] = []
    let failure: unknown = null
    while (failure === null) {
      const event = make({ bodyText: bodyOf({ a: 'x'.repeat(3000) }) })
      failure = await log.append(event).then(
        () => null,
        error => error,
      )
      if (failure === null) kept.push(event)
    }
    expect(failure).toMatchObject(unavailable)
    const newConnection = make({ connectionId: 'conn_new', bodyText: bodyOf({ a: 'x'.repeat(30_000) }) })
    await expect(log.append(newConnection)).rejects.toMatchObject(unavailable)
    const page = await log.list('conn_a', { limit: 200 })
    expect(page.events).toEqual(kept.toReversed())
    expect(await countOf(log, 'conn_a')).toBe(kept.length)

    log.setRetention('conn_a', { maxEvents: 5, maxDays: 30 })
    await expect.poll(() => countOf(log, 'conn_a')).toBe(5)
    await log.append(make({ connectionId: 'conn_new' }))
    expect(await countOf(log, 'conn_new')).toBe(1)
  })
})

describe('a log that has filled its disk', () => {
  it('is not writable until something is deleted, then reuses the freed pages', async () => {
    const { log, file } = await open({ maxPages: 200, roomToGrow: Number.POSITIVE_INFINITY })
    const large = () => make({ bodyText: bodyOf({ a: 'x'.repeat(3000) }) })
    expect(await log.isWritable()).toBe(true)
    for (;;) {
      const isStored = await log.append(large()).then(
        () => true,
        () => false,
      )
      if (!isStored) break
    }
    expect(await log.isWritable()).toBe(false)
    await expect.poll(() => log.outage()).toBe('disk_full')
    const { size } = await stat(file)
    expect(await log.clear('conn_a')).toBeGreaterThan(100)
    await expect.poll(() => log.isWritable()).toBe(true)
    await expect.poll(() => log.outage()).toBeNull()
    const event = large()
    await log.append(event)
    expect((await log.list('conn_a', { limit: 1 })).events).toEqual([event])
    expect((await stat(file)).size).toBe(size)
  })
})

it('keeps its events when the clock is ten years ahead for a moment', async () => {
  let now = Date.now()
  const { log, reopen } = await open({ clock: () => now, clockSettleMs: 3_600_000 })
  const retention = { maxEvents: 1000, maxDays: 30 }
  await log.append(make({ receivedAt: now }))
  now += 10 * 365 * 86_400_000
  log.setRetention('conn_a', retention)
  await log.append(make({ receivedAt: now }))
  // Answered by the same thread, behind the pruning.
  expect(await log.isWritable()).toBe(true)
  expect(await countOf(log, 'conn_a')).toBe(2)
  now -= 10 * 365 * 86_400_000
  const again = await reopen()
  again.setRetention('conn_a', retention)
  await again.append(make({ receivedAt: now }))
  expect(await countOf(again, 'conn_a')).toBe(3)
})

describe('too much waiting', () => {
  it('rejects events past the bound at once, and stores those before it', async () => {
    const { log, file } = await open()
    const other = new DatabaseSync(file)
    other.exec('BEGIN IMMEDIATE')
    const outcomes = await Promise.all([
      ...Array.from({ length: 20_000 }, () =>
        log.append(make()).then(
          () => 'stored',
          () => 'rejected',
        ),
      ),
      log.append(make()).then(
        () => 'stored',
        error => {
          other.exec('ROLLBACK')
          return error.code
        },
      ),
    ])
    other.close()
    expect(outcomes.at(-1)).toBe('unavailable')
    expect(outcomes.filter(outcome => outcome === 'stored')).toHaveLength(20_000)
  })
})

describe('damage', () => {
  const aside = async (file: string) =>
    (await readdir(dirname(file))).filter(name =>
      /^events\.sqlite\.corrupt-[^-]+-\d\d-\d\dT[^-]+-\d\d-[\d.]+Z$/.test(name),
    )

  it.each([
    ['no database at all', async (file: string) => writeFile(file, 'This is not a database. '.repeat(1000))],
    [
      'a database whose schema is overwritten',
      async (file: string) => {
        const bytes = new Uint8Array(8192)
        bytes.set(new TextEncoder().encode('SQLite format 3\0'))
        await writeFile(file, bytes)
      },
    ],
  ])('sets %s aside and starts a new one', async (_, damage) => {
    const { log, file } = await open()
    await log.append(make())
    await log.close()
    await damage(file)
    const notices: string[] = []
    const fresh = await openSqliteEventLog({ file, onNotice: notice => notices.push(notice) })
    toDispose.unshift(() => fresh.close())
    expect(notices).toEqual([expect.stringContaining('damaged')])
    expect(await aside(file)).toHaveLength(1)
    await fresh.append(make())
    expect(await countOf(fresh, 'conn_a')).toBe(1)
  })

  it.each([
    ['is missing', (file: string) => rm(file)],
    ['was empty', (file: string) => writeFile(file, '')],
  ])('reports that the expected log %s, and starts a new one', async (says, lose) => {
    const { log, file } = await open()
    await log.append(make())
    await log.close()
    await lose(file)
    const notices: string[] = []
    const options = { file, isExpected: true, onNotice: (notice: string) => notices.push(notice) }
    const fresh = await openSqliteEventLog(options)
    toDispose.unshift(() => fresh.close())
    expect(notices).toEqual([expect.stringContaining(says)])
    await fresh.append(make())
    expect(await countOf(fresh, 'conn_a')).toBe(1)
  })

  it('rebuilds a damaged search index', async () => {
    const opened = await open()
    await opened.log.append(make({ bodyText: bodyOf({ note: 'needle' }) }))
    await opened.log.close()
    await writeFile(`${opened.file}.index`, 'nonsense '.repeat(2000))
    const log = await opened.reopen()
    expect((await log.list('conn_a', { limit: 1, text: 'needle' })).events).toHaveLength(1)
    await expect.poll(() => watermarkOf(opened.file)).toBeGreaterThan(0)
  })

  it('opens without a search index if none can be created, and still finds events', async () => {
    const opened = await open()
    const events = Array.from({ length: 2000 }, (_, at) =>
      make({ bodyText: bodyOf({ note: `needle ${at}` }) }),
    )
    await Promise.all(events.map(event => opened.log.append(event)))
    await opened.log.close()
    for (const suffix of ['', '-wal', '-shm']) await rm(`${opened.file}.index${suffix}`, { force: true })
    await mkdir(`${opened.file}.index`)
    const errors: string[] = []
    const options = { ...unhurried, file: opened.file, onError: ({ message }: Error) => errors.push(message) }
    const log = await openSqliteEventLog(options)
    toDispose.unshift(() => log.close())
    expect(errors).toEqual([expect.stringContaining('The search index cannot be created')])
    await log.append(make({ bodyText: bodyOf({ note: 'needle in the end' }) }))
    expect((await log.list('conn_a', { limit: 200, text: 'needle 12' })).events).toHaveLength(111)
    expect((await log.list('conn_a', { limit: 200, text: 'in the end' })).events).toHaveLength(1)
  })

  it('goes on without an index that is damaged and cannot be replaced', async () => {
    const errors: string[] = []
    const { log, file } = await open({ onError: ({ message }) => errors.push(message) })
    const events = Array.from({ length: 2000 }, (_, at) =>
      make({ bodyText: bodyOf({ note: `needle ${at}` }) }),
    )
    await Promise.all(events.map(event => log.append(event)))
    await expect.poll(() => watermarkOf(file)).toBe(seqOf(events.at(-1)))
    damageIndex(file)
    // With another file in its place, the index cannot be deleted.
    await rm(`${file}.index-shm`)
    await mkdir(`${file}.index-shm`)
    expect((await log.list('conn_a', { limit: 200, text: 'needle 12' })).events).toHaveLength(111)
    await log.append(make({ bodyText: bodyOf({ note: 'in the end' }) }))
    expect((await log.list('conn_a', { limit: 200, text: 'in the end' })).events).toHaveLength(1)
    expect(errors.at(-1)).toContain('The search index cannot be created')
  })

  it('refuses a log of a newer version and does not change it', async () => {
    const { log, file } = await open()
    await log.append(make())
    await log.close()
    const database = new DatabaseSync(file)
    database.exec('PRAGMA user_version = 999')
    database.close()
    await expect(openSqliteEventLog({ file })).rejects.toMatchObject({
      code: 'storage_unavailable',
      message: expect.stringContaining('newer version'),
    })
    expect(await aside(file)).toEqual([])
  })

  it('refuses a log with a foreign trigger, which could drop every event', async () => {
    const { log, file } = await open()
    await log.append(make())
    await log.close()
    const database = new DatabaseSync(file)
    database.exec('CREATE TRIGGER taken BEFORE INSERT ON events BEGIN SELECT RAISE(IGNORE); END')
    database.close()
    await expect(openSqliteEventLog({ file })).rejects.toMatchObject({
      code: 'storage_unavailable',
      message: expect.stringContaining('trigger taken'),
    })
    expect(await aside(file)).toEqual([])
  })

  it('refuses a path that cannot hold a database', async () => {
    const { file } = await open()
    await mkdir(join(dirname(file), 'folder'))
    await expect(openSqliteEventLog({ file: join(dirname(file), 'folder') })).rejects.toMatchObject({
      code: 'storage_unavailable',
    })
    await expect(openSqliteEventLog({ file: join(dirname(file), 'absent', 'x') })).rejects.toMatchObject({
      code: 'storage_unavailable',
    })
  })
})

it('creates files that only their owner can read', async () => {
  const { log, file } = await open()
  await log.append(make())
  const folder = dirname(file)
  for (const name of await readdir(folder)) {
    expect.soft([name, ((await stat(join(folder, name))).mode & 0o777).toString(8)]).toEqual([name, '600'])
  }
  expect((await readdir(folder)).length).toBeGreaterThanOrEqual(6)
})

const seqOf = (event: LoggedEvent | undefined) => sequenceOfEventId(event?.eventId ?? '') ?? Number.NaN

/** Deletes the lists of the index. Other connections notice it at their next read. */
function damageIndex(file: string): void {
  const index = new DatabaseSync(`${file}.index`, { defensive: false })
  // Up to 10 are the descriptions of the lists.
  index.exec('DELETE FROM words_data WHERE id > 10; DELETE FROM trigrams_data WHERE id > 10')
  index.close()
}

function watermarkOf(file: string): number {
  const index = new DatabaseSync(`${file}.index`, { readOnly: true })
  try {
    return Number(index.prepare('SELECT watermark FROM state').get()?.watermark ?? -1)
  } finally {
    index.close()
  }
}

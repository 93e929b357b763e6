import { spawn } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import { openSqliteEventLog } from '#main/storage/local/sqlite/sqlite-event-log.ts'
import { countOf, eventMaker } from '../event-log-events.ts'
import { openTemporary } from './open-temporary.ts'

const toDispose: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const dispose of toDispose.splice(0)) await dispose()
})

async function open() {
  const opened = await openTemporary()
  toDispose.push(opened.dispose)
  return opened
}

/** Appends from `producers` at once, each waiting for its last one, until `enough`. @returns how many. */
async function produce(
  log: { append(event: ReturnType<ReturnType<typeof eventMaker>>): Promise<unknown> },
  producers: number,
  enough: (appended: number) => boolean,
) {
  const make = eventMaker()
  let appended = 0
  const one = async () => {
    while (!enough(appended)) {
      await log.append(make())
      appended++
    }
  }
  await Promise.all(Array.from({ length: producers }, one))
  return appended
}

describe('under load', () => {
  it('commits many events at once', async () => {
    const { log, file } = await open()
    const reader = new DatabaseSync(file, { readOnly: true })
    const version = reader.prepare('PRAGMA data_version')
    const versions = new Set<unknown>()
    let left = 4000
    const make = eventMaker()
    const one = async () => {
      while (left-- > 0) {
        await log.append(make())
        versions.add(version.get()?.data_version)
      }
    }
    await Promise.all(Array.from({ length: 64 }, one))
    reader.close()
    expect(versions.size).toBeLessThan(4000 / 8)
  })

  it('keeps the write-ahead log within bounds', async () => {
    const { log, file } = await open()
    log.setRetention('conn_a', { maxEvents: 1000, maxDays: 30 })
    let largest = 0
    const watch = setInterval(async () => {
      largest = Math.max(largest, (await stat(`${file}-wal`)).size)
    }, 50)
    // About 120 MB without a checkpoint.
    await produce(log, 200, appended => appended >= 30_000)
    clearInterval(watch)
    expect(largest).toBeLessThan(60 * 2 ** 20)
    await expect.poll(() => countOf(log, 'conn_a')).toBe(1000)
    expect((await stat(file)).size).toBeLessThan(50 * 2 ** 20)
  })

  it('makes a complete copy while events arrive', async () => {
    const { log, file } = await open()
    let copied = false
    const producing = produce(log, 8, () => copied)
    await expect.poll(() => countOf(log, 'conn_a')).toBeGreaterThan(200)
    const before = await countOf(log, 'conn_a')
    await log.backup(`${file}.copy`)
    copied = true
    await producing
    expect((await stat(`${file}.copy`)).mode & 0o777).toBe(0o600)
    const copy = await openSqliteEventLog({ file: `${file}.copy` })
    toDispose.unshift(() => copy.close())
    expect(await countOf(copy, 'conn_a')).toBeGreaterThanOrEqual(before)
    expect((await copy.list('conn_a', { limit: 1, text: 'order' })).events).toHaveLength(1)
  })
})

describe('kill -9', () => {
  it.each([1, 2, 3, 4])('loses no acknowledged event and stores none twice (round %i)', async round => {
    const folder = await mkdtemp(join(tmpdir(), 'event-log-kill-'))
    toDispose.push(() => rm(folder, { recursive: true }))
    const file = join(folder, 'events.sqlite')
    const child = spawn(process.execPath, [join(import.meta.dirname, 'append-until-killed.ts'), file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const acknowledged: string[] = []
    const ended = new Promise(resolve => child.once('exit', resolve))
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged.push(...line.split(' '))
      if (acknowledged.length > 1500 * round) child.kill('SIGKILL')
    }
    await ended

    const database = new DatabaseSync(file)
    expect(database.prepare('PRAGMA quick_check').get()).toEqual({ quick_check: 'ok' })
    const seqs = database
      .prepare('SELECT seq FROM events')
      .all()
      .map(row => Number(row.seq))
    database.close()
    const stored = new Set(seqs)
    expect(seqs).toHaveLength(stored.size)
    const lost = acknowledged.filter(id => !stored.has(Number.parseInt(id.slice(4), 36)))
    expect(lost).toEqual([])

    const log = await openSqliteEventLog({ file })
    expect(await countOf(log, 'conn_a')).toBe(seqs.length)
    await log.close()
  })
})

import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type BackupEntry, backupBounds, createBackupList } from '#main/backup/backup-list.ts'
import { openSqliteHistory } from '#main/storage/local/sqlite/sqlite-history.ts'
import { newFolder } from '../storage/config-fixtures.ts'

const start = Date.UTC(2026, 10, 30)
const good: BackupEntry = { at: start, bytes: 100, source: 'noted', label: null, ok: true, error: null }
const failed: BackupEntry = { ...good, bytes: null, ok: false, error: 'The disk is full.' }

async function openList(most?: number) {
  const file = join(await newFolder(), 'history.sqlite')
  const problems: string[] = []
  const bounds = Object.fromEntries(
    Object.entries(backupBounds).map(([kind, bound]) => [kind, { ...bound, most: most ?? bound.most }]),
  )
  const storage = await openSqliteHistory({
    ...{ file, bounds, clock: () => start, onNotice: () => {} },
    onProblem: error => problems.push(error.message),
  })
  onTestFinished(() => storage.close())
  const state = { isFull: false }
  const list = createBackupList({
    storage: {
      list: storage.list,
      write: batch => (state.isFull ? Promise.reject(new Error('disk full')) : storage.write(batch)),
    },
    nextNumber: storage.nextNumber,
    clock: () => start,
    onProblem: notice => problems.push(notice),
  })
  return { list, state, problems }
}

test('backups are listed by the time of their data, whenever they were noted', async () => {
  const { list } = await openList()
  await list.note({ ...good, at: start - 10 })
  await list.note(good)
  await list.note({ ...good, at: start - 5 })
  await list.put({ ...failed, at: start + 5 })
  expect((await list.list()).map(({ at }) => at - start)).toEqual([5, 0, -5, -10])
  expect(await list.newestGoodAt()).toBe(start)
})

test('the time of the newest good backup is null while none is known', async () => {
  const { list } = await openList()
  await list.failed('rest', new Error('no'))
  expect(await list.newestGoodAt()).toBe(null)
  expect(await list.list()).toEqual([{ ...failed, source: 'rest', error: 'no' }])
})

test('a further entry with the same time replaces the first, also a failed one', async () => {
  const { list } = await openList()
  await list.put({ ...failed, source: 'schedule' })
  await list.put({ ...good, source: 'schedule', label: 'file' })
  await list.note({ ...good, label: 'again' })
  expect(await list.list()).toEqual([{ ...good, label: 'again' }])
})

test('a download that the command line has verified is one backup, whichever is told first', async () => {
  const { list } = await openList()
  const command: BackupEntry = { ...good, source: 'command' }
  const sent: BackupEntry = { ...good, source: 'rest' }
  await list.note(command)
  await list.sent(sent)
  expect(await list.list()).toEqual([command])
  await list.sent({ ...sent, at: start + 7 })
  await list.note({ ...command, at: start + 7 })
  expect(await list.list()).toEqual([{ ...command, at: start + 7 }, command])
  // Two downloads that began in the same millisecond are two.
  await list.sent({ ...sent, at: start - 7 })
  await list.sent({ ...sent, at: start - 7 })
  expect((await list.list()).map(({ at }) => at - start)).toEqual([7, 0, -6, -7])
})

test('an entry that cannot be written waits in memory, and a note that cannot be is an error', async () => {
  const { list, state, problems } = await openList()
  state.isFull = true
  await list.put(failed)
  await expect(list.note({ ...good, at: start + 1 })).rejects.toMatchObject({ code: 'storage_unavailable' })
  expect(await list.list()).toEqual([failed])
  expect(await list.newestGoodAt()).toBe(null)
  expect(problems).toEqual(['The list of backups cannot be written: disk full'])
  state.isFull = false
  await list.put({ ...good, at: start + 2 })
  expect((await list.list()).map(({ at }) => at - start)).toEqual([2, 0])
})

test('failures do not displace the newest good backup', async () => {
  const { list } = await openList(2)
  await list.put({ ...good, source: 'schedule' })
  for (const n of [1, 2, 3]) await list.put({ ...failed, source: 'schedule', at: start + n })
  expect((await list.list()).map(({ at }) => at - start)).toEqual([3, 2, 0])
  expect(await list.newestGoodAt()).toBe(start)
})

import { existsSync } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { systemFiles } from '#main/lib/file-system.ts'
import { openConfigStore } from '#main/storage/local/lowdb-config-store.ts'
import { openReserve, type Reserve, reserveBytes } from '#main/storage/local/reserve.ts'
import { eventually } from '../support/eventually.ts'
import { exampleConnection, newFolder, sealer, withConnections } from './config-fixtures.ts'

const mebibyte = 1024 * 1024
const full = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })

/** A disk with so many bytes free, whatever the real one has. */
async function openOn(
  file: string,
  disk: { free: number },
): Promise<{ reserve: Reserve; notices: string[] }> {
  const notices: string[] = []
  const reserve = await openReserve(file, notice => notices.push(notice), reserveBytes, {
    async writeFile(path, bytes) {
      if (bytes.length > disk.free) throw full()
      await writeFile(path, bytes)
    },
    freeBytes: async () => disk.free,
  })
  onTestFinished(() => reserve.stop())
  return { reserve, notices }
}

test('reserves 16 MiB, or less if little is free', async () => {
  const folder = await newFolder()
  const roomy = join(folder, 'roomy')
  const tight = join(folder, 'tight')
  await (await openOn(roomy, { free: 1000 * mebibyte })).reserve.stop()
  await (await openOn(tight, { free: 20 * mebibyte })).reserve.stop()
  expect((await stat(roomy)).size).toBe(16 * mebibyte)
  expect((await stat(tight)).size).toBe(5 * mebibyte)
})

test('releases the reserve once, and takes it again when there is room', async () => {
  const file = join(await newFolder(), 'reserve')
  const disk = { free: 1000 * mebibyte }
  const { reserve, notices } = await openOn(file, disk)
  await expect.poll(() => existsSync(file)).toBe(true)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  disk.free = 0
  expect(await reserve.release()).toBe(true)
  expect(existsSync(file)).toBe(false)
  expect(await reserve.release()).toBe(false)
  await vi.advanceTimersByTimeAsync(5000)
  expect(reserve.isReleased()).toBe(true)
  disk.free = 1000 * mebibyte
  await vi.advanceTimersByTimeAsync(5000)
  await eventually(() => expect(reserve.isReleased()).toBe(false))
  expect((await stat(file)).size).toBe(16 * mebibyte)
  expect(notices).toEqual([expect.stringContaining('was deleted'), expect.stringContaining('is back')])
})

test('releases the reserve at a start on a full disk', async () => {
  const file = join(await newFolder(), 'reserve')
  await (await openOn(file, { free: 1000 * mebibyte })).reserve.stop()
  const { reserve } = await openOn(file, { free: 0 })
  expect(reserve.isReleased()).toBe(true)
  expect(existsSync(file)).toBe(false)
})

test('writes the configuration on a full disk with the room of the reserve', async () => {
  const folder = await newFolder()
  const file = join(folder, 'reserve')
  const disk = { free: 1000 * mebibyte }
  const { reserve } = await openOn(file, disk)
  await expect.poll(() => existsSync(file)).toBe(true)
  disk.free = 0
  const store = await openConfigStore({
    file: join(folder, 'config.json'),
    sealer,
    clock: () => 0,
    makeRoom: reserve.release,
    fs: {
      ...systemFiles,
      async open(...given: Parameters<typeof systemFiles.open>) {
        if (given[1] === 'wx' && existsSync(file)) throw full()
        return systemFiles.open(...given)
      },
    },
  })
  await store.update(config => ({ next: withConnections(config, exampleConnection('conn_1')), result: null }))
  expect(reserve.isReleased()).toBe(true)
  await store.close()
})

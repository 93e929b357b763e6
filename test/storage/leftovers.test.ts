import { randomBytes } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openStorage } from '#main/storage/open-storage.ts'
import { createLogRecorder } from '../support/log-recorder.ts'
import { newFolder } from './config-fixtures.ts'

/** Files that a kill may leave in a data folder. */
const left = [
  ...['config.json.tmp', 'config.json.bak.tmp'],
  ...['config.v1.json.tmp', 'config.v12-3.json.tmp'], // copies that a migration keeps
  ...['secret.key.tmp', 'admin-token.tmp', 'statistics.json.tmp', 'sessions.json.tmp', 'sample.json.tmp'],
  ...['service.json.tmp', 'desktop.json.tmp', 'reserve.tmp', 'reserve.probe'],
]

/** Names that are not the service's, or that it keeps. */
const kept = [
  'notes.tmp',
  'config.json.tmp.tmp',
  'my config.json.tmp',
  'config.json.damaged-2026-11-21T09-30-00.000Z',
  'config.v1.json',
  'config.vx.json.tmp',
  'desktop.json',
]

async function start(dataFolder: string, reserveBytes = 0): Promise<void> {
  const { storage } = await openStorage({
    dataFolder,
    env: {},
    logger: createLogRecorder().logger,
    clock: () => Date.parse('2026-11-21T09:30:00.000Z'),
    random: randomBytes,
    historyBounds: {},
    lanesOf: () => [],
    reserveBytes,
    onFolderLost: () => {},
  })
  await storage.close()
}

async function usedFolder(): Promise<string> {
  const dataFolder = join(await newFolder(), 'data')
  await start(dataFolder)
  return dataFolder
}

describe('a start', () => {
  it('removes the temporary files that a kill has left', async () => {
    const dataFolder = await usedFolder()
    const before = await readdir(dataFolder)
    for (const name of left) await writeFile(join(dataFolder, name), '{"half')
    await start(dataFolder)
    expect(await readdir(dataFolder)).toEqual(before)
  })

  it('removes what a killed restore has left beside the data folder', async () => {
    const dataFolder = await usedFolder()
    for (const name of ['restoring', 'restored']) {
      await mkdir(`${dataFolder}.${name}`)
      await writeFile(join(`${dataFolder}.${name}`, 'config.json'), '{}')
    }
    await start(dataFolder)
    expect(await readdir(dirname(dataFolder))).toEqual(['data'])
  })

  it('keeps every other file', async () => {
    const dataFolder = await usedFolder()
    for (const name of kept) await writeFile(join(dataFolder, name), 'x')
    await mkdir(`${dataFolder}.restoring-of-mine`)
    await start(dataFolder)
    expect(await readdir(dataFolder)).toEqual(expect.arrayContaining(kept))
    expect(await readdir(dirname(dataFolder))).toEqual(['data', 'data.restoring-of-mine'])
  })

  it('keeps the temporary file of a configuration that cannot be read', async () => {
    const dataFolder = await usedFolder()
    for (const name of ['config.json', 'config.json.bak', 'config.json.tmp'])
      await writeFile(join(dataFolder, name), '{"half')
    await expect(start(dataFolder)).rejects.toMatchObject({ code: 'damaged_configuration' })
    expect(await readdir(dataFolder)).toContain('config.json.tmp')
  })

  it('starts although a leftover cannot be removed', async () => {
    const dataFolder = await usedFolder()
    for (const name of ['config.json.tmp', 'reserve.tmp'])
      await mkdir(join(dataFolder, name, 'a folder'), { recursive: true })
    await start(dataFolder)
  })
})

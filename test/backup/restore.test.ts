import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  chown,
  cp,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { restoreBackup } from '#main/backup/restore.ts'
import { sha256Hex } from '#main/lib/sha256-hex.ts'
import { openDataFolder } from '#main/storage/local/data-folder.ts'
import { restoreSiblings } from '#main/storage/local/pending-restore.ts'
import { filesIn, newFolder } from '../storage/config-fixtures.ts'
import { runCli } from '../support/cli-process.ts'
import {
  clock,
  exampleBackup,
  exampleFolder,
  goodContents,
  manifestOf,
  plainFolder,
  writeArchive,
  writeArchiveOf,
} from './fixtures.ts'

const posix = process.platform !== 'win32'
const aside = 'data.before-restore-2026-11-21T09-30-00.000Z'
const lockFiles = ['lock.sqlite', 'lock.sqlite-journal', 'lock.pid']
const smallBackup = () => writeArchive([manifestOf(goodContents), ...goodContents])

/** The digests of the files that matter, by name. */
async function contentOf(folder: string): Promise<Record<string, string>> {
  const files = (await filesIn(folder)).filter(({ name }) => !lockFiles.includes(name))
  return Object.fromEntries(files.map(({ name, bytes }) => [name, sha256Hex(bytes.toString('latin1'))]))
}
const restored = Object.fromEntries(goodContents.map(({ name, text }) => [name, sha256Hex(text)]))

describe('a restore', () => {
  it('creates a new folder that only its owner can read', async () => {
    const { file, folder, manifest } = await exampleBackup()
    const parent = await newFolder()
    const dataFolder = join(parent, 'new', 'data')
    const result = await restoreBackup({ file, dataFolder, force: false, clock })
    expect(result).toEqual({ path: dataFolder, manifest, setAside: null, notices: [] })
    expect(await readdir(dirname(dataFolder))).toEqual(['data'])
    const files = await filesIn(dataFolder)
    expect(files.map(({ name }) => name)).toEqual(manifest.files.map(({ name }) => name).sort())
    if (posix) {
      expect((await stat(dataFolder)).mode & 0o777).toBe(0o700)
      expect(new Set(files.map(({ mode }) => mode))).toEqual(new Set([0o600]))
    }
    for (const name of ['config.json', 'secret.key', 'admin-token'])
      expect(await readFile(join(dataFolder, name))).toEqual(await readFile(join(folder, name)))
  })

  it('needs no --force for a folder that is empty or has only a lock', async () => {
    const file = await smallBackup()
    const dataFolder = join(await newFolder(), 'data')
    await (await openDataFolder(dataFolder)).close()
    await writeFile(join(dataFolder, 'service.json'), '{}')
    expect(await restoreBackup({ file, dataFolder, force: false, clock })).toMatchObject({ setAside: null })
    expect(await contentOf(dataFolder)).toEqual(restored)
    expect(await readdir(dirname(dataFolder))).toEqual(['data'])
  })

  it('moves a folder with content aside, unchanged, only with --force', async () => {
    const file = await smallBackup()
    const dataFolder = await plainFolder()
    const before = await contentOf(dataFolder)
    if (posix) await chmod(dataFolder, 0o750)
    await expect(restoreBackup({ file, dataFolder, force: false, clock })).rejects.toMatchObject({
      code: 'data_folder_not_empty',
      message: expect.stringContaining(dataFolder),
    })
    expect(await contentOf(dataFolder)).toEqual(before)

    const parent = dirname(dataFolder)
    const result = await restoreBackup({ file, dataFolder, force: true, clock })
    expect(result.setAside).toBe(join(parent, aside))
    expect(await contentOf(dataFolder)).toEqual(restored)
    expect(await contentOf(join(parent, aside))).toEqual(before)
    if (posix) expect((await stat(dataFolder)).mode & 0o777).toBe(0o750)
    await restoreBackup({ file, dataFolder, force: true, clock })
    expect((await readdir(parent)).sort()).toEqual(['data', aside, `${aside}-2`])
  })

  it.each([
    {
      what: 'a configuration that does not open with the key beside it',
      spoil: (folder: string) =>
        writeFile(join(folder, 'secret.key'), `${'A'.repeat(43)}\n`, { mode: 0o600 }),
      says: 'cannot be used with its secret.key',
    },
    {
      what: 'a log with a trigger of somebody else',
      spoil: (folder: string) => {
        const database = new DatabaseSync(join(folder, 'events.sqlite'))
        database.exec('CREATE TRIGGER taken BEFORE INSERT ON events BEGIN SELECT RAISE(IGNORE); END')
        database.close()
      },
      says: 'trigger taken',
    },
    {
      what: 'a log that is not a database',
      spoil: (folder: string) => writeFile(join(folder, 'events.sqlite'), Buffer.alloc(8192)),
      says: 'event log cannot be used',
    },
  ])('refuses $what, and changes nothing', async ({ spoil, says }) => {
    const folder = await exampleFolder()
    await spoil(folder)
    const contents = await Promise.all(
      ['config.json', 'secret.key', 'events.sqlite'].map(async name => ({
        name,
        bytes: await readFile(join(folder, name)),
      })),
    )
    const dataFolder = await plainFolder()
    const before = await contentOf(dataFolder)
    await expect(
      restoreBackup({ file: await writeArchiveOf(contents), dataFolder, force: true, clock }),
    ).rejects.toMatchObject({ code: 'damaged_backup', message: expect.stringContaining(says) })
    expect(await contentOf(dataFolder)).toEqual(before)
    expect(await readdir(dirname(dataFolder))).toEqual(['data'])
  })

  it('refuses a folder that another process holds', async () => {
    const file = await smallBackup()
    const dataFolder = await plainFolder()
    const opener = join(import.meta.dirname, '../storage/data-folder-opener.ts')
    const child = spawn(process.execPath, [opener, dataFolder])
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    await expect(restoreBackup({ file, dataFolder, force: true, clock })).rejects.toMatchObject({
      code: 'data_folder_in_use',
      message: expect.stringContaining(`${child.pid}`),
    })
    expect(await readdir(dirname(dataFolder))).toEqual(['data'])
  })

  it.runIf(posix)('follows a symbolic link, and leaves it', async () => {
    const file = await smallBackup()
    const dataFolder = await plainFolder()
    const link = join(await newFolder(), 'link')
    await symlink(dataFolder, link)
    expect(await restoreBackup({ file, dataFolder: link, force: true, clock })).toMatchObject({
      path: dataFolder,
    })
    expect(await contentOf(link)).toEqual(restored)
  })

  it.runIf(process.getuid?.() === 0)(
    'by root belongs to whom the folder belonged, or the one above a new one',
    async () => {
      const dataFolder = await plainFolder()
      await chown(dataFolder, 12345, 23456)
      await restoreBackup({ file: await smallBackup(), dataFolder, force: true, clock })
      for (const path of [dataFolder, join(dataFolder, 'config.json'), join(dataFolder, 'admin-token')])
        expect(await stat(path)).toMatchObject({ uid: 12345, gid: 23456 })
      const parent = await newFolder()
      await chown(parent, 12345, 23456)
      const fresh = join(parent, 'data')
      await restoreBackup({ file: await smallBackup(), dataFolder: fresh, force: false, clock })
      expect(await stat(fresh)).toMatchObject({ uid: 12345, gid: 23456 })
      expect((await stat(fresh)).mode & 0o777).toBe(0o700)
    },
  )

  it('leaves the folder unchanged if it cannot create one beside it', async () => {
    const parent = await newFolder()
    // A name that is as long as one may be leaves no room for one beside it.
    const dataFolder = join(parent, 'd'.repeat(255))
    await mkdir(dataFolder)
    await writeFile(join(dataFolder, 'config.json'), 'old')
    await expect(
      restoreBackup({ file: await smallBackup(), dataFolder, force: true, clock }),
    ).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(await readFile(join(dataFolder, 'config.json'), 'utf8')).toBe('old')
  })
})

describe('kill -9 during a restore', () => {
  it('leaves the old or the new folder at any step, and can be repeated', async () => {
    const { file } = await exampleBackup()
    const template = await plainFolder()
    const old = await contentOf(template)
    const fresh = await restoredFrom(file)
    const states: string[] = []
    let total = Number.POSITIVE_INFINITY
    for (let at = 0; at <= total; at++) {
      const parent = await newFolder()
      const dataFolder = join(parent, 'data')
      await cp(template, dataFolder, { recursive: true })
      const { code, stderr } = await runCli(['restore', file, '--data', dataFolder, '--force'], {
        env: { NODE_OPTIONS: `--import ${preload}`, KILL_AT: `${at}` },
      })
      if (code === 0) total = Number(/calls: (\d+)/.exec(stderr)?.[1])
      else expect(code, stderr).toBeNull()

      const wasThere = (await readdir(parent)).includes('data')
      const folder = await openDataFolder(dataFolder)
      const found = await contentOf(folder.path)
      expect([old, fresh], `killed before call ${at}`).toContainEqual(found)
      expect(folder.notices.length, `killed before call ${at}`).toBe(wasThere ? 0 : 1)
      await folder.close()
      states.push(`${wasThere ? '' : 'moved '}${'notes.txt' in found ? 'old' : 'new'}`)
      // Nothing of the old folder is ever lost.
      const others = (await readdir(parent)).filter(name => name.startsWith('data.before'))
      if (!('notes.txt' in found)) expect(await contentOf(join(parent, others[0] ?? ''))).toEqual(old)

      await restoreBackup({ file, dataFolder, force: true, clock })
      expect(await contentOf(dataFolder)).toEqual(fresh)
      expect((await readdir(parent)).filter(name => /\.restor(ing|ed)$/.test(name))).toEqual([])
    }
    // Old up to the first rename of the two, moved between them, new from the second on.
    expect(states.join(', ')).toMatch(/^(old, ){5,}(moved new, )+(new, )*new$/)
  })

  it('is completed behind a symbolic link, and never replaces an existing folder', async () => {
    const dataFolder = await plainFolder()
    const link = join(await newFolder(), 'link')
    await symlink(dataFolder, link)
    const { ready } = restoreSiblings(dataFolder)
    await mkdir(ready)
    await writeFile(join(ready, 'config.json'), 'new')
    await (await openDataFolder(link)).close()
    expect(await contentOf(dataFolder)).toMatchObject({ 'config.json': sha256Hex('old config.json') })

    await rename(dataFolder, `${dataFolder}.before`)
    const folder = await openDataFolder(link)
    onTestFinished(() => folder.close())
    expect(folder.path).toBe(dataFolder)
    expect(folder.notices).toEqual([expect.stringContaining('restore that was interrupted')])
    expect(await contentOf(link)).toEqual({ 'config.json': sha256Hex('new') })
  })
})

const preload = pathToFileURL(join(import.meta.dirname, 'kill-at.ts')).href

async function restoredFrom(file: string): Promise<Record<string, string>> {
  const dataFolder = join(await newFolder(), 'data')
  await restoreBackup({ file, dataFolder, force: false, clock })
  const content = await contentOf(dataFolder)
  await rm(dataFolder, { recursive: true })
  return content
}

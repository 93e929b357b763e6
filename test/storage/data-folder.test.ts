import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDataFolder } from '#main/storage/local/data-folder.ts'
import { dataFolderPaths } from '#main/storage/local/data-folder-paths.ts'
import { newFolder } from './config-fixtures.ts'

const posix = process.platform !== 'win32'

async function open(path: string) {
  const folder = await openDataFolder(path)
  onTestFinished(() => folder.close())
  return folder
}

/** A real second process on the folder, with the first line that it says. */
async function openElsewhere(path: string) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'data-folder-opener.ts'), path])
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line]: string[] = await once(child.stdout.setEncoding('utf8'), 'data')
  return { child, line }
}

describe('opening', () => {
  test.runIf(posix)('creates it for its owner alone, with the folders above it', async () => {
    const path = join(await newFolder(), 'new', 'data')
    const folder = await open(path)
    expect((await stat(path)).mode & 0o777).toBe(0o700)
    for (const file of [folder.lockFile, folder.holderFile])
      expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(folder.notices).toEqual([])
  })

  test.runIf(posix)(
    'leaves the mode of one that was there, and says when others can write to it',
    async () => {
      const path = await newFolder()
      await chmod(path, 0o777)
      const folder = await open(path)
      expect((await stat(path)).mode & 0o777).toBe(0o777)
      expect(folder.notices).toEqual([expect.stringContaining('Other users may write')])
    },
  )

  test('fails with the name of a file in its place', async () => {
    const path = join(await newFolder(), 'data')
    await writeFile(path, '')
    await expect(openDataFolder(path)).rejects.toMatchObject({
      code: 'storage_unavailable',
      message: expect.stringContaining(path),
    })
  })

  test('fails below a file', async () => {
    const file = join(await newFolder(), 'file')
    await writeFile(file, '')
    await expect(openDataFolder(join(file, 'new', 'data'))).rejects.toMatchObject({
      code: 'storage_unavailable',
      message: expect.stringContaining(file),
    })
  })

  test.runIf(process.platform === 'linux')('fails where the system cannot create a folder', async () => {
    for (const path of ['/proc/nope', '/proc/nope/data'])
      await expect(openDataFolder(path)).rejects.toMatchObject({
        code: 'storage_unavailable',
        message: expect.stringContaining(`${path} cannot be created`),
      })
  })

  test('empties a lock file that is not a database, because only its lock matters', async () => {
    const path = await newFolder()
    await writeFile(join(path, 'lock.sqlite'), 'x'.repeat(4096))
    await open(path)
    expect((await openElsewhere(path)).line).toContain('data_folder_in_use')
  })

  test('fails with the name of a lock file that is a folder', async () => {
    const path = await newFolder()
    await mkdir(join(path, 'lock.sqlite'))
    await expect(openDataFolder(path)).rejects.toMatchObject({
      code: 'storage_unavailable',
      message: expect.stringContaining('lock.sqlite'),
    })
  })
})

describe('only one process may hold it', () => {
  const inUse = (pid: number | undefined) => ({
    code: 'data_folder_in_use',
    message: expect.stringContaining(`The process ${pid} already uses`),
  })

  test('not the same process twice, by any name', async () => {
    const path = await newFolder()
    const alias = join(await newFolder(), 'alias')
    await symlink(path, alias)
    const folder = await open(path)
    await expect(openDataFolder(path)).rejects.toMatchObject(inUse(process.pid))
    await expect(openDataFolder(alias)).rejects.toMatchObject(inUse(process.pid))
    // The refused attempts must not have given up the lock (POSIX: closing a file may).
    expect((await openElsewhere(path)).line).toContain('data_folder_in_use')
    await folder.close()
    await folder.close()
    await open(alias)
  })

  test('a second process exits with 1', async () => {
    const folder = await open(await newFolder())
    const { child, line } = await openElsewhere(folder.path)
    expect(line).toBe(
      `data_folder_in_use: The process ${process.pid} already uses the data folder ${folder.path}.\n`,
    )
    if (child.exitCode === null) await once(child, 'exit')
    expect(child.exitCode).toBe(1)
  })

  test('not by overwriting the lock file', async () => {
    const path = await newFolder()
    const { child, line } = await openElsewhere(path)
    expect(line).not.toContain('in_use')
    await writeFile(join(path, 'lock.sqlite'), 'x'.repeat(4096))
    await expect(openDataFolder(path)).rejects.toMatchObject(inUse(child.pid))
  })

  test.runIf(posix)('not by deleting the lock file while the holder answers on its socket', async () => {
    const path = await newFolder()
    const folder = await open(path)
    const server = createServer().listen(folder.socketPath)
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    await rm(folder.lockFile)
    expect((await openElsewhere(path)).line).toContain('it answers on its socket')
  })

  test('not after the lock file was deleted or replaced', async () => {
    const folder = await open(await newFolder())
    expect(folder.checkLock()).toBe(false)
    const remove = () => rm(folder.lockFile)
    const replace = async () => {
      await writeFile(`${folder.lockFile}.new`, '')
      await rename(`${folder.lockFile}.new`, folder.lockFile)
    }
    for (const harm of [remove, replace]) {
      await harm()
      await rm(folder.holderFile)
      expect(folder.checkLock()).toBe(true)
      expect(folder.checkLock()).toBe(false)
      expect((await openElsewhere(folder.path)).line).toContain(`The process ${process.pid} already uses`)
    }
  })

  test('the holder notices that another process has locked a new file', async () => {
    const folder = await open(await newFolder())
    await rm(folder.lockFile)
    const { child, line } = await openElsewhere(folder.path)
    expect(line).toBe('open\n')
    expect(() => folder.checkLock()).toThrow(`The process ${child.pid} already uses`)
    await folder.close()
    await expect(openDataFolder(folder.path)).rejects.toMatchObject(inUse(child.pid))
  })

  test('kill -9 of the holder frees it', async () => {
    const path = await newFolder()
    const { child, line } = await openElsewhere(path)
    expect(line).toBe('open\n')
    await expect(openDataFolder(path)).rejects.toMatchObject(inUse(child.pid))
    child.kill('SIGKILL')
    await once(child, 'exit')
    await open(path)
  })

  test('the end of the holder frees it', async () => {
    const path = await newFolder()
    const { child } = await openElsewhere(path)
    child.stdin.end()
    await once(child, 'exit')
    expect(child.exitCode).toBe(0)
    await open(path)
    expect(await readdir(path)).toContain('lock.pid')
  })

  test.for(['', 'x', '-1', '0', '999999999'])('a holder file of %j names nobody', async content => {
    const folder = await open(await newFolder())
    await writeFile(folder.holderFile, content)
    await expect(openDataFolder(folder.path)).rejects.toMatchObject({
      message: expect.stringMatching(/^Another process already uses/),
    })
  })
})

describe.runIf(posix)('the socket of a folder with a long path', () => {
  const long = async () => join(await newFolder(), 'd'.repeat(100))

  test('is in a private folder that is removed with the service', async () => {
    const folder = await open(await long())
    const above = dirname(folder.socketPath)
    expect(above).not.toBe(folder.path)
    expect((await stat(above)).mode & 0o777).toBe(0o700)
    const server = createServer().listen(folder.socketPath)
    await once(server, 'listening')
    await new Promise(done => server.close(done))
    await folder.close()
    await expect(stat(above)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('is made private, and refused if it is not a folder', async () => {
    const path = await long()
    const above = dirname(dataFolderPaths(path).socketPath)
    onTestFinished(() => rm(above, { recursive: true, force: true }))
    await mkdir(above)
    await chmod(above, 0o777)
    const folder = await open(path)
    expect((await stat(above)).mode & 0o777).toBe(0o700)
    await folder.close()
    await symlink(await newFolder(), above)
    await expect(openDataFolder(path)).rejects.toMatchObject({ code: 'storage_unavailable' })
    await rm(above)
    await open(path)
  })
})

import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { dataFolderPaths } from '#main/storage/local/data-folder-paths.ts'
import { loadDataKey, parseKey } from '#main/storage/local/data-key.ts'
import { keyNamed, newFolder, sealer } from './config-fixtures.ts'

const key = keyNamed('data')
const load = (folder: string, env: NodeJS.ProcessEnv = {}) =>
  loadDataKey(dataFolderPaths(folder), env, randomBytes)
const posix = process.platform !== 'win32'

describe('the key of a data folder', () => {
  test('is created once, private, and then stays the same', async () => {
    const folder = await newFolder()
    const first = await load(folder)
    expect(first.key).toHaveLength(32)
    expect(await readdir(folder)).toEqual(['secret.key'])
    if (posix) expect((await stat(join(folder, 'secret.key'))).mode & 0o777).toBe(0o600)
    expect(await load(folder)).toEqual(first)
    expect((await load(await newFolder())).key).not.toEqual(first.key)
  })

  test.for(['hex', 'base64', 'base64url'] as const)(
    'may come from the environment, in %s',
    async encoding => {
      const folder = await newFolder()
      const loaded = await load(folder, { CUSTOM_CONNECTION_KEY: ` ${key.toString(encoding)}\n` })
      expect(loaded.key).toEqual(key)
      expect(await readdir(folder)).toEqual([])
    },
  )

  test('is taken from the environment before the file', async () => {
    const folder = await newFolder()
    await load(folder)
    expect((await load(folder, { CUSTOM_CONNECTION_KEY: key.toString('hex') })).key).toEqual(key)
  })

  test.for([
    '',
    ' ',
    'secret',
    key.toString('hex').slice(2),
    `${key.toString('base64')}=`,
    randomBytes(33).toString('base64'),
  ])('%j in the environment is refused, and not quoted', async text => {
    const folder = await newFolder()
    const error: unknown = await load(folder, { CUSTOM_CONNECTION_KEY: text }).catch(caught => caught)
    expect(error).toMatchObject({
      code: 'wrong_key',
      message: expect.stringContaining('32 bytes in hex, base64'),
    })
    if (text.trim() !== '') expect(String(error)).not.toContain(` ${text}`)
    expect(await readdir(folder)).toEqual([])
  })

  test.for(['', 'short', '\0'.repeat(32)])(
    'is refused and unchanged if its file contains %j',
    async content => {
      const folder = await newFolder()
      const file = join(folder, 'secret.key')
      await writeFile(file, content, { mode: 0o600 })
      await expect(load(folder)).rejects.toMatchObject({
        code: 'wrong_key',
        message: expect.stringContaining(file),
      })
      expect(await readFile(file, 'utf8')).toBe(content)
    },
  )

  test('is refused if a folder is in the place of its file', async () => {
    const folder = await newFolder()
    await mkdir(join(folder, 'secret.key'), { mode: 0o700 })
    await expect(load(folder)).rejects.toMatchObject({ code: 'storage_unavailable' })
  })

  test.runIf(posix)('a key file that others can read is closed to them, and the operator told', async () => {
    const folder = await newFolder()
    const { key: made } = await load(folder)
    await chmod(join(folder, 'secret.key'), 0o644)
    const loaded = await load(folder)
    expect(loaded.key).toEqual(made)
    expect(loaded.notices).toEqual([expect.stringContaining('(mode 644); its mode is 600 now')])
    expect((await stat(join(folder, 'secret.key'))).mode & 0o777).toBe(0o600)
  })

  test.for(['config.json', 'config.json.bak'])(
    'is not created again while %s needs the missing one',
    async name => {
      const folder = await newFolder()
      await writeFile(join(folder, name), JSON.stringify({ secret: sealer.seal('x', 'y') }))
      await expect(load(folder)).rejects.toMatchObject({
        code: 'wrong_key',
        message: expect.stringContaining('missing'),
      })
      expect(await readdir(folder)).toEqual([name])
    },
  )

  test('is not an incomplete file of a killed write', async () => {
    const folder = await newFolder()
    await writeFile(join(folder, 'secret.key.tmp'), key.toString('base64url').slice(0, 20))
    expect((await load(folder)).key).not.toEqual(key)
    expect(await readdir(folder)).toEqual(['secret.key'])
  })
})

test('parseKey accepts exactly 32 bytes', () => {
  expect(parseKey(key.toString('hex').toUpperCase())).toEqual(key)
  expect(parseKey(key.toString('base64').replace('=', ''))).toEqual(key)
  expect(parseKey(randomBytes(31).toString('base64'))).toBeNull()
  expect(parseKey('g'.repeat(64))).toBeNull()
})

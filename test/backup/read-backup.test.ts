import { readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readBackup } from '#main/backup/read-backup.ts'
import { restoreBackup } from '#main/backup/restore.ts'
import { filesIn, newFolder } from '../storage/config-fixtures.ts'
import {
  type Content,
  clock,
  exampleBackup,
  goodContents,
  manifestOf,
  plainFolder,
  writeArchive,
} from './fixtures.ts'

const damaged = { code: 'damaged_backup' }
const [config, token] = goodContents
if (config === undefined || token === undefined) throw new Error('The example has two files.')
const named = (name: string): Content => ({ name, text: '' })
/** All that a backup holds, by name. */
async function contentsOf(file: string): Promise<Record<string, Buffer>> {
  const contents: Record<string, Buffer> = {}
  await readBackup(file, {
    onFile: async (name, content) => {
      contents[name] = await buffer(content)
    },
  })
  return contents
}
const withManifest = (contents: readonly Content[], changes: object = {}) => [
  manifestOf(contents, changes),
  ...contents,
]

describe('a backup', () => {
  it('is readable with any gzip level, and unzipped', async () => {
    const { file, manifest } = await exampleBackup()
    expect(manifest.files.map(({ name }) => name)).toEqual([
      'config.json',
      'secret.key',
      'admin-token',
      'events.sqlite',
    ])
    expect(await readBackup(file)).toEqual(manifest)
    const archive = gunzipSync(await readFile(file))
    for (const again of [archive, gzipSync(archive, { level: 9 })]) {
      await writeFile(file, again)
      expect(await readBackup(file)).toEqual(manifest)
    }
  })

  it('may have unknown fields in its manifest', async () => {
    const file = await writeArchive(withManifest(goodContents, { comment: 'nightly' }))
    expect(await readBackup(file)).toMatchObject({ productVersion: '1.0.0' })
  })

  it('passes files on and checks them even if the receiver reads only half', async () => {
    const file = await writeArchive(withManifest(goodContents))
    const names: string[] = []
    await readBackup(file, {
      onFile: async (name, content) => {
        names.push(name)
        for await (const _ of content) break
      },
    })
    expect(names).toEqual(['config.json', 'admin-token'])
  })

  it.each([join('none', 'backup.tar.gz'), ''])(
    'is refused if it does not exist or is a folder (%j)',
    async path => {
      await expect(readBackup(join(await newFolder(), path))).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringContaining('cannot be read'),
      })
    },
  )
})

describe('a damaged file', () => {
  it('is refused when it is cut at any byte', async () => {
    const { file } = await exampleBackup()
    const { length } = await readFile(file)
    const cuts = Array.from({ length: 12 }, (_, part) => Math.floor((length * part) / 12))
    for (const at of [...cuts, length - 9, length - 1].reverse()) {
      await truncate(file, at)
      await expect(readBackup(file), `cut at ${at} of ${length}`).rejects.toMatchObject(damaged)
    }
  })

  it('is refused after any bit flip that changes its content', async () => {
    const { file } = await exampleBackup()
    const zipped = await readFile(file)
    const archive = gunzipSync(zipped)
    const good = await contentsOf(file)
    // Changes the gzip file except for its header's time and system, and the archive except for its manifest, which
    // only gzip's own checksum covers.
    const cases = [
      { bytes: zipped, from: 10 },
      { bytes: archive, from: archive.indexOf('config.json\0') },
    ]
    let refused = 0
    for (const { bytes, from } of cases)
      for (let round = 0; round < 40; round++) {
        const at = from + Math.floor(((bytes.length - from) * round) / 40)
        const changed = Buffer.from(bytes)
        changed.writeUInt8(changed.readUInt8(at) ^ (1 << (round % 8)), at)
        await writeFile(file, changed)
        const read = contentsOf(file).catch(error => error.code)
        expect(['damaged_backup', good], `byte ${at} of ${bytes.length}`).toContainEqual(await read)
        refused += (await read) === 'damaged_backup' ? 1 : 0
      }
    expect(refused).toBeGreaterThan(70)
  })

  it.each([
    { what: 'nothing', contents: [], says: 'does not begin with manifest.json' },
    { what: 'no manifest', contents: goodContents, says: 'does not begin with manifest.json' },
    {
      what: 'a manifest behind',
      contents: [...goodContents, manifestOf(goodContents)],
      says: 'does not begin',
    },
    {
      what: 'a manifest that is not JSON',
      contents: [{ name: 'manifest.json', text: '{' }],
      says: 'not JSON',
    },
    {
      what: 'a huge manifest',
      contents: [{ name: 'manifest.json', text: ' '.repeat(70_000) }],
      says: 'too large',
    },
    {
      what: 'another manifest',
      contents: [{ name: 'manifest.json', text: '{"version":1}' }],
      says: 'not that of a backup',
    },
    {
      what: 'a manifest in part',
      contents: withManifest(goodContents, { createdAt: 'today' }),
      says: 'createdAt',
    },
    { what: 'no config.json', contents: withManifest([token]), says: 'contains no config.json' },
    { what: 'a file named twice', contents: withManifest([config, config]), says: 'names a file twice' },
    { what: 'a missing file', contents: [manifestOf(goodContents), config], says: 'admin-token is missing' },
    { what: 'a file too many', contents: [...withManifest([config]), token], says: 'does not name' },
    {
      what: 'a file twice',
      contents: [manifestOf(goodContents), config, config],
      says: 'where admin-token belongs',
    },
    {
      what: 'another order',
      contents: [manifestOf(goodContents), token, config],
      says: 'where config.json belongs',
    },
    {
      what: 'another size',
      contents: [manifestOf(goodContents), { ...config, text: '{}' }, token],
      says: 'where config.json',
    },
    {
      what: 'another content',
      contents: [manifestOf(goodContents), { ...config, text: '{"schemaVersion": 2}' }, token],
      says: 'not what was backed up',
    },
    // Names that its manifest gives too: no name but the few that are known is ever used as a path.
    ...[
      '../config.json',
      '/etc/passwd',
      '..',
      'a/../../b',
      'C:\\x',
      'service.json',
      'lock.sqlite',
      'CONFIG.JSON',
    ].map(name => ({
      what: `${name} in it`,
      contents: withManifest([...goodContents, named(name)]),
      says: 'manifest.json is damaged',
    })),
    ...['../config.json', '/etc/passwd', 'service.json', './admin-token'].map(name => ({
      what: `${name} under another's name`,
      contents: [manifestOf(goodContents), config, { ...token, name }],
      says: 'where admin-token belongs',
    })),
  ])('is refused by a restore that changes nothing: $what', async ({ contents, says }) => {
    const file = await writeArchive(contents)
    const refusal = { ...damaged, message: expect.stringContaining(says) }
    await expect(readBackup(file)).rejects.toMatchObject(refusal)
    const dataFolder = await plainFolder()
    const before = await filesIn(dataFolder)
    await expect(restoreBackup({ file, dataFolder, force: true, clock })).rejects.toMatchObject(refusal)
    const after = (await filesIn(dataFolder)).filter(({ name }) => name !== 'lock.sqlite')
    expect(after).toEqual(before)
    expect(await readdir(dirname(dataFolder))).toEqual(['data'])
  })
})

describe('a newer backup', () => {
  const events = (userVersion: number) => {
    const header = Buffer.alloc(100)
    header.writeUInt32BE(userVersion, 60)
    return { name: 'events.sqlite', text: header.toString('latin1') }
  }

  it.each([
    {
      what: 'format',
      contents: withManifest(goodContents, { formatVersion: 4, files: 'elsewhere' }),
      says: 'format 4',
    },
    {
      what: 'configuration',
      contents: withManifest([{ ...config, text: '{"schemaVersion": 99}' }]),
      says: 'version 99',
    },
    { what: 'event log', contents: withManifest([config, events(99)]), says: 'its event log has version 99' },
  ])('is refused by its $what, and nothing changes', async ({ contents, says }) => {
    const parent = await newFolder()
    const restore = {
      file: await writeArchive(contents),
      dataFolder: join(parent, 'data'),
      force: false,
      clock,
    }
    await expect(restoreBackup(restore)).rejects.toMatchObject({
      code: 'newer_backup',
      message: expect.stringContaining(says),
    })
    expect(await readdir(parent)).toEqual([])
  })
})

import { randomBytes } from 'node:crypto'
import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openBackups } from '#main/backup/backups.ts'
import { requireRoom } from '#main/backup/files.ts'
import { saveBackup } from '#main/backup/save-backup.ts'
import { backupSources, snapshotOfFolder, snapshotOfService } from '#main/storage/local/backup-sources.ts'
import { openDataFolder } from '#main/storage/local/data-folder.ts'
import { openConfigStore } from '#main/storage/local/lowdb-config-store.ts'
import { openSqliteEventLog } from '#main/storage/local/sqlite/sqlite-event-log.ts'
import { exampleConnection, newFolder, sealer, withConnections } from '../storage/config-fixtures.ts'
import { countOf, eventMaker } from '../storage/event-log-events.ts'
import { backupsOf, clock, exampleFolder } from './fixtures.ts'

const copiesIn = async (folder: string) =>
  (await readdir(folder)).filter(name => name.startsWith('backup.tmp'))

describe('a backup of a folder', () => {
  it('is named by its day and contains what its manifest lists', async () => {
    const folder = await exampleFolder()
    const { fileName, manifest, stream } = await (await backupsOf(folder)).create()
    expect(fileName).toBe('custom-connection-backup-20261121.tar.gz')
    expect(manifest).toMatchObject({ createdAt: '2026-11-21T09:30:00.000Z', dataKey: 'file' })
    const saved = await saveBackup(stream, { file: join(await newFolder(), fileName), force: false })
    expect(saved.manifest).toEqual(manifest)
    expect(saved.bytes).toBe((await stat(saved.file)).size)
    await expect.poll(() => copiesIn(folder)).toEqual([])
  })

  it('omits derived data, what belongs to this computer, and browser sessions', async () => {
    const folder = await exampleFolder()
    const others = [
      'sessions.json',
      'statistics.json',
      'service.json',
      'desktop.json',
      'config.json.bak',
      'x',
    ]
    for (const name of others) await writeFile(join(folder, name), `canary of ${name}`)
    const { manifest, stream } = await (await backupsOf(folder)).create()
    expect(manifest.files.map(({ name }) => name)).toEqual([
      'config.json',
      'secret.key',
      'admin-token',
      'events.sqlite',
    ])
    expect(gunzipSync(await buffer(stream)).includes('canary of')).toBe(false)
  })

  it('records whether the key is in it, in the environment or in a keychain', async () => {
    const folder = await openDataFolder(await exampleFolder())
    onTestFinished(() => folder.close())
    const keyOf = async (keyIsGiven: boolean) => {
      const sources = backupSources(folder, snapshotOfFolder(folder), keyIsGiven)
      const backups = await openBackups(sources, clock)
      const { manifest, stream } = await backups.create()
      await buffer(stream)
      return [manifest.dataKey, manifest.files.some(({ name }) => name === 'secret.key')]
    }
    expect(await keyOf(false)).toEqual(['file', true])
    expect(await keyOf(true)).toEqual(['environment', false])
    await writeFile(folder.keyFile, 'keychain:v1:AAAA\n')
    expect(await keyOf(false)).toEqual(['keychain', true])
    await rm(folder.keyFile)
    expect(await keyOf(false)).toEqual(['environment', false])
  })

  it('leaves no files behind after an aborted read or a kill', async () => {
    const folder = await exampleFolder()
    await mkdir(join(folder, 'backup.tmp-abcdef'))
    await writeFile(join(folder, 'backup.tmp-abcdef', 'events.sqlite'), 'half')
    const backups = await backupsOf(folder)
    expect(await copiesIn(folder)).toEqual([])
    const { stream } = await backups.create()
    const [copies = ''] = await copiesIn(folder)
    expect(await readdir(join(folder, copies))).toContain('events.sqlite')
    stream.destroy()
    await expect.poll(() => copiesIn(folder)).toEqual([])
  })

  it('fails when a copy has changed since', async () => {
    const folder = await exampleFolder()
    // More than the stream reads ahead.
    await writeFile(join(folder, 'admin-token'), randomBytes(2 * 1024 * 1024))
    const { stream } = await (await backupsOf(folder)).create()
    const [copies = ''] = await copiesIn(folder)
    await appendFile(join(folder, copies, 'admin-token'), 'more')
    await expect(buffer(stream)).rejects.toThrow('admin-token does not have')
  })

  it('refuses a log that is not a database', async () => {
    const folder = await exampleFolder()
    await writeFile(join(folder, 'events.sqlite'), 'no database'.repeat(1000))
    const backups = await backupsOf(folder)
    await expect(backups.create()).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(await copiesIn(folder)).toEqual([])
  })

  it('requires room for a copy of the log', async () => {
    const folder = await newFolder()
    await requireRoom(folder, 1, 'A backup')
    await expect(requireRoom(folder, Number.MAX_SAFE_INTEGER, 'A backup')).rejects.toMatchObject({
      code: 'storage_unavailable',
      message: expect.stringMatching(/^A backup needs \d+ MB on the disk of .*; \d+ MB are free\.$/),
    })
  })
})

describe('saving', () => {
  const save = async (file: string, force = false) => {
    const { stream } = await (await backupsOf(await exampleFolder())).create()
    return saveBackup(stream, { file, force })
  }

  it('replaces an existing file only with force', async () => {
    const file = join(await newFolder(), 'backup.tar.gz')
    await writeFile(file, 'other', { mode: 0o644 })
    await expect(save(file)).rejects.toMatchObject({
      code: 'file_exists',
      message: expect.stringContaining(file),
    })
    expect(await readFile(file, 'utf8')).toBe('other')
    await save(file, true)
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readdir(join(file, '..'))).toEqual([basename(file)])
  })

  it.each([
    { what: 'a folder', path: '.', code: 'invalid_input' },
    { what: 'in a folder that is not there', path: 'none/backup.tar.gz', code: 'storage_unavailable' },
  ])('does not write to $what', async ({ path, code }) => {
    const folder = await newFolder()
    await expect(save(join(folder, path), true)).rejects.toMatchObject({ code })
    expect(await readdir(folder)).toEqual([])
  })

  it.each([
    { what: 'ends early', end: (stream: PassThrough) => stream.end(), error: { code: 'damaged_backup' } },
    {
      what: 'breaks off',
      end: (stream: PassThrough) => stream.destroy(new Error('the service is gone')),
      error: { message: 'the service is gone' },
    },
  ])('leaves nothing of a backup that $what', async ({ end, error }) => {
    const whole = await buffer((await (await backupsOf(await exampleFolder())).create()).stream)
    const folder = await newFolder()
    const stream = new PassThrough()
    stream.write(whole.subarray(0, whole.length - 10))
    const saving = saveBackup(stream, { file: join(folder, 'backup.tar.gz'), force: false })
    await expect
      .poll(() => readdir(folder))
      .toEqual([expect.stringMatching(/^backup\.tar\.gz\.[0-9a-f]{8}\.part$/)])
    end(stream)
    await expect(saving).rejects.toMatchObject(error)
    expect(await readdir(folder)).toEqual([])
  })
})

it('takes a snapshot without events of unknown connections', async () => {
  const folder = await newFolder()
  const store = await openConfigStore({ file: join(folder, 'config.json'), sealer, clock })
  const log = await openSqliteEventLog({ file: join(folder, 'events.sqlite') })
  onTestFinished(() => log.close())
  const event = eventMaker(clock)
  const create = async (id: string) => {
    await store.update(config => ({ next: withConnections(config, exampleConnection(id)), result: null }))
    await Promise.all([1, 2, 3].map(() => log.append(event({ connectionId: id }))))
  }
  const remove = async (id: string) => {
    await store.update(config => ({
      next: { ...config, connections: new Map([...config.connections].filter(([key]) => key !== id)) },
      result: null,
    }))
    await log.clear(id)
  }
  await create('conn_kept')
  await create('conn_deleted')
  const copy = await newFolder()
  const takeSnapshot = snapshotOfService({
    config: store,
    history: { backup: async () => {} },
    knowledge: { backup: async () => {} },
    events: {
      // Changes while a large log is copied, at an unknown moment of the copy.
      backup: async path => {
        await create('conn_brief')
        await log.backup(path)
        await remove('conn_brief')
        await remove('conn_deleted')
        await create('conn_created')
      },
    },
  })
  await takeSnapshot(copy)
  // It has nothing of later changes.
  await remove('conn_kept')

  const copiedStore = await openConfigStore({ file: join(copy, 'config.json'), sealer, clock })
  expect([...copiedStore.snapshot().connections.keys()]).toEqual(['conn_kept', 'conn_created'])
  expect(copiedStore.snapshot().connections.get('conn_kept')).toEqual(exampleConnection('conn_kept'))
  const copiedLog = await openSqliteEventLog({ file: join(copy, 'events.sqlite') })
  onTestFinished(() => copiedLog.close())
  const counts = ['conn_kept', 'conn_deleted', 'conn_brief', 'conn_created'].map(id => countOf(copiedLog, id))
  expect(await Promise.all(counts)).toEqual([3, 0, 0, 0])
})

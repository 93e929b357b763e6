import { createHash, randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'
import { type Backups, openBackups } from '#main/backup/backups.ts'
import { type Manifest, newManifest } from '#main/backup/manifest.ts'
import { saveBackup } from '#main/backup/save-backup.ts'
import { writeTar } from '#main/backup/tar.ts'
import { sha256Hex } from '#main/lib/sha256-hex.ts'
import { openDataFolder } from '#main/storage/local/data-folder.ts'
import { loadDataKey } from '#main/storage/local/data-key.ts'
import { openFolderForBackup } from '#main/storage/local/local-storage.ts'
import { openConfigStore } from '#main/storage/local/lowdb-config-store.ts'
import { createSealer } from '#main/storage/local/secrets.ts'
import { openSqliteEventLog } from '#main/storage/local/sqlite/sqlite-event-log.ts'
import { exampleConnection, newFolder, now, withConnections } from '../storage/config-fixtures.ts'
import { eventMaker } from '../storage/event-log-events.ts'

export const clock = () => now

/** A data folder with two connections, an admin token and some events, as a service that was stopped leaves it. */
export async function exampleFolder(parent?: string): Promise<string> {
  const path = join(parent ?? (await newFolder()), 'data')
  const folder = await openDataFolder(path)
  const { key } = await loadDataKey(folder, {}, randomBytes)
  const store = await openConfigStore({ file: folder.configFile, sealer: createSealer(key), clock })
  const connections = ['conn_a', 'conn_b'].map(id => exampleConnection(id))
  await store.update(config => ({ next: withConnections(config, ...connections), result: null }))
  await store.close()
  const log = await openSqliteEventLog({ file: folder.eventLogFile })
  const event = eventMaker(clock)
  await Promise.all(Array.from({ length: 20 }, () => log.append(event())))
  await log.close()
  await writeFile(folder.adminTokenFile, 'token-of-the-example\n', { mode: 0o600 })
  await folder.close()
  return path
}

/** A folder with files that no service has written: enough to see whether any is touched. */
export async function plainFolder(): Promise<string> {
  const path = join(await newFolder(), 'data')
  await mkdir(path)
  for (const name of ['config.json', 'secret.key', 'notes.txt'])
    await writeFile(join(path, name), `old ${name}`)
  return path
}

/** Backups of a folder on which no service runs; the folder is held until the test has finished. */
export async function backupsOf(path: string): Promise<Backups> {
  const folder = await openFolderForBackup(path, false)
  onTestFinished(() => folder.close())
  return openBackups(folder.sources, clock)
}

/** A backup of the example, as a file in a folder of its own. */
export async function exampleBackup(): Promise<{ file: string; manifest: Manifest; folder: string }> {
  const folder = await exampleFolder()
  const { stream } = await (await backupsOf(folder)).create()
  const saved = await saveBackup(stream, { file: join(await newFolder(), 'backup.tar.gz'), force: false })
  return { file: saved.file, manifest: saved.manifest, folder }
}

export type Content = { readonly name: string; readonly text: string }

export const goodContents: readonly Content[] = [
  { name: 'config.json', text: '{"schemaVersion": 1}' },
  { name: 'admin-token', text: 'token' },
]

/** The manifest that these contents would have, whatever their names; `changes` are made in its JSON. */
export function manifestOf(contents: readonly Content[], changes: object = {}): Content {
  const files = contents.map(({ name, text }) => ({
    name,
    bytes: Buffer.byteLength(text),
    sha256: sha256Hex(text),
  }))
  const createdAt = new Date(now).toISOString()
  const facts = newManifest({ productVersion: '1.0.0', createdAt, dataKey: 'file', files: [] })
  return { name: 'manifest.json', text: JSON.stringify({ ...facts, files, ...changes }) }
}

/** A backup file put together by hand. */
export async function writeArchive(contents: readonly Content[]): Promise<string> {
  const files = contents.map(({ name, text }) => {
    const bytes = Buffer.from(text)
    return { name, size: bytes.length, content: () => one(bytes) }
  })
  const file = join(await newFolder(), 'archive.tar.gz')
  await writeFile(file, gzipSync(await buffer(writeTar(files, now))))
  return file
}

/** A backup of files, whatever is in them. */
export async function writeArchiveOf(
  contents: readonly { readonly name: string; readonly bytes: Buffer }[],
): Promise<string> {
  const files = contents.map(({ name, bytes }) => ({
    name,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }))
  const manifest = manifestOf([], { files })
  const entries = [{ name: manifest.name, bytes: Buffer.from(manifest.text) }, ...contents]
  const tar = writeTar(
    entries.map(({ name, bytes }) => ({ name, size: bytes.length, content: () => one(bytes) })),
    now,
  )
  const file = join(await newFolder(), 'archive.tar.gz')
  await writeFile(file, gzipSync(await buffer(tar)))
  return file
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

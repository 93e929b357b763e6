import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { ifThere, messageOf } from '#main/lib/file-system.ts'
import { version } from '#main/lib/version.ts'
import { readKeyFile } from '#main/storage/local/key-file.ts'
import type { BackupSources } from '#main/storage/storage.ts'
import { ServiceError } from '#shared/errors.ts'
import { digestOf, piecesOf, requireRoom } from './files.ts'
import { backedUpNames, type Manifest, manifestName, newManifest } from './manifest.ts'
import { writeTar } from './tar.ts'

/** Of events half as fast again as zlib's default, for a file that is a twentieth larger. */
const compressionLevel = 3

/** Prefix of the folders that hold the copies for a backup; their mode is 0700. */
const copiesPrefix = 'backup.tmp-'

type Backup = {
  /** The suggested name of the file. */
  readonly fileName: string
  readonly manifest: Manifest
  /** The file: a gzipped tar. To be read to its end or destroyed, since what was copied for it goes with it. */
  readonly stream: Readable
}

export type Backups = {
  /** Copies what there is now, as of one moment. @throws ServiceError `storage_unavailable`. */
  create(): Promise<Backup>
}

/**
 * Backups of a data folder: all that it takes to go on elsewhere. What is derived (the index of the log, the
 * statistics) or of this place and moment (sessions, lock, socket) is left out.
 *
 * Copies are made beside the originals, in folders that are removed here in case a kill has left any.
 *
 * @param clock gives milliseconds since 1970.
 */
export async function openBackups(sources: BackupSources, clock: () => number): Promise<Backups> {
  const { folder } = sources
  for (const name of await readdir(folder))
    if (name.startsWith(copiesPrefix)) await rm(join(folder, name), { recursive: true, force: true })

  /** @returns the new folder with all that the backup holds but its manifest. */
  async function copyAll(): Promise<string> {
    const place = await mkdtemp(join(folder, copiesPrefix))
    try {
      await requireRoom(place, await sources.size(), 'A backup')
      await sources.copyTo(place)
      return place
    } catch (error) {
      await rm(place, { recursive: true, force: true })
      throw error
    }
  }

  return {
    async create() {
      const createdAt = clock()
      const place = await copyAll().catch(throwUnavailable)
      const remove = () => rm(place, { recursive: true, force: true }).catch(() => {}) // the next start does
      try {
        const manifest = await describe(place, createdAt)
        const stream = compress(place, manifest)
        stream.once('close', () => void remove())
        return { fileName: backupFileName(createdAt), manifest, stream }
      } catch (error) {
        await remove()
        throw error
      }
    },
  }
}

async function describe(place: string, createdAt: number): Promise<Manifest> {
  const files: Manifest['files'] = []
  for (const name of backedUpNames) {
    const file = await ifThere(digestOf(join(place, name)))
    if (file !== null) files.push({ name, ...file })
  }
  const key = await readKeyFile(join(place, 'secret.key'))
  const dataKey = key === null ? 'environment' : key.isWrapped ? 'keychain' : 'file'
  return newManifest({
    productVersion: version,
    createdAt: new Date(createdAt).toISOString(),
    dataKey,
    files,
  })
}

function compress(place: string, manifest: Manifest): Readable {
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  const files = manifest.files.map(({ name, bytes }) => ({
    name,
    size: bytes,
    content: () => piecesOf(join(place, name)),
  }))
  const first = { name: manifestName, size: text.length, content: () => Readable.from([text]) }
  const tar = Readable.from(writeTar([first, ...files], Date.parse(manifest.createdAt)), {
    objectMode: false,
  })
  // An error reaches whoever reads the compressed stream.
  return pipeline(tar, createGzip({ level: compressionLevel }), () => {})
}

function throwUnavailable(cause: unknown): never {
  if (cause instanceof ServiceError) throw cause
  const detail = `The data folder cannot be copied: ${messageOf(cause)}`
  throw new ServiceError('storage_unavailable', { detail, cause })
}

/**
 * What a backup's file would best be called: custom-connection-backup-20261121.tar.gz.
 *
 * @param createdAt milliseconds since 1970.
 */
export function backupFileName(createdAt: number): string {
  const day = new Date(createdAt).toISOString().slice(0, 10).replaceAll('-', '')
  return `custom-connection-backup-${day}.tar.gz`
}

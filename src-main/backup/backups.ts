import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { ifThere } from '#main/lib/file-system.ts'
import { version } from '#main/lib/version.ts'
import type { BackupSources } from '#main/storage/storage.ts'
import { unavailable } from '#main/storage/unavailable.ts'
import { ServiceError } from '#shared/errors.ts'
import { digestOf, piecesOf, requireRoom } from './files.ts'
import { backedUpNames, type Manifest, manifestName, newManifest } from './manifest.ts'
import { writeTar } from './tar.ts'

/** For events, this is 1.5 times as fast as zlib's default, and the file is 5 % larger. */
const compressionLevel = 3

/** The prefix of the folders for a backup's copies; their mode is 0700. */
const copiesPrefix = 'backup.tmp-'

export type Backups = Awaited<ReturnType<typeof openBackups>>

/**
 * Opens the backups of a storage. A backup contains everything that the service needs on another computer, without
 * derived data (the index of the log, the statistics) and what belongs to this computer (sessions, lock, socket).
 *
 * Copies are made in folders of their own. This deletes those that a kill has left.
 *
 * @param clock milliseconds since 1970.
 */
export async function openBackups(sources: BackupSources, clock: () => number) {
  const { folder } = sources
  for (const name of await readdir(folder))
    if (name.startsWith(copiesPrefix)) await rm(join(folder, name), { recursive: true, force: true })

  /** Copies everything but the manifest into a new folder. */
  async function copyAll() {
    const copies = await mkdtemp(join(folder, copiesPrefix))
    try {
      await requireRoom(copies, await sources.size(), 'A backup')
      return { copies, ...(await sources.copyTo(copies)) }
    } catch (error) {
      await rm(copies, { recursive: true, force: true })
      throw error
    }
  }

  return {
    /**
     * Copies everything as of one moment. Returns the suggested name of the file, and the file as a stream: a gzipped
     * tar. Read it to its end or destroy it: its end deletes the copies.
     *
     * @param createdAt what the backup says of its time, in milliseconds since 1970.
     * @throws ServiceError `storage_unavailable`.
     */
    async create(createdAt = clock()) {
      const { copies, dataKey } = await copyAll().catch(throwUnavailable)
      // If it fails, the next start tries again.
      const remove = () => rm(copies, { recursive: true, force: true }).catch(() => {})
      try {
        const manifest = await describe(copies, dataKey, createdAt)
        const stream = compress(copies, manifest)
        stream.once('close', () => void remove())
        return { fileName: backupFileName(createdAt), manifest, stream }
      } catch (error) {
        await remove()
        throw error
      }
    },
  }
}

async function describe(copies: string, dataKey: Manifest['dataKey'], createdAt: number): Promise<Manifest> {
  const files: Manifest['files'] = []
  for (const name of backedUpNames) {
    const file = await ifThere(digestOf(join(copies, name)))
    if (file !== null) files.push({ name, ...file })
  }
  const at = new Date(createdAt).toISOString()
  return newManifest({ productVersion: version, createdAt: at, dataKey, files })
}

function compress(copies: string, manifest: Manifest): Readable {
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  const files = manifest.files.map(({ name, bytes }) => ({
    name,
    size: bytes,
    content: () => piecesOf(join(copies, name)),
  }))
  const first = { name: manifestName, size: text.length, content: () => Readable.from([text]) }
  const tar = Readable.from(writeTar([first, ...files], Date.parse(manifest.createdAt)), {
    objectMode: false,
  })
  // The reader of the compressed stream receives errors.
  return pipeline(tar, createGzip({ level: compressionLevel }), () => {})
}

function throwUnavailable(cause: unknown): never {
  if (cause instanceof ServiceError) throw cause
  throw unavailable('The data cannot be copied', cause)
}

/** Returns the suggested file name: custom-connection-backup-20261121.tar.gz. @param createdAt in ms since 1970. */
export function backupFileName(createdAt: number): string {
  const day = new Date(createdAt).toISOString().slice(0, 10).replaceAll('-', '')
  return `custom-connection-backup-${day}.tar.gz`
}

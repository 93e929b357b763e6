import { join } from 'node:path'
import { writeAll } from '#main/lib/file-system.ts'
import { openForRestore, type StoragePlace } from '#main/storage/open-storage.ts'
import type { RestoreTarget } from '#main/storage/storage.ts'
import { unavailable } from '#main/storage/unavailable.ts'
import { ServiceError } from '#shared/errors.ts'
import { newPrivateFile, requireRoom } from './files.ts'
import type { Manifest } from './manifest.ts'
import { readBackup } from './read-backup.ts'

export type Restored = {
  /** The data folder, absolute, symbolic links resolved; or the URL of the database without its password. */
  readonly path: string
  readonly manifest: Manifest
  /** Where the old data folder is now; null if there was none, and for a database. */
  readonly setAside: string | null
  /** Sentences for the operator. */
  readonly notices: readonly string[]
}

type RestoreOptions = StoragePlace & {
  /** The backup. */
  readonly file: string
  /** Whether a data folder that is not empty may be moved aside. */
  readonly force: boolean
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/**
 * Replaces a data folder by a backup, or fills an empty database with one. The backup is unpacked and checked to its last
 * byte before anything is replaced.
 *
 * @throws ServiceError `data_folder_in_use`, `data_folder_not_empty`, the errors of `readBackup`, `newer_backup`,
 *   `storage_unavailable`; those of a database. The data folder or the database is then unchanged.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const target = await openForRestore(options)
  const { path, notices } = target
  try {
    await target.requireReplaceable(options.force)
    const restored = await replace(target, options.file, options.clock()).catch(throwUnavailable)
    return { path, notices, ...restored }
  } finally {
    await target.close()
  }
}

/** @param now milliseconds since 1970. */
async function replace(target: RestoreTarget, file: string, now: number) {
  const folder = await target.unpackInto()
  const manifest = await readBackup(file, {
    onManifest: ({ files }) =>
      requireRoom(
        folder,
        files.reduce((sum, { bytes }) => sum + bytes, 0),
        'The backup',
      ),
    onFile: (name, content) => writeAll(content, newPrivateFile(join(folder, name))),
  })
  return { manifest, setAside: await target.replace(now) }
}

function throwUnavailable(cause: unknown): never {
  if (cause instanceof ServiceError) throw cause
  throw unavailable('The backup cannot be unpacked', cause)
}

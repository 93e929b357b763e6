import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeAll } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import type { StagedFile } from './knowledge.ts'
import { unavailable } from './unavailable.ts'

/** Creates the temporary files of a knowledge base. @param folder of this process alone; created with the first file. */
export function createStagedFiles(folder: string) {
  let created = 0
  return {
    /** Names a new file. The caller writes it. @throws ServiceError `storage_unavailable`. */
    async create(): Promise<StagedFile> {
      await mkdir(folder, { recursive: true, mode: 0o700 }).catch(throwUnavailable)
      const path = join(folder, String(++created))
      const textPath = `${path}.text`
      const discard = async () => {
        await Promise.all([path, textPath].map(one => rm(one, { force: true })))
      }
      return { path, textPath, discard }
    },
    /** Writes a file. @throws ServiceError of `pieces`; `storage_unavailable`. */
    async write(pieces: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<StagedFile> {
      const staged = await this.create()
      try {
        await writeAll(pieces, createWriteStream(staged.path, { flags: 'wx', mode: 0o600 }), signal)
        return staged
      } catch (error) {
        await staged.discard()
        return throwUnavailable(error)
      }
    },
    /** Deletes all files. */
    clear: () => rm(folder, { recursive: true, force: true }),
  }
}

export function throwUnavailable(error: unknown): never {
  throw error instanceof ServiceError ? error : unavailable('The file could not be received', error)
}

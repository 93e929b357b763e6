import { constants, copyFile, type FileHandle, link, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  errnoOf,
  ifThere,
  messageOf,
  syncFolder,
  writeDurably,
  writePrivately,
} from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import { unavailable } from '../unavailable.ts'

/** The prefix of a key file whose key is wrapped by a keychain. */
const wrappedPrefix = 'keychain:v1:'

export type KeyText = {
  /** The key as text, possibly wrapped. */
  readonly text: string
  readonly isWrapped: boolean
}

type KeyFile = KeyText & {
  /** Sentences for the operator. */
  readonly notices: readonly string[]
}

/** Returns null if there is no key file. @throws ServiceError `wrong_key`, `storage_unavailable`. */
export async function readKeyFile(path: string): Promise<KeyFile | null> {
  let file: FileHandle | null = null
  try {
    file = await ifThere(open(path, 'r'))
    if (file === null) return null
    const notices = await closeToOthers(file, path)
    const content = (await file.readFile('utf8')).trim()
    const isWrapped = content.startsWith(wrappedPrefix)
    return { text: isWrapped ? content.slice(wrappedPrefix.length) : content, isWrapped, notices }
  } catch (error) {
    throw error instanceof ServiceError ? error : unavailable(`${path} cannot be read`, error)
  } finally {
    await file?.close()
  }
}

async function closeToOthers(file: FileHandle, path: string): Promise<string[]> {
  if (process.platform === 'win32') return []
  const { mode } = await file.stat()
  if ((mode & 0o077) === 0) return []
  await file.chmod(0o600).catch(error => {
    throw new ServiceError('wrong_key', {
      detail: `Other users can read the key file ${path}, and its mode cannot be set to 0600: ${messageOf(error)}`,
    })
  })
  return [
    `Other users could read the key file ${path} (mode ${(mode & 0o777).toString(8)}); its mode is 600 now.`,
  ]
}

/**
 * Creates the key file. A kill leaves it complete or absent, never half a key.
 *
 * @throws ServiceError `storage_unavailable`, also if the file exists.
 */
export async function createKeyFile(path: string, content: KeyText): Promise<void> {
  const temporary = `${path}.tmp`
  await writing(path, async () => {
    await writePrivately(temporary, lineOf(content))
    await link(temporary, path).catch(error => {
      if (errnoOf(error) === 'EEXIST') throw error
      return copyFile(temporary, path, constants.COPYFILE_EXCL) // a file system without hard links
    })
    await rm(temporary)
    await syncFolder(dirname(path))
  })
}

/** Replaces the content atomically. @throws ServiceError `storage_unavailable`. */
export function replaceKeyFile(path: string, content: KeyText): Promise<void> {
  return writing(path, () => writeDurably(path, lineOf(content)))
}

const lineOf = ({ text, isWrapped }: KeyText) => `${isWrapped ? wrappedPrefix : ''}${text}\n`

async function writing(path: string, write: () => Promise<void>): Promise<void> {
  await write().catch(error => {
    throw unavailable(`The key file ${path} cannot be written`, error)
  })
}

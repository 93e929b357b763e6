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

/** What the file holds in place of the key itself where a keychain has wrapped it. */
const wrappedPrefix = 'keychain:v1:'

export type KeyFile = {
  /** The key as text, or what the keychain made of it. */
  readonly text: string
  readonly isWrapped: boolean
  /** What the operator should know, one sentence each. */
  readonly notices: readonly string[]
}

/** @returns null when there is none. @throws ServiceError `wrong_key`, `storage_unavailable`. */
export async function readKeyFile(path: string): Promise<KeyFile | null> {
  const file = await ifThere(open(path, 'r')).catch(error => {
    throw unreadable(path, error)
  })
  if (file === null) return null
  try {
    const notices = await closeToOthers(file, path)
    const content = (await file.readFile('utf8')).trim()
    const isWrapped = content.startsWith(wrappedPrefix)
    return { text: isWrapped ? content.slice(wrappedPrefix.length) : content, isWrapped, notices }
  } catch (error) {
    throw error instanceof ServiceError ? error : unreadable(path, error)
  } finally {
    await file.close()
  }
}

async function closeToOthers(file: FileHandle, path: string): Promise<string[]> {
  if (process.platform === 'win32') return []
  const { mode } = await file.stat()
  if ((mode & 0o077) === 0) return []
  try {
    await file.chmod(0o600)
  } catch (error) {
    throw new ServiceError('wrong_key', {
      detail: `Other users can read the key file ${path}, and its mode cannot be set to 0600: ${messageOf(error)}`,
    })
  }
  return [
    `Other users could read the key file ${path} (mode ${(mode & 0o777).toString(8)}); its mode is 600 now.`,
  ]
}

type KeyText = Pick<KeyFile, 'text' | 'isWrapped'>

/**
 * Complete under its name or not there at all: a kill in between must not leave half a key.
 *
 * @throws ServiceError `storage_unavailable`, also when there is one already.
 */
export async function createKeyFile(path: string, content: KeyText): Promise<void> {
  const temporary = `${path}.tmp`
  try {
    await writePrivately(temporary, lineOf(content))
    await link(temporary, path).catch(error => {
      if (errnoOf(error) === 'EEXIST') throw error
      return copyFile(temporary, path, constants.COPYFILE_EXCL) // a file system without hard links
    })
    await rm(temporary)
    await syncFolder(dirname(path))
  } catch (error) {
    throw unwritable(path, error)
  }
}

/** At any moment the old or the new content is there whole. @throws ServiceError `storage_unavailable`. */
export async function replaceKeyFile(path: string, content: KeyText): Promise<void> {
  try {
    await writeDurably(path, lineOf(content))
  } catch (error) {
    throw unwritable(path, error)
  }
}

const lineOf = ({ text, isWrapped }: KeyText) => `${isWrapped ? wrappedPrefix : ''}${text}\n`

function unwritable(path: string, error: unknown): ServiceError {
  return new ServiceError('storage_unavailable', {
    detail: `The key file ${path} cannot be written: ${messageOf(error)}`,
    cause: error,
  })
}

function unreadable(path: string, error: unknown): ServiceError {
  return new ServiceError('storage_unavailable', {
    detail: `${path} cannot be read: ${messageOf(error)}`,
    cause: error,
  })
}

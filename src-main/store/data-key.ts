import { constants, copyFile, type FileHandle, link, open, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ServiceError } from '#shared/errors.ts'
import type { DataFolderPaths } from './data-folder-paths.ts'
import { errnoOf, messageOf, syncFolder, writePrivately } from './file-system.ts'
import { sealedPrefix } from './secrets.ts'

const keyBytes = 32
const variable = 'CUSTOM_CONNECTION_KEY'

export type DataKey = {
  /** 32 bytes. */
  readonly key: Buffer
  /** What the operator should know, one sentence each. */
  readonly notices: readonly string[]
}

type KeyPlaces = Pick<DataFolderPaths, 'keyFile' | 'configFile'>

/**
 * The key that seals credentials on disk: from the environment variable CUSTOM_CONNECTION_KEY (32 bytes in
 * hex, base64 or base64url), else from the key file, which is created when there is none and nothing in
 * the configuration needs an older one. A key file is never overwritten.
 * @throws ServiceError `wrong_key` when the key cannot be used; `storage_unavailable`.
 */
export async function loadDataKey(
  folder: KeyPlaces,
  env: NodeJS.ProcessEnv,
  randomBytes: (size: number) => Buffer,
): Promise<DataKey> {
  const fromEnvironment = env[variable]
  if (fromEnvironment !== undefined) {
    const key = parseKey(fromEnvironment)
    if (key !== null) return { key, notices: [] }
    throw wrongKey(`${variable} must hold ${keyBytes} bytes in hex, base64 or base64url.`)
  }
  return (await readKeyFile(folder.keyFile)) ?? (await createKeyFile(folder, randomBytes))
}

/** @returns null unless the text, white space around it aside, stands for exactly 32 bytes. */
export function parseKey(text: string): Buffer | null {
  const trimmed = text.trim()
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, 'hex')
  // Node reads both alphabets as base64; 43 digits are 32 bytes and two bits over.
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed) ? Buffer.from(trimmed, 'base64') : null
}

async function readKeyFile(path: string): Promise<DataKey | null> {
  let file: FileHandle
  try {
    file = await open(path, 'r')
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null
    throw unreadable(path, error)
  }
  try {
    const notices = await closeToOthers(file, path)
    const key = parseKey(await file.readFile('utf8'))
    if (key === null)
      throw wrongKey(`The key file ${path} is damaged; put it back from a backup, or set ${variable}.`)
    return { key, notices }
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
    throw wrongKey(
      `Other users can read the key file ${path}, and its mode cannot be set to 0600: ${messageOf(error)}`,
    )
  }
  return [
    `Other users could read the key file ${path} (mode ${(mode & 0o777).toString(8)}); its mode is 600 now.`,
  ]
}

/** Complete under its name or not there at all: a kill in between must not leave half a key. */
async function createKeyFile(folder: KeyPlaces, randomBytes: (size: number) => Buffer): Promise<DataKey> {
  const path = folder.keyFile
  for (const file of [folder.configFile, `${folder.configFile}.bak`]) {
    if (await holdsSealedText(file)) {
      throw wrongKey(
        `The key file ${path} is missing, and ${file} was sealed with it; put it back, or set ${variable}.`,
      )
    }
  }
  const key = randomBytes(keyBytes)
  const temporary = `${path}.tmp`
  try {
    await writePrivately(temporary, `${key.toString('base64url')}\n`)
    await link(temporary, path).catch(error => {
      if (errnoOf(error) === 'EEXIST') throw error
      return copyFile(temporary, path, constants.COPYFILE_EXCL) // a file system without hard links
    })
    await rm(temporary)
    await syncFolder(dirname(path))
  } catch (error) {
    throw new ServiceError('storage_unavailable', {
      detail: `The key file ${path} cannot be written: ${messageOf(error)}`,
      cause: error,
    })
  }
  return { key, notices: [] }
}

async function holdsSealedText(path: string): Promise<boolean> {
  try {
    return (await readFile(path, 'latin1')).includes(sealedPrefix)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false
    throw unreadable(path, error)
  }
}

const wrongKey = (detail: string) => new ServiceError('wrong_key', { detail })

function unreadable(path: string, error: unknown): ServiceError {
  return new ServiceError('storage_unavailable', {
    detail: `${path} cannot be read: ${messageOf(error)}`,
    cause: error,
  })
}

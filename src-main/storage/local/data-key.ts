import { readFile } from 'node:fs/promises'
import { ifThere, messageOf } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Keychain } from '../keychain.ts'
import type { DataFolderPaths } from './data-folder-paths.ts'
import { createKeyFile, type KeyFile, readKeyFile, replaceKeyFile } from './key-file.ts'
import { sealedPrefix } from './secrets.ts'

const keyBytes = 32
const variable = 'CUSTOM_CONNECTION_KEY'

export type DataKey = {
  /** 32 bytes. */
  readonly key: Buffer
  readonly keptIn: 'file' | 'environment' | 'keychain'
  /** What the operator should know, one sentence each. */
  readonly notices: readonly string[]
}

type KeyPlaces = Pick<DataFolderPaths, 'keyFile' | 'configFile'>

/**
 * The key that seals credentials on disk: from the environment variable CUSTOM_CONNECTION_KEY (32 bytes in
 * hex, base64 or base64url), else from the key file, which is created when there is none and nothing in
 * the configuration needs an older one. Where there is a keychain, the file holds the key wrapped by it.
 *
 * @throws ServiceError `wrong_key` when the key cannot be used; `key_in_keychain` when it is wrapped and
 *   cannot be unwrapped here; `storage_unavailable`.
 */
export async function loadDataKey(
  folder: KeyPlaces,
  env: NodeJS.ProcessEnv,
  randomBytes: (size: number) => Buffer,
  keychain: Keychain | null = null,
): Promise<DataKey> {
  const fromEnvironment = env[variable]
  if (fromEnvironment !== undefined) {
    const key = parseKey(fromEnvironment)
    if (key !== null) return { key, keptIn: 'environment', notices: [] }
    throw wrongKey(`${variable} must hold ${keyBytes} bytes in hex, base64 or base64url.`)
  }
  return (await keepDataKey(folder.keyFile, keychain)) ?? (await makeKey(folder, randomBytes, keychain))
}

/** @returns null unless the text, white space around it aside, stands for exactly 32 bytes. */
export function parseKey(text: string): Buffer | null {
  const trimmed = text.trim()
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, 'hex')
  // Node reads both alphabets as base64; 43 digits are 32 bytes and two bits over.
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed) ? Buffer.from(trimmed, 'base64') : null
}

/**
 * Reads the key file, and wraps or unwraps it as the keychain says. A key that cannot be wrapped stays as it
 * is, with a notice: the file is never replaced by what was not read back first.
 *
 * @returns null when there is no key file. @throws as `loadDataKey`.
 */
export async function keepDataKey(path: string, keychain: Keychain | null): Promise<DataKey | null> {
  const file = await readKeyFile(path)
  if (file === null) return null
  const { text, renew } = file.isWrapped
    ? await unwrap(path, file, keychain)
    : { text: file.text, renew: false }
  const key = parseKey(text)
  if (key === null)
    throw wrongKey(`The key file ${path} is damaged; put it back from a backup, or set ${variable}.`)
  const { notices, isWrapped } = file
  const found = { key, keptIn: isWrapped ? 'keychain' : 'file', notices } as const
  if (keychain === null || (keychain.wraps === isWrapped && !renew)) return found
  if (!keychain.wraps) {
    await replaceKeyFile(path, { text, isWrapped: false })
    return { ...found, keptIn: 'file' }
  }
  try {
    await replaceKeyFile(path, { text: await wrap(keychain, text), isWrapped: true })
    return { ...found, keptIn: 'keychain' }
  } catch (error) {
    return { ...found, notices: [...notices, `The key file ${path} stays as it is: ${messageOf(error)}`] }
  }
}

async function unwrap(path: string, { text }: KeyFile, keychain: Keychain | null) {
  const otherwise = `or set ${variable}, or put back a backup.`
  if (keychain === null)
    throw inKeychain(
      `The key file ${path} can be read by the desktop app alone, whose user's keychain protects it. Switch that off in the app's settings and quit it, ${otherwise}`,
    )
  try {
    return await keychain.unwrap(text)
  } catch (error) {
    throw inKeychain(
      `This user's keychain does not open the key file ${path} (${messageOf(error)}). Unlock it and start again, ${otherwise}`,
    )
  }
}

async function wrap(keychain: Keychain, text: string): Promise<string> {
  const wrapped = await keychain.wrap(text)
  const { text: again } = await keychain.unwrap(wrapped)
  if (again !== text) throw new Error('the keychain gives back something else.')
  return wrapped
}

async function makeKey(
  folder: KeyPlaces,
  randomBytes: (size: number) => Buffer,
  keychain: Keychain | null,
): Promise<DataKey> {
  const path = folder.keyFile
  for (const file of [folder.configFile, `${folder.configFile}.bak`]) {
    if (await holdsSealedText(file)) {
      throw wrongKey(
        `The key file ${path} is missing, and ${file} was sealed with it; put it back, or set ${variable}.`,
      )
    }
  }
  const key = randomBytes(keyBytes)
  const text = key.toString('base64url')
  if (keychain?.wraps !== true) {
    await createKeyFile(path, { text, isWrapped: false })
    return { key, keptIn: 'file', notices: [] }
  }
  try {
    await createKeyFile(path, { text: await wrap(keychain, text), isWrapped: true })
    return { key, keptIn: 'keychain', notices: [] }
  } catch (error) {
    if (error instanceof ServiceError) throw error
    await createKeyFile(path, { text, isWrapped: false })
    const notice = `The keychain does not take the key; it is kept in ${path}: ${messageOf(error)}`
    return { key, keptIn: 'file', notices: [notice] }
  }
}

async function holdsSealedText(path: string): Promise<boolean> {
  try {
    return (await ifThere(readFile(path, 'latin1')))?.includes(sealedPrefix) ?? false
  } catch (error) {
    throw new ServiceError('storage_unavailable', {
      detail: `${path} cannot be read: ${messageOf(error)}`,
      cause: error,
    })
  }
}

const wrongKey = (detail: string) => new ServiceError('wrong_key', { detail })
const inKeychain = (detail: string) => new ServiceError('key_in_keychain', { detail })

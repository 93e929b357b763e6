import { readFile } from 'node:fs/promises'
import { ifThere, messageOf, systemFiles } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import { sealedPrefix } from '../sealing.ts'
import type { Keychain } from '../storage.ts'
import { unavailable } from '../unavailable.ts'
import { journalPaths } from './config-journal.ts'
import type { DataFolderPaths } from './data-folder-paths.ts'
import { createKeyFile, type KeyText, readKeyFile, replaceKeyFile } from './key-file.ts'

const keyBytes = 32
const variable = 'CUSTOM_CONNECTION_KEY'

type DataKey = {
  /** 32 bytes. */
  readonly key: Buffer
  readonly keptIn: 'file' | 'environment' | 'keychain'
  /** Sentences for the operator. */
  readonly notices: readonly string[]
}

type KeyPlaces = Pick<DataFolderPaths, 'keyFile' | 'configFile'>

/**
 * Returns the key that encrypts credentials on disk: from the environment variable CUSTOM_CONNECTION_KEY (32 bytes in
 * hex, base64 or base64url), otherwise from the key file. The file is created if there is none and the configuration
 * has nothing that an older key encrypted. If there is a keychain, it wraps the key in the file.
 *
 * @throws ServiceError `wrong_key` if the key is unusable; `key_in_keychain` if it cannot be unwrapped here;
 *   `storage_unavailable`.
 */
export async function loadDataKey(
  folder: KeyPlaces,
  env: NodeJS.ProcessEnv,
  randomBytes: (size: number) => Buffer,
  keychain: Keychain | null = null,
): Promise<DataKey> {
  const given = keyFromEnvironment(env)
  if (given !== null) return { key: given, keptIn: 'environment', notices: [] }
  return (await keepDataKey(folder.keyFile, keychain)) ?? (await createKey(folder, randomBytes, keychain))
}

/** Returns the key that the environment gives; null if it gives none. @throws ServiceError `wrong_key` if it is unusable. */
export function keyFromEnvironment(env: NodeJS.ProcessEnv): Buffer | null {
  const text = env[variable]
  if (text === undefined) return null
  const key = parseKey(text)
  if (key === null) throw wrongKey(`${variable} must hold ${keyBytes} bytes in hex, base64 or base64url.`)
  return key
}

/** Returns null unless the text, surrounding white space aside, encodes exactly 32 bytes. */
export function parseKey(text: string): Buffer | null {
  const trimmed = text.trim()
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, 'hex')
  // Node reads both alphabets as base64; 43 digits are 32 bytes and two spare bits.
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed) ? Buffer.from(trimmed, 'base64') : null
}

/**
 * Reads the key file, and wraps or unwraps the key as the keychain asks for. A key that cannot be wrapped stays as it
 * is, with a notice: the file is only replaced by what was read back first.
 *
 * @returns null if there is no key file. @throws as `loadDataKey`.
 */
export async function keepDataKey(path: string, keychain: Keychain | null): Promise<DataKey | null> {
  const file = await readKeyFile(path)
  if (file === null) return null
  const { notices, isWrapped } = file
  const { text, renew } = isWrapped ? await unwrap(path, file, keychain) : { ...file, renew: false }
  const key = parseKey(text)
  if (key === null)
    throw wrongKey(`The key file ${path} is damaged. Restore it from a backup, or set ${variable}.`)
  const found = { key, keptIn: isWrapped ? 'keychain' : 'file', notices } as const
  if (keychain === null || (keychain.wraps === isWrapped && !renew)) return found
  if (!keychain.wraps) {
    await replaceKeyFile(path, { text, isWrapped: false })
    return { ...found, keptIn: 'file' }
  }
  try {
    await replaceKeyFile(path, await wrap(keychain, text))
    return { ...found, keptIn: 'keychain' }
  } catch (error) {
    return { ...found, notices: [...notices, `The key file ${path} stays as it is: ${messageOf(error)}`] }
  }
}

async function unwrap(path: string, { text }: KeyText, keychain: Keychain | null) {
  const otherwise = `or set ${variable}, or restore a backup.`
  if (keychain === null)
    throw inKeychain(
      `Only the desktop app can read the key file ${path}, because the keychain of its user protects it. Switch that off in the app's settings and quit it, ${otherwise}`,
    )
  return keychain.unwrap(text).catch(error => {
    throw inKeychain(
      `This user's keychain does not open the key file ${path} (${messageOf(error)}). Unlock it and start again, ${otherwise}`,
    )
  })
}

async function wrap(keychain: Keychain, text: string): Promise<KeyText> {
  const wrapped = await keychain.wrap(text)
  const { text: again } = await keychain.unwrap(wrapped)
  if (again !== text) throw new Error('the keychain returns a different text.')
  return { text: wrapped, isWrapped: true }
}

async function createKey(
  { keyFile, configFile }: KeyPlaces,
  randomBytes: (size: number) => Buffer,
  keychain: Keychain | null,
): Promise<DataKey> {
  for (const file of [configFile, `${configFile}.bak`, ...(await journalPaths(configFile, systemFiles))])
    if (await holdsSealedText(file))
      throw wrongKey(
        `The key file ${keyFile} is missing, and ${file} was encrypted with it. Restore it, or set ${variable}.`,
      )
  const key = randomBytes(keyBytes)
  const text = key.toString('base64url')
  const notices: string[] = []
  if (keychain?.wraps === true)
    try {
      await createKeyFile(keyFile, await wrap(keychain, text))
      return { key, keptIn: 'keychain', notices }
    } catch (error) {
      if (error instanceof ServiceError) throw error
      notices.push(`The keychain does not accept the key, so it is in ${keyFile}: ${messageOf(error)}`)
    }
  await createKeyFile(keyFile, { text, isWrapped: false })
  return { key, keptIn: 'file', notices }
}

async function holdsSealedText(path: string): Promise<boolean> {
  const content = await ifThere(readFile(path, 'latin1')).catch(error => {
    throw unavailable(`${path} cannot be read`, error)
  })
  return content?.includes(sealedPrefix) ?? false
}

const wrongKey = (detail: string) => new ServiceError('wrong_key', { detail })
const inKeychain = (detail: string) => new ServiceError('key_in_keychain', { detail })

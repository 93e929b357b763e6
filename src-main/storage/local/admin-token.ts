import { chmod, readFile } from 'node:fs/promises'
import { errnoOf, messageOf, writeDurably } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'

const tokenBytes = 32
/** A shorter token can be guessed. */
export const minAdminTokenLength = 16

/**
 * The admin token kept in the data folder, made at the first start: 32 random bytes, base64url, in a file
 * of mode 0600. The caller holds the data folder.
 *
 * @param minLength what a token that somebody wrote into the file must have.
 * @throws ServiceError `storage_unavailable`, `weak_admin_token`, naming the file.
 */
export async function keptAdminToken(
  file: string,
  random: (bytes: number) => Buffer,
  minLength: number = minAdminTokenLength,
): Promise<string> {
  const token = await readOrMakeToken(file, random)
  if (token.length >= minLength) return token
  throw new ServiceError('weak_admin_token', {
    detail: `The admin token in ${file} is shorter than ${minLength} characters. Delete the file to have one made, or write a longer one into it.`,
  })
}

async function readOrMakeToken(file: string, random: (bytes: number) => Buffer): Promise<string> {
  try {
    return await readOrMake(file, random)
  } catch (cause) {
    throw new ServiceError('storage_unavailable', {
      detail: `The admin token's file ${file} cannot be used: ${messageOf(cause)}`,
      cause,
    })
  }
}

async function readOrMake(file: string, random: (bytes: number) => Buffer): Promise<string> {
  const kept = await read(file)
  if (kept !== null) return kept
  const token = random(tokenBytes).toString('base64url')
  await writeDurably(file, `${token}\n`)
  return token
}

async function read(file: string): Promise<string | null> {
  try {
    const token = (await readFile(file, 'utf8')).trim()
    await chmod(file, 0o600)
    return token === '' ? null : token
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null
    throw error
  }
}

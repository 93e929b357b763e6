import { chmod, readFile } from 'node:fs/promises'
import { ifThere, writeDurably } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import { minAdminTokenLength } from '../storage.ts'
import { unavailable } from '../unavailable.ts'

const tokenBytes = 32

/**
 * Returns the admin token of a data folder that this process holds. The first start creates it: 32 random bytes,
 * base64url, in a file of mode 0600.
 *
 * @param minLength for a token that somebody wrote into the file.
 * @throws ServiceError `storage_unavailable`, `weak_admin_token`, naming the file.
 */
export async function keptAdminToken(
  file: string,
  random: (bytes: number) => Buffer,
  minLength: number = minAdminTokenLength,
): Promise<string> {
  const token = await readOrCreate(file, random).catch(cause => {
    throw unavailable(`The admin token's file ${file} cannot be used`, cause)
  })
  if (token.length >= minLength) return token
  throw new ServiceError('weak_admin_token', {
    detail: `The admin token in ${file} is shorter than ${minLength} characters. Delete the file to get a new token, or write a longer one into it.`,
  })
}

async function readOrCreate(file: string, random: (bytes: number) => Buffer): Promise<string> {
  const kept = (await ifThere(readFile(file, 'utf8')))?.trim()
  if (kept) {
    await chmod(file, 0o600)
    return kept
  }
  const token = random(tokenBytes).toString('base64url')
  await writeDurably(file, `${token}\n`)
  return token
}

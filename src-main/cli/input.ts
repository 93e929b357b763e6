import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { messageOf } from '#main/lib/file-system.ts'
import { readWhole } from '#main/lib/growing-buffer.ts'
import { type ErrorCode, ServiceError } from '#shared/errors.ts'
import { isObject, parseExact } from '#shared/json/exact-json.ts'
import { say } from './output.ts'

/** Why a secret is better given as a file, for the help of options. */
export const readableByOthers = 'other users can read a token in the list of processes'
/** More than any body or document that a subcommand accepts. */
const maxStdinBytes = 512 * 1024 * 1024

/**
 * Reads the value of an option: `-` is stdin, `@file` a file, and anything else the value itself in UTF-8.
 *
 * @param what names the value for the person who types it: "the body".
 * @throws ServiceError `invalid_input` if the file cannot be read.
 */
export async function readInput(given: string, what: string): Promise<Buffer> {
  if (given.startsWith('@')) return readNamedFile(given.slice(1))
  if (given !== '-') return Buffer.from(given)
  if (process.stdin.isTTY) say(`Reading ${what} from the terminal. End it with Ctrl-D.`)
  return readWhole(standardInput(process.platform, process.versions), maxStdinBytes)
}

/**
 * Returns stdin. On Windows, Electron replaces `process.stdin` with a stream that has ended, so a pipe is opened here.
 *
 * @param versions those of the process.
 */
export function standardInput(platform: NodeJS.Platform, versions: { readonly electron?: string }): Readable {
  if (platform !== 'win32' || versions.electron === undefined) return process.stdin
  try {
    return new Socket({ fd: 0, writable: false })
  } catch {
    // It is not a pipe.
    return process.stdin
  }
}

/**
 * Reads a secret or token: the value itself, or the text of `@file` without a final line break. A file keeps it out of
 * the process list.
 *
 * @throws ServiceError `invalid_input` if the file cannot be read or is empty.
 */
export async function readCredential(given: string): Promise<string> {
  if (!given.startsWith('@')) return given
  const file = given.slice(1)
  const text = (await readNamedFile(file)).toString('utf8').replace(/\r?\n$/, '')
  if (text === '') throw new ServiceError('invalid_input', { detail: `The file ${file} is empty.` })
  return text
}

async function readNamedFile(file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (cause) {
    const detail = `The file ${file} cannot be read: ${messageOf(cause)}`
    throw new ServiceError('invalid_input', { detail, cause })
  }
}

/**
 * Parses bytes as a JSON object with exact numbers. Returns the object and its text.
 *
 * @param refusal the parts of the error: `what` starts its sentence, `example` is shown in it.
 * @throws ServiceError with the refusal's code.
 */
export function readJsonObject(
  bytes: Buffer,
  { what, code, example }: { what: string; code: ErrorCode; example: string },
): { text: string; value: object } {
  const refuse = (problem: string): never => {
    throw new ServiceError(code, { detail: `${what} ${problem}` })
  }
  if (!isUtf8(bytes)) return refuse('is not valid UTF-8.')
  const text = bytes.toString('utf8')
  let value: unknown
  try {
    value = parseExact(text)
  } catch (error) {
    return refuse(`is not valid JSON: ${messageOf(error)}`)
  }
  if (!isObject(value)) return refuse(`must be a JSON object, such as ${example}.`)
  return { text, value }
}

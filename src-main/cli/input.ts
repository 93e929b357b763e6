import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { messageOf } from '#main/lib/file-system.ts'
import { readWhole } from '#main/lib/growing-buffer.ts'
import { type ErrorCode, ServiceError } from '#shared/errors.ts'
import { isObject, parseExact } from '#shared/json/exact-json.ts'
import { refuseUsage } from './options.ts'
import { say } from './output.ts'

const secretVariable = 'CUSTOM_CONNECTION_SECRET'
/** More than any body or document that a subcommand takes. */
const maxStdinBytes = 512 * 1024 * 1024

/**
 * Returns the bytes that an option stands for: `-` for stdin, `@file` for a file, anything else for itself in UTF-8.
 *
 * @param what is read, for the person who has to type it: "the body".
 * @throws ServiceError `invalid_input` when the file cannot be read.
 */
export async function readInput(given: string, what: string): Promise<Buffer> {
  if (given.startsWith('@')) return readNamedFile(given.slice(1))
  if (given !== '-') return Buffer.from(given)
  if (process.stdin.isTTY) say(`Reading ${what} from the terminal; end it with Ctrl-D.`)
  return readWhole(process.stdin, maxStdinBytes)
}

/**
 * Returns a secret or token that an option or a variable of the environment gives: itself, or the text of `@file`,
 * which keeps it out of the list of processes. A line break at the end of the file does not belong to it.
 *
 * @throws ServiceError `invalid_input` when the file cannot be read or is empty.
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

export function secretOption(): Option {
  return new Option('--secret <secret>', "the connection's signing secret, or @file").env(secretVariable)
}

/** Returns the signing secret. @throws CommanderError when there is none. */
export async function requireSecret(command: Command, given: string | undefined): Promise<string> {
  if (given === undefined)
    refuseUsage(command, `Give the signing secret with --secret, or in ${secretVariable}.`)
  const secret = await readCredential(given)
  if (!secret.startsWith('whsec_'))
    say('Note: a signing secret begins with whsec_, and the whole of it is the key; this one does not.')
  return secret
}

/**
 * Returns the JSON object that bytes in UTF-8 hold, whose numbers keep their digits, and its own text.
 *
 * @param refusal `what` begins a sentence, `example` is shown in it, `code` is the error's.
 * @throws ServiceError the refusal's code, with what is wrong.
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

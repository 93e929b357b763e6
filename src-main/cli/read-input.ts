import { readFile } from 'node:fs/promises'
import { messageOf } from '#main/lib/file-system.ts'
import { readWhole } from '#main/lib/growing-buffer.ts'
import { ServiceError } from '#shared/errors.ts'
import { say } from './output.ts'

/**
 * The bytes that an option stands for: `-` for stdin, `@file` for a file, anything else for itself in UTF-8.
 *
 * @param what is read, for the person who has to type it: "the body".
 * @throws ServiceError `invalid_input` when the file cannot be read.
 */
export async function readInput(given: string, what: string): Promise<Buffer> {
  if (given === '-') return readStdin(what)
  if (!given.startsWith('@')) return Buffer.from(given)
  const file = given.slice(1)
  try {
    return await readFile(file)
  } catch (cause) {
    throw new ServiceError('invalid_input', {
      detail: `The file ${file} cannot be read: ${messageOf(cause)}`,
      cause,
    })
  }
}

/** More than any body, document or backup manifest that a subcommand takes. */
const maxStdinBytes = 512 * 1024 * 1024

/** All of stdin, byte for byte; says so when somebody sits in front of it. */
export async function readStdin(what: string): Promise<Buffer> {
  if (process.stdin.isTTY) say(`Reading ${what} from the terminal; end it with Ctrl-D.`)
  return readWhole(process.stdin, maxStdinBytes)
}

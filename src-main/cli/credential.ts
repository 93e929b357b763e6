import { readFileSync } from 'node:fs'
import { messageOf } from '#main/store/file-system.ts'
import { ServiceError } from '#shared/errors.ts'

/**
 * A secret or token as an option or a variable of the environment gives it: itself, or `@file`, which
 * keeps it out of the list of processes. A line break at the end of the file does not belong to it.
 *
 * @throws ServiceError `invalid_input` when the file cannot be read or is empty.
 */
export function readCredential(given: string): string {
  if (!given.startsWith('@')) return given
  const file = given.slice(1)
  const text = readText(file).replace(/\r?\n$/, '')
  if (text === '') throw new ServiceError('invalid_input', { detail: `The file ${file} is empty.` })
  return text
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new ServiceError('invalid_input', {
      detail: `The file ${file} cannot be read: ${messageOf(cause)}`,
      cause,
    })
  }
}

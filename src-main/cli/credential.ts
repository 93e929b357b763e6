import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { messageOf } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import { say } from './output.ts'
import { refuseUsage } from './parse-options.ts'

const secretVariable = 'CUSTOM_CONNECTION_SECRET'

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

export function secretOption(): Option {
  return new Option('--secret <secret>', "the connection's signing secret, or @file").env(secretVariable)
}

/** The signing secret, which a command cannot do without. @throws CommanderError when there is none. */
export function requireSecret(command: Command, given: string | undefined): string {
  if (given === undefined)
    refuseUsage(command, `Give the signing secret with --secret, or in ${secretVariable}.`)
  const secret = readCredential(given)
  if (!secret.startsWith('whsec_'))
    say('Note: a signing secret begins with whsec_, and the whole of it is the key; this one does not.')
  return secret
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

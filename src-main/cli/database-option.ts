import { type Command, Option } from 'commander'
import { maskDatabaseUrls } from '#main/lib/mask-database-url.ts'
import { readCredential } from './input.ts'
import { isGiven, refuseUsage } from './options.ts'
import { say } from './output.ts'

export const databaseInProcessList =
  'The password of the database was given on the command line, where other users of this computer can read it. Give the URL as --database @FILE or in CUSTOM_CONNECTION_DATABASE instead, and change the password.'

/** Creates the option for the URL of a database. @param does what the command does with it. */
export function databaseOption(does: string): Option {
  return new Option('--database <url>', `${does}: postgres://user@host/name, or @file`).env(
    'CUSTOM_CONNECTION_DATABASE',
  )
}

/** Returns whether the command line itself has the password of a database. */
export function showsPassword(command: Command, given: string | undefined): boolean {
  if (given === undefined || given.startsWith('@')) return false
  return isGiven(command, 'database') && maskDatabaseUrls(given) !== given
}

/**
 * Returns the URL of the database that a command is for; undefined if it is for a data folder. `--data` on the command
 * line is stronger than the environment.
 *
 * @throws CommanderError for both options on the command line; ServiceError `invalid_input`.
 */
export async function databaseInsteadOfFolder(
  command: Command,
  given: string | undefined,
): Promise<string | undefined> {
  if (isGiven(command, 'data')) {
    if (isGiven(command, 'database')) refuseUsage(command, 'Give either --data or --database.')
    return undefined
  }
  if (showsPassword(command, given)) say(databaseInProcessList)
  return readDatabaseUrl(given)
}

/**
 * Returns the URL of a database, without the spaces and line breaks around it. A file stays one, so that it can be read again.
 *
 * @throws ServiceError `invalid_input` if the file cannot be read or is empty.
 */
export async function readDatabaseUrl(given: string | undefined): Promise<string | undefined> {
  if (given === undefined) return undefined
  const url = (await readCredential(given)).trim()
  return given.startsWith('@') ? given : url
}

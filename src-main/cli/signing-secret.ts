import { type Command, Option } from 'commander'
import { z } from 'zod'
import { contract } from '#shared/contract/index.ts'
import { readCredential } from './input.ts'
import { dataFolderOption, refuseUsage, TextOption } from './options.ts'
import { say } from './output.ts'
import { askService } from './service-client.ts'

const secretVariable = 'CUSTOM_CONNECTION_SECRET'

export function secretOption(): Option {
  return new Option(
    '--secret <secret>',
    "the connection's signing secret, or better @file: other users can read a secret in the list of processes",
  ).env(secretVariable)
}

/** Adds the options that say which signing secret is meant. */
export function addSecretOptions(command: Command): Command {
  return command
    .addOption(secretOption())
    .option('--connection <id-or-name>', 'use the secret of this connection of the running service')
    .addOption(dataFolderOption('--data <dir>'))
}

/** What `addSecretOptions` gives. */
export const secretFields = {
  secret: TextOption,
  connection: z.string().min(1).optional(),
  data: z.string().min(1),
}

/**
 * Returns the signing secret that the options of `addSecretOptions` name. A connection takes precedence over the
 * environment variable.
 *
 * @throws CommanderError if there is none, or two. @throws ServiceError like `askService`.
 */
export async function readSecret(
  command: Command,
  { secret, connection, data }: z.output<z.ZodObject<typeof secretFields>>,
): Promise<string> {
  if (connection === undefined) return requireSecret(command, secret)
  if (command.getOptionValueSource('secret') === 'cli')
    refuseUsage(command, 'Give either --connection or --secret.')
  return askService(data, async service => {
    const { connectionId } = await service.findConnection(connection)
    return (await service.call(contract.connections.credentials, { connectionId })).signingSecret
  })
}

/** Returns the given signing secret. @throws CommanderError if there is none. */
export async function requireSecret(command: Command, given: string | undefined): Promise<string> {
  if (given === undefined)
    refuseUsage(
      command,
      `Give the signing secret with --secret or in ${secretVariable}, or a connection with --connection.`,
    )
  const secret = await readCredential(given)
  if (!secret.startsWith('whsec_'))
    say(
      'Note: this secret does not start with whsec_. The key is the whole signing secret, including whsec_.',
    )
  return secret
}

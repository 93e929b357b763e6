import { type Command, Option } from 'commander'
import { z } from 'zod'
import { contract } from '#shared/contract/index.ts'
import { ServiceError } from '#shared/errors.ts'
import { issuesOf } from '#shared/model/issue.ts'
import { defaultSender, Sender } from '#shared/model/sender/sender.ts'
import { namedSchemes, schemes } from '#shared/model/sender/templates.ts'
import { readCredential } from './input.ts'
import { DataFolder, dataFolderOption, refuseUsage, repeatable, TextOption } from './options.ts'
import { say } from './output.ts'
import { askService, type ServiceClient } from './service-client.ts'

const secretVariable = 'CUSTOM_CONNECTION_SECRET'

export function secretOption(): Option {
  return new Option(
    '--secret <secret>',
    "the connection's signing secret, or better @file: other users can read a secret in the list of processes",
  ).env(secretVariable)
}

/** Adds the option that says how a sender signs. */
export function addScheme(command: Command): Command {
  return addSetting(
    command.addOption(
      new Option(
        '--as <scheme>',
        "sign as this sender; by default as the connection's sender does, else custom-connection",
      ).choices(namedSchemes),
    ),
  )
}

/** Adds the option for the settings of a preset, such as the webhook ID of PayPal. */
export function addSetting(command: Command): Command {
  return command.option('--setting <name=value>', 'a setting of the sender with --as; repeatable', repeatable)
}

const Setting = z
  .string()
  .regex(/^\w+=/, 'Write a setting as NAME=VALUE.')
  .transform((text): [string, string] => {
    const at = text.indexOf('=')
    return [text.slice(0, at), text.slice(at + 1)]
  })

export const schemeField = {
  as: z.enum(namedSchemes).optional(),
  setting: z.array(Setting).default([]),
}

/** The scheme of a sender that is named on the command line. */
type Named = z.output<z.ZodObject<typeof schemeField>>

/** Adds the options that say which signing secret is meant. */
export function addSecretOptions(command: Command): Command {
  return command
    .addOption(secretOption())
    .option('--connection <id-or-name>', 'use the secret of this connection of the running service')
    .addOption(dataFolderOption('--data <dir>'))
}

/** The fields of the options that `addSecretOptions` adds. */
export const secretFields = {
  secret: TextOption,
  connection: z.string().min(1).optional(),
  data: DataFolder,
}

/** How a sender signs, its secret, the URL that it calls, and the token that its questions must have, if there is one. */
export type Signing = {
  readonly sender: Sender
  readonly secret: string
  readonly url: string
  readonly verifyToken?: string | undefined
}

/**
 * Returns how a sender signs that is given without a connection.
 *
 * @throws ServiceError `invalid_input` if a setting of it is missing.
 */
export function senderAs({ as, setting }: Named): Sender {
  const scheme = as ?? defaultSender.scheme
  const settings = setting.length === 0 ? {} : { settings: Object.fromEntries(setting) }
  const read = Sender.safeParse({ scheme, ...settings })
  if (read.success) return read.data
  throw new ServiceError('invalid_input', { data: { issues: issuesOf(read.error) } })
}

/** Returns how the sender of a connection of the running service signs, or the given one with its secret. */
export async function signingOf(
  service: ServiceClient,
  connectionId: string,
  named: Named,
): Promise<Signing> {
  const saved = await service.call(contract.connections.get, { connectionId })
  const credentials = await service.call(contract.connections.credentials, { connectionId })
  const { senderSecret, signingSecret, inboundUrl: url, verifyToken } = credentials
  const { as } = named
  const sender = as === undefined || as === saved.sender.scheme ? saved.sender : senderAs(named)
  const secret = schemes[sender.scheme].hasOwnSecret ? (senderSecret ?? '') : signingSecret
  return { sender, secret, url, verifyToken }
}

/**
 * Returns how to sign as the options of `addSecretOptions` and `addScheme` say. A connection takes precedence over the
 * environment variable.
 *
 * @throws CommanderError if there is no secret, or two. @throws ServiceError like `askService`.
 */
export async function readSigning(
  command: Command,
  options: z.output<z.ZodObject<typeof secretFields & typeof schemeField>>,
): Promise<Signing> {
  const { connection, data } = options
  if (connection === undefined) {
    const sender = senderAs(options)
    return { sender, secret: await requireSecret(command, options.secret, sender), url: '' }
  }
  if (command.getOptionValueSource('secret') === 'cli')
    refuseUsage(command, 'Give either --connection or --secret.')
  return askService(data, async service =>
    signingOf(service, (await service.findConnection(connection)).connectionId, options),
  )
}

/** Returns the given secret. @throws CommanderError if there is none. */
export async function requireSecret(
  command: Command,
  given: string | undefined,
  { scheme }: Sender,
): Promise<string> {
  if (given === undefined)
    refuseUsage(
      command,
      `Give the signing secret with --secret or in ${secretVariable}, or a connection with --connection.`,
    )
  const secret = await readCredential(given)
  if (scheme === defaultSender.scheme && !secret.startsWith('whsec_'))
    say(
      'Note: this secret does not start with whsec_. The key is the whole signing secret, including whsec_.',
    )
  return secret
}

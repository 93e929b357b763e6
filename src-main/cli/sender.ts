import { type Command, Option } from 'commander'
import { z } from 'zod'
import { contract } from '#shared/contract/index.ts'
import type { ConnectionWithWarnings } from '#shared/model/connection.ts'
import { lacksPublicKey, secretKindOf } from '#shared/model/sender/sender-secret.ts'
import { namedSchemes, schemes } from '#shared/model/sender/templates.ts'
import { readCredential, readInput } from './input.ts'
import {
  DataFolder,
  dataFolderOption,
  isGiven,
  JsonFlag,
  jsonOption,
  type OptionsOf,
  parseOptions,
  refuseUsage,
  runsWith,
  TextOption,
} from './options.ts'
import { print, printable, printLine, say } from './output.ts'
import { askService } from './service-client.ts'
import { addSetting, schemeField, senderAs } from './signing-secret.ts'

/** The options with a credential, and their environment variables. */
const credentials = {
  secret: 'CUSTOM_CONNECTION_SENDER_SECRET',
  password: 'CUSTOM_CONNECTION_SENDER_PASSWORD',
  verifyToken: 'CUSTOM_CONNECTION_VERIFY_TOKEN',
} as const
type Credential = keyof typeof credentials

const SetOptions = z.object({
  data: DataFolder,
  json: JsonFlag,
  ...schemeField,
  ...{ secret: TextOption, user: TextOption, password: TextOption },
  ...{ verifyToken: TextOption, publicKey: TextOption },
  graceHours: z
    .enum(['0', '1', '24', '168'], 'Write 0, 1, 24 or 168.')
    .transform(hours => z.literal([0, 1, 24, 168]).parse(Number(hours)))
    .optional(),
})

const activationFields = { reset: z.boolean().default(false) }

export function addSender(program: Command): void {
  const sender = program.command('sender').description('Say who sends events to a connection.')
  const ofCredential = (flags: string, description: string, name: Credential) =>
    new Option(flags, `${description}, as @file or - for stdin`).env(credentials[name])
  const set = sender
    .command('set')
    .description('Set how the sender of a connection signs, and its secret.')
    .argument('<connection>', 'id or name of a connection')
    .addOption(new Option('--as <scheme>', 'the scheme or preset of the sender').choices(namedSchemes))
  addSetting(set)
    .addOption(ofCredential('--secret <file>', 'its secret or token', 'secret'))
    .option('--user <name>', 'its user name, with --password')
    .addOption(ofCredential('--password <file>', 'its password', 'password'))
    .addOption(ofCredential('--verify-token <file>', 'what its question must have', 'verifyToken'))
    .option('--public-key <key>', 'its public key, as @file, - for stdin, or the key itself')
    .option('--grace-hours <hours>', 'how long the secret before stays valid: 0, 1, 24 or 168 (default: 24)')
    .addOption(dataFolderOption('--data <dir>'))
    .addOption(jsonOption)
    .action(() => setSender(set))
  const activation = sender
    .command('activation')
    .description('Print whether the sender has asked what it asks before it sends.')
    .argument('<connection>', 'id or name of a connection')
    .option('--reset', 'answer its next question as if it were the first; forgets the secret of a handshake')
  runsWith(activation, activationFields, showActivation)
}

async function setSender(command: Command): Promise<void> {
  const options = parseOptions(command, SetOptions)
  const { data, json, as, setting, user, graceHours } = options
  const given = [options.secret, options.password, options.verifyToken, options.publicKey]
  if (given.filter(value => value === '-').length > 1) refuseUsage(command, 'Only one option can be -.')
  const read = (name: Credential) => readSecret(command, name, options[name])
  const secrets = {
    ...{ user, secret: await read('secret'), password: await read('password') },
    ...{
      verifyToken: await read('verifyToken'),
      publicKey: await readText(options.publicKey, 'the public key'),
    },
  }
  const isSecretSet = Object.values(secrets).some(value => value !== undefined)
  if (!isSecretSet && as === undefined)
    refuseUsage(command, 'Give --as, --secret, --user and --password, --verify-token or --public-key.')
  const saved = await askService(data, async service => {
    const { connectionId } = await service.findConnection(command.args[0] ?? '')
    const before = await service.call(contract.connections.get, { connectionId })
    const named =
      as === undefined || (as === before.sender.scheme && setting.length === 0)
        ? before
        : await service.call(contract.connections.update, { connectionId, sender: senderAs(options) })
    if (!isSecretSet) return named
    return service.call(contract.connections.setSenderSecret, { connectionId, ...secrets, graceHours })
  })
  if (json) return printLine(saved)
  print(printable(`${saved.name}: ${schemes[saved.sender.scheme].title}, ${stateOf(saved)}`))
  for (const { message } of saved.warnings ?? []) say(`Warning: ${message}`)
}

/** Reads a credential: from a file, from stdin, or from its variable, which may name a file. */
async function readSecret(
  command: Command,
  name: Credential,
  given: string | undefined,
): Promise<string | undefined> {
  if (given === undefined) return undefined
  const isSafe = given === '-' || given.startsWith('@')
  if (isGiven(command, name) && !isSafe) {
    const { long } = command.options.find(option => option.attributeName() === name) ?? {}
    refuseUsage(
      command,
      `Give ${long} as @file, as - for stdin, or in ${credentials[name]}: other users can read a secret in the list of processes.`,
    )
  }
  return given === '-' ? readText(given, 'the secret') : readCredential(given)
}

/** Reads `-` from stdin, without a final line break, and `@file`. Returns another text as it is. */
async function readText(given: string | undefined, what: string): Promise<string | undefined> {
  if (given !== '-') return given === undefined ? undefined : readCredential(given)
  return (await readInput(given, what)).toString('utf8').replace(/\r?\n$/, '')
}

function stateOf({ sender, hasSenderSecret }: z.output<typeof ConnectionWithWarnings>): string {
  if (lacksPublicKey(sender)) return 'no public key is set'
  const { hasOwnSecret } = schemes[sender.scheme]
  if (!hasOwnSecret) return 'with the signing secret of the connection'
  const kind = secretKindOf(sender)
  if (kind === null) return 'needs no secret'
  return `the ${kind} is ${hasSenderSecret ? 'set' : 'not set'}`
}

async function showActivation(
  { data, json, reset }: OptionsOf<typeof activationFields>,
  idOrName: string,
): Promise<void> {
  const { activation, title, url, token } = await askService(data, async service => {
    const { connectionId } = await service.findConnection(idOrName)
    const activation = reset
      ? await service.call(contract.connections.resetSenderActivation, { connectionId, reset: true })
      : await service.call(contract.connections.senderActivation, { connectionId })
    const { sender } = await service.call(contract.connections.get, { connectionId })
    const own = await service.call(contract.connections.credentials, { connectionId })
    const { title, challenges = [] } = schemes[sender.scheme]
    const isShown = challenges.some(({ keeps }) => keeps?.as === 'shown')
    const token = activation.state === 'waiting' ? own.verifyToken : isShown ? own.senderSecret : undefined
    return { activation, title, url: own.inboundUrl, token }
  })
  if (json) return printLine(activation)
  const { state, at, verifiedAt, detail, openUrl } = activation
  print(`${title}: ${state.replace('_', ' ')}`)
  if (at !== null) print(`Answered: ${at}`)
  if (verifiedAt !== null) print(`Verified: ${verifiedAt}`)
  if (openUrl !== undefined) print(printable(`Confirm at: ${openUrl}`))
  if (state === 'waiting') print(`Inbound URL: ${url}`)
  if (state !== 'verified' && token !== undefined) print(printable(`Token to enter there: ${token}`))
  if (state === 'waiting') say('The URL and the token are credentials. Enter them at the sender only.')
  else if (detail !== null) say(detail)
}

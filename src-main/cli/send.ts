import { statSync } from 'node:fs'
import type { Command } from 'commander'
import { z } from 'zod'
import { requireSecret, secretOption } from './credential.ts'
import { CommandFailed } from './failures.ts'
import { print, printLine } from './output.ts'
import {
  dataFolderOption,
  JsonFlag,
  jsonOption,
  parseOptions,
  refuseUsage,
  repeatable,
  TextOption,
} from './parse-options.ts'
import { readInput } from './read-input.ts'

const positive = 'Write a number above 0.'
const SendOptions = z.object({
  url: z
    .url({ protocol: /^https?$/, error: 'Write the inbound URL: https://…/api/connect/…/events.' })
    .optional(),
  secret: TextOption,
  connection: z.string().min(1).optional(),
  data: z.array(z.string()).default([]),
  dataFolder: z.string().min(1),
  count: z
    .string()
    .regex(/^0*[1-9]\d{0,7}$/, positive)
    .transform(Number),
  rate: z
    .string()
    .regex(/^\d{1,7}(\.\d+)?$/, positive)
    .transform(Number)
    .pipe(z.number().positive(positive))
    .optional(),
  json: JsonFlag,
})
type SendOptions = z.output<typeof SendOptions>

export function addSend(program: Command): void {
  program
    .command('send')
    .description('Sign an event and post it, as the external system would.')
    .argument('<event>', 'name of the event')
    .option('--url <url>', 'inbound URL; with --secret')
    .addOption(secretOption())
    .option(
      '--connection <id-or-name>',
      'a connection of the running service, in place of --url and --secret',
    )
    .option('--data <json>', 'the data as a JSON object, @file, or - for stdin', repeatable)
    .addOption(dataFolderOption('--data-folder <dir>'))
    .option('--count <n>', 'send it this many times', '1')
    .option('--rate <n>', 'at most this many a second')
    .addOption(jsonOption)
    .addHelpText(
      'after',
      '\nA --data that names a folder is taken for the data folder, as in other commands.',
    )
    .action(runSend)
}

async function runSend(event: string, _options: unknown, command: Command): Promise<void> {
  const options = parseOptions(command, SendOptions)
  const folders = options.data.filter(isFolder)
  const [given, ...more] = options.data.filter(data => !isFolder(data))
  if (folders.length > 1 || more.length > 0) refuseUsage(command, 'Give --data once.')
  const findTarget = await chooseTarget(command, options, folders[0] ?? options.dataFolder)

  const { eventBody } = await import('#main/inbound/post-event.ts')
  const { eventData, readJsonObject } = await import('./json-object.ts')
  const body = eventBody(
    event,
    given === undefined ? undefined : readJsonObject(await readInput(given, 'the data'), eventData).text,
  )
  const target = await findTarget()
  try {
    const { sendMany, sendOne } = await import('./sending.ts')
    const { describeSummary, isSuccess, round } = await import('./send-summary.ts')
    if (options.count === 1) {
      const posted = await sendOne(target, body)
      const totalMs = round(posted.totalMs)
      const ok = isSuccess(posted)
      if (options.json) printLine({ ok, status: posted.status, totalMs, body: posted.body })
      else print(`${posted.status} in ${totalMs} ms`, textOf(posted.body))
      if (!ok) throw new CommandFailed()
      return
    }
    const summary = await sendMany(target, body, options.count, options.rate ?? null)
    if (options.json) printLine(summary)
    else print(...describeSummary(summary))
    if (!summary.ok) throw new CommandFailed()
  } finally {
    await target.dispatcher.close()
  }
}

/** Settles which of the two ways is meant before anything is read or asked. */
async function chooseTarget(command: Command, options: SendOptions, dataFolder: string) {
  const { url, connection } = options
  const { connectionTarget, givenTarget } = await import('./send-target.ts')
  if (connection !== undefined) {
    if (url !== undefined || command.getOptionValueSource('secret') === 'cli')
      refuseUsage(command, 'Give either --connection, or --url and --secret.')
    return () => connectionTarget(dataFolder, connection)
  }
  if (url === undefined) return refuseUsage(command, 'Give --url and --secret, or --connection.')
  const secret = requireSecret(command, options.secret)
  return async () => givenTarget(url, secret)
}

/** Event data begins with a brace, @ or -, and is nothing that anybody would name a folder. */
function isFolder(given: string): boolean {
  return !/^\s*[{@-]/.test(given) && (statSync(given, { throwIfNoEntry: false })?.isDirectory() ?? false)
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}

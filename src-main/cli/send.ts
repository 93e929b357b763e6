import { statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { Agent } from 'undici'
import { z } from 'zod'
import { type EventToPost, postEvent } from '#main/inbound/post-event.ts'
import { inboundPath } from '#main/inbound/route.ts'
import { namedOutside, senderEvent } from '#main/inbound/sender-event.ts'
import { errnoOf, messageOf } from '#main/lib/file-system.ts'
import { hundredth } from '#main/lib/hundredth.ts'
import { postSignerOf } from '#main/signing/sign-as.ts'
import { contract } from '#shared/contract/index.ts'
import { retriedStatuses, retryRule } from '#shared/errors/retry-rule.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Sender } from '#shared/model/sender/sender.ts'
import { readInput, readJsonObject } from './input.ts'
import {
  DataFolder,
  dataFolderOption,
  JsonFlag,
  jsonOption,
  parseOptions,
  refuseUsage,
  repeatable,
  TextOption,
} from './options.ts'
import { CommandFailed, plural, print, printLine, say } from './output.ts'
import { askService } from './service-client.ts'
import { addScheme, requireSecret, schemeField, secretOption, senderAs, signingOf } from './signing-secret.ts'
import { addWebhookFields, webhookBody } from './webhook-event.ts'

const positive = 'Write a number above 0.'
const SendOptions = z.object({
  url: z
    .url({ protocol: /^https?$/, error: 'Write the inbound URL: https://…/api/connect/…/events.' })
    .optional(),
  secret: TextOption,
  connection: z.string().min(1).optional(),
  data: z.array(z.string()).default([]),
  dataFolder: DataFolder,
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
  ...schemeField,
  json: JsonFlag,
})
type SendOptions = z.output<typeof SendOptions>

export function addSend(program: Command): void {
  const command = program
    .command('send')
    .description('Sign an event and send it like an external system.')
    .argument('<event>', 'name of the event')
    .option('--url <url>', 'inbound URL; requires --secret')
    .addOption(secretOption())
    .option('--connection <id-or-name>', 'a connection of the running service, instead of --url and --secret')
    .option('--data <json>', 'the data as a JSON object, @file, or - for stdin', repeatable)
    .addOption(dataFolderOption('--data-folder <dir>'))
    .option('--count <n>', 'send the event this many times', '1')
    .option('--rate <n>', 'maximum number of events per second')
    .addOption(jsonOption)
    .addHelpText(
      'after',
      `\nIf --data names a folder, it is the data folder, as in other commands.\n\nFor programs that send events:\n  ${retryRule}.`,
    )
    .action(runSend)
  addWebhookFields(addScheme(command))
}

async function runSend(event: string, _options: unknown, command: Command): Promise<void> {
  const options = parseOptions(command, SendOptions)
  const folders = options.data.filter(isFolder)
  const [given, ...more] = options.data.filter(data => !isFolder(data))
  if (folders.length > 1 || more.length > 0) refuseUsage(command, 'Give --data once.')
  const findTarget = await chooseTarget(command, options, folders[0] ?? options.dataFolder)
  const webhook = webhookBody(command, event, given !== undefined, Date.now())
  const dataText = given === undefined ? undefined : await readData(given)
  const target = await findTarget()
  const { sender } = target
  const posted =
    webhook === null
      ? senderEvent(sender, event, dataText)
      : { ...namedOutside(sender, event), body: webhook }
  const { url, knownUrl, dispatcher } = target
  const sent = { url, knownUrl, dispatcher, sign: postSignerOf(sender, target.secret), ...posted }
  try {
    const ok = options.count === 1 ? await sendOne(sent, options.json) : await sendMany(sent, options)
    if (!ok) throw new CommandFailed()
  } finally {
    await target.dispatcher.close()
  }
}

/** Checks the options, and returns a function that finds the target. It reads and calls nothing yet. */
async function chooseTarget(command: Command, options: SendOptions, dataFolder: string) {
  const { url, connection } = options
  if (connection !== undefined) {
    if (url !== undefined || command.getOptionValueSource('secret') === 'cli')
      refuseUsage(command, 'Give either --connection, or --url and --secret.')
    return () => connectionTarget(dataFolder, connection, options)
  }
  if (url === undefined) return refuseUsage(command, 'Give --url and --secret, or --connection.')
  const sender = senderAs(options)
  const secret = await requireSecret(command, options.secret, sender)
  return async (): Promise<SendTarget> => ({ url, knownUrl: url, sender, secret, dispatcher: newAgent({}) })
}

/** The destination of events. */
type SendTarget = {
  readonly url: string
  /** The URL as the sender knows it. */
  readonly knownUrl: string
  readonly sender: Sender
  readonly secret: string
  readonly dispatcher: Agent
}

/**
 * Returns a connection of the running service as target. Events go to the listener's own address instead of a public
 * one, so that they arrive even if the tunnel is down.
 */
function connectionTarget(
  dataFolder: string,
  idOrName: string,
  named: Pick<SendOptions, 'as' | 'setting'>,
): Promise<SendTarget> {
  return askService(dataFolder, async service => {
    const { connectionId } = await service.findConnection(idOrName)
    const { inboundToken } = await service.call(contract.connections.credentials, { connectionId })
    const { url: knownUrl, sender, secret } = await signingOf(service, connectionId, named)
    return {
      ...{ url: service.listenerUrl + inboundPath(inboundToken), knownUrl, sender, secret },
      // The listener's certificate is for its public name, and these requests never leave the machine.
      dispatcher: newAgent({ rejectUnauthorized: false }),
    }
  })
}

function newAgent(tls: { rejectUnauthorized?: false }): Agent {
  return new Agent({ headersTimeout: 30_000, bodyTimeout: 30_000, connect: { timeout: 10_000, ...tls } })
}

async function readData(given: string): Promise<string> {
  const bytes = await readInput(given, 'the data')
  return readJsonObject(bytes, { what: 'The data', code: 'invalid_data', example: '{"orderId": 42}' }).text
}

/** Returns whether a value of --data is an existing folder. Event data starts with a brace, @ or -. */
function isFolder(given: string): boolean {
  return !/^\s*[{@-]/.test(given) && (statSync(given, { throwIfNoEntry: false })?.isDirectory() ?? false)
}

/** Sends one event and prints the answer. Returns whether it was 2xx. */
async function sendOne(event: EventToPost, json: boolean) {
  const posted = await postEvent(event, Date.now()).catch(cause => {
    // Not the whole URL, because its path contains the inbound token.
    const reason = messageOf(cause) || errnoOf(cause)
    const detail = `No answer from ${new URL(event.url).origin}: ${reason}. Send the event again later.`
    throw new ServiceError('listener_unreachable', { detail, cause })
  })
  const { status, body: answer } = posted
  const totalMs = hundredth(posted.totalMs)
  const ok = isSuccess(status)
  if (json) printLine({ ok, status, totalMs, body: answer })
  else {
    print(`${status} in ${totalMs} ms`, typeof answer === 'string' ? answer : JSON.stringify(answer))
    if (!ok)
      say(
        isRetried(status)
          ? 'This is temporary. Send the event again in a few seconds.'
          : 'Correct the cause before you send the event again.',
      )
  }
  return ok
}

/** Concurrent requests. */
const concurrency = 16
/** Concurrent requests with a rate, where a slow answer must not delay the next events. */
const concurrencyWithRate = 256

/** Sends an event many times, each with its own signature, and prints a summary. Returns whether all were 2xx. */
async function sendMany(event: EventToPost, { count, rate, json }: SendOptions): Promise<boolean> {
  const answered: { status: number; totalMs: number }[] = []
  const failed: string[] = []
  const started = performance.now()
  let next = 0
  async function work(): Promise<void> {
    for (let index = next++; index < count; index = next++) {
      if (rate !== undefined) {
        const wait = started + (index * 1000) / rate - performance.now()
        if (wait > 0) await delay(wait)
      }
      try {
        answered.push(await postEvent(event, Date.now()))
      } catch (error) {
        failed.push(errnoOf(error) ?? messageOf(error))
      }
    }
  }
  const workers = Math.min(count, rate === undefined ? concurrency : concurrencyWithRate)
  await Promise.all(Array.from({ length: workers }, work))
  const elapsedMs = performance.now() - started

  const times = Float64Array.from(answered, ({ totalMs }) => totalMs).sort()
  const quantile = (part: number) => {
    const time = times[Math.ceil(times.length * part) - 1]
    return time === undefined ? null : hundredth(time)
  }
  const summary = {
    ok: failed.length === 0 && answered.every(({ status }) => isSuccess(status)),
    count,
    statuses: countBy(answered.map(({ status }) => String(status))),
    noAnswer: countBy(failed),
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    perSecond: hundredth((count * 1000) / Math.max(elapsedMs, 0.001)),
    elapsedMs: hundredth(elapsedMs),
  }
  if (json) printLine(summary)
  else {
    print(
      `${plural(count, 'event')} in ${summary.elapsedMs} ms, ${summary.perSecond} per second`,
      ...Object.entries(summary.statuses).map(([status, number]) => `status ${status}: ${number}`),
      ...Object.entries(summary.noAnswer).map(([reason, number]) => `no answer (${reason}): ${number}`),
    )
    if (summary.p50Ms !== null) print(`p50 ${summary.p50Ms} ms, p99 ${summary.p99Ms} ms`)
    const temporary = Object.keys(summary.statuses).filter(status => isRetried(Number(status)))
    const again = [...temporary, ...(failed.length > 0 ? ['no answer'] : [])].join(' or ')
    if (again !== '') say(`Send the events with ${again} again in a few seconds.`)
  }
  return summary.ok
}

const isRetried = (status: number) => retriedStatuses.includes(status)
const isSuccess = (status: number) => status >= 200 && status < 300

function countBy(names: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([one], [other]) => one.localeCompare(other)))
}

import { extname } from 'node:path'
import type { Command } from 'commander'
import { z } from 'zod'
import { version } from '#main/lib/version.ts'
import { contract } from '#shared/contract/index.ts'
import type { CallErrorCode } from '#shared/errors/call.ts'
import { CheckId, type ReceiverCheck } from '#shared/model/receiver-check.ts'
import { reportFormats } from '#shared/receiver-check/report/formats.ts'
import { type Report, reportUrl, rowOf } from '#shared/receiver-check/report/report.ts'
import { changesOf, countsOf, outcomeText } from '#shared/receiver-check/words.ts'
import { findAction, readCallArguments } from './call.ts'
import { statusOf, unreachable } from './exit-status.ts'
import { type OptionsOf, repeatable, runsWith } from './options.ts'
import { CommandFailed, print, printable, printLine, say } from './output.ts'
import { writeReport } from './report-file.ts'
import { askService, type ServiceClient } from './service-client.ts'

const formats = Object.values(reportFormats)
const extensions = formats.map(({ extension }) => extension).join(', ')
const own = {
  args: z.string(),
  yes: z.boolean().default(false),
  only: z.array(CheckId).optional(),
  report: z
    .string()
    .refine(
      file => formats.some(({ extension }) => extension === extname(file).toLowerCase()),
      `Name a file that ends with ${extensions}.`,
    )
    .optional(),
}

export function addCheck(program: Command): void {
  const command = program
    .command('check')
    .description('Send right and wrong calls of an action, and show which ones its receiver lets through.')
    .argument('<connection>', 'id or name of a connection')
    .argument('<tool>', 'tool name or id of one of its actions, enabled or not')
    .option('--args <json>', 'the arguments as a JSON object, @file, or - for stdin', '{}')
    .option('--yes', 'send the calls that are accepted too: they really act (a GET sends them anyway)')
    .option('--only <id>', 'make only this check; repeatable', repeatable)
    .option('--report <file>', `write a report: ${extensions}`)
    .addHelpText(
      'after',
      '\nExits 0 if all checks passed or were skipped, 1 if one failed or is to be looked at, 2 for wrong usage, 4 if the\nservice or the receiver cannot be reached.',
    )
  runsWith(command, own, runCheck)
}

async function runCheck(options: OptionsOf<typeof own>, connection = '', tool = ''): Promise<void> {
  const { data, only: checks, yes: allowEffects } = options
  const value = await readCallArguments(options.args)
  const fired = await askService(data, service =>
    fire(service, connection, tool, { arguments: { ...value }, checks, allowEffects }),
  ).catch(error => {
    throw new CommandFailed(statusOf(error), error)
  })
  const { check } = fired
  // The calls were sent, so their outcome is shown even if the report cannot be written.
  if (options.json) printLine(check)
  else printCheck(check)
  if (options.report !== undefined) await writeReport(options.report, rendered(options.report, fired))
  if (isUnreachable(check)) throw new CommandFailed(unreachable)
  if (check.verdict !== 'passed') throw new CommandFailed()
}

type Asked = {
  readonly arguments: Record<string, unknown>
  readonly checks: CheckId[] | undefined
  readonly allowEffects: boolean
}

async function fire(service: ServiceClient, idOrName: string, tool: string, asked: Asked): Promise<Report> {
  const action = await findAction(service, idOrName, tool)
  const { connectionId, actionId, name: actionName, method, baseUrl, path } = action
  const at = new Date().toISOString()
  const check = await service.call(contract.actions.check, { connectionId, actionId, ...asked })
  return { actionName, method, url: reportUrl(baseUrl, path), at, version, check }
}

/** The codes of calls that never got to a receiver. */
const neverThere: ReadonlySet<string> = new Set<CallErrorCode>([
  'no_base_url',
  'connection_refused',
  'dns_failure',
  'tls_error',
  'blocked_address',
  'network_error',
])

/** Returns whether no call reached the receiver. */
const isUnreachable = ({ checks }: ReceiverCheck): boolean =>
  checks.every(({ status }) => status === null) && checks.some(({ reason }) => neverThere.has(reason ?? ''))

/** Returns a report in the format of a file's extension. */
function rendered(file: string, report: Report): string {
  const format = formats.find(({ extension }) => extension === extname(file).toLowerCase())
  return format?.render(report) ?? ''
}

/** Prints a line for each check, then the outcome and what to change. */
function printCheck(check: ReceiverCheck): void {
  const rows = check.checks.map(one => ({ ...rowOf(one), tookMs: one.tookMs }))
  const width = Math.max(...rows.map(({ title }) => title.length))
  for (const { title, expected, got, verdict, why, tookMs } of rows) {
    const took = tookMs === null ? '' : `  ${Math.round(tookMs)} ms`
    print(
      `${verdict.padEnd(7)}  ${title.padEnd(width)}  ${expected.padEnd(9)}  ${got.padEnd(3)}${took}`.trimEnd(),
    )
    if (why !== '' && verdict !== 'skipped') print(printable(`         ${why}`))
  }
  print('', `${outcomeText(check)}.`, ...changesOf(check).map(change => `- ${change}`))
  if (countsOf(check).made === 0) for (const why of new Set(rows.map(row => row.why))) say(printable(why))
  else if (check.checks.some(({ reason }) => reason === 'effects_not_allowed'))
    say(
      'Calls that are accepted were not sent, because they really act: a receiver that refuses everything passes too. Send them with --yes.',
    )
}

import type { Command } from 'commander'
import { z } from 'zod'
import { hundredth } from '#main/lib/hundredth.ts'
import { type CaseRow, casesJunit } from '#shared/cases/junit.ts'
import { failureText } from '#shared/cases/words.ts'
import { contract } from '#shared/contract/index.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Action } from '#shared/model/action.ts'
import { type Case, type CaseReason, type CaseResult, casesRun } from '#shared/model/case.ts'
import { pickAction } from './call.ts'
import { statusOf, unreachable } from './exit-status.ts'
import { type OptionsOf, runsWith } from './options.ts'
import { CommandFailed, describeFailure, plural, print, printable, printLine, say } from './output.ts'
import { writeReport } from './report-file.ts'
import { askService, type ServiceClient } from './service-client.ts'

const own = {
  tool: z.string().optional(),
  case: z.string().optional(),
  junit: z.string().min(1, 'Name a file.').optional(),
  bail: z.boolean().default(false),
  yes: z.boolean().default(false),
}
type Options = OptionsOf<typeof own>

export function addTest(program: Command): void {
  const command = program
    .command('test')
    .description('Run the saved cases of a connection: call its actions, and compare the answers.')
    .argument('<connection>', 'id or name of a connection')
    .option('--tool <name>', 'only the cases of the action with this tool name or id')
    .option('--case <name>', 'only the cases of this name')
    .option('--junit <file>', 'write a report as JUnit XML')
    .option('--bail', 'stop after the first case that has not passed')
    .option('--yes', 'also call actions with another method than GET: they really act')
    .addHelpText(
      'after',
      '\nExits 0 if all cases passed, 1 if one did not or there are none, 2 for wrong usage, 4 if the service cannot be\nreached.',
    )
  runsWith(command, own, runTest)
}

async function runTest(options: Options, connection = ''): Promise<void> {
  const at = new Date().toISOString()
  const { connectionName, rows } = await askService(options.data, service =>
    testCases(service, connection, options),
  ).catch(error => {
    throw new CommandFailed(statusOf(error), error)
  })
  const results = rows.flatMap(({ toolName, name, result }) =>
    result === null ? [] : [{ toolName, name, ...result }],
  )
  const { ok, passed, failed, notCalled } = casesRun(results)
  const counts = { passed, failed, notCalled, skipped: rows.length - results.length }
  // The calls were sent, so their outcome is shown even if the report cannot be written.
  if (options.json) printLine({ ok, ...counts, results })
  else if (rows.length > 0) print('', `${plural(rows.length, 'case')}: ${countsText(counts)}.`)
  if (rows.length === 0)
    say(printable(`${options.tool ?? connectionName} has no cases, so nothing was tested.`))
  if (options.junit !== undefined) await writeReport(options.junit, casesJunit(connectionName, at, rows))
  if (results.some(isServiceGone)) throw new CommandFailed(unreachable)
  if (!ok) throw new CommandFailed()
}

/** Runs the chosen cases one after another, and prints each result as it comes. */
async function testCases(
  service: ServiceClient,
  idOrName: string,
  options: Options,
): Promise<{ connectionName: string; rows: CaseRow[] }> {
  const { connectionId, name: connectionName } = await service.findConnection(idOrName)
  const all = await service.call(contract.cases.all, { connectionId })
  const actions = await service.call(contract.actions.list, { connectionId })
  const chosen = choose(connectionName, actions, all, options)
  if (!options.yes) refuseEffects(chosen)
  const printRow = options.json ? () => {} : rowPrinter(chosen)
  const rows: CaseRow[] = []
  let hasEnded = false
  // One case a request, so that Ctrl-C ends the run after at most one more call.
  for (const { action, one } of chosen) {
    const { toolName } = action
    const result: CaseResult | null = hasEnded ? null : await runOne(service, connectionId, one)
    rows.push({ toolName, name: one.name, result })
    if (result === null) continue
    printRow(toolName, one.name, result)
    hasEnded = isServiceGone(result) || (options.bail && !result.ok)
  }
  return { connectionName, rows }
}

type Chosen = { readonly action: Action; readonly one: Case }

/** @throws ServiceError `action_not_found`, `case_not_found` for a name that none has. */
function choose(
  connectionName: string,
  actions: readonly Action[],
  all: readonly Case[],
  options: Options,
): Chosen[] {
  const byId = new Map(actions.map(action => [action.actionId, action]))
  const wanted = options.tool === undefined ? null : pickAction(connectionName, actions, options.tool)
  const ofActions = all.flatMap(one => {
    const action = byId.get(one.actionId)
    return action === undefined || (wanted ?? action) !== action ? [] : [{ action, one }]
  })
  if (options.case === undefined || ofActions.length === 0) return ofActions
  const named = ofActions.filter(({ one }) => one.name === options.case)
  if (named.length > 0) return named
  const detail = `${wanted?.toolName ?? connectionName} has no case named "${options.case}".`
  throw new ServiceError('case_not_found', { detail: printable(detail) })
}

/** @throws ServiceError `invalid_input` if a case calls an action that may change something. */
function refuseEffects(chosen: readonly Chosen[]): void {
  const acting = chosen.map(({ action }) => action.method).filter(method => method !== 'GET')
  if (acting.length === 0) return
  const methods = [...new Set(acting)].join(', ')
  throw new ServiceError('invalid_input', {
    detail: `${acting.length} of ${plural(chosen.length, 'case')} would call with another method than GET (${methods}), which really acts. Allow it with --yes, or choose others with --tool or --case.`,
  })
}

/** Runs one case. Returns a result that has not passed if the service cannot run it. */
async function runOne(
  service: ServiceClient,
  connectionId: string,
  { caseId, actionId }: Case,
): Promise<CaseResult> {
  try {
    const { results } = await service.call(contract.cases.run, { connectionId, actionId, caseId })
    const [result] = results
    if (result !== undefined) return result
    throw new ServiceError('internal_error', { detail: 'The service ended the run of this case.' })
  } catch (cause) {
    const { code, message } = describeFailure(cause)
    const notCalled = { ok: false, reason: 'not_called', callId: null, status: null, totalMs: 0 } as const
    return { caseId, actionId, ...notCalled, error: { code, message }, differences: [] }
  }
}

const isServiceGone = ({ error }: CaseResult) => error?.code === 'service_not_running'

const words: Readonly<Record<CaseReason, string>> = {
  passed: 'passed',
  differs: 'failed',
  not_called: 'not called',
}

/** Characters of a column, beyond which a name moves the rest of its own line only. */
const maxColumn = 40

/** Returns a function that prints a case in columns, and beneath it why it has not passed. */
function rowPrinter(chosen: readonly Chosen[]) {
  const width = (names: readonly string[]) =>
    Math.min(maxColumn, Math.max(0, ...names.map(name => printable(name).length)))
  const toolWidth = width(chosen.map(({ action }) => action.toolName))
  const nameWidth = width(chosen.map(({ one }) => one.name))
  return (toolName: string, name: string, result: CaseResult) => {
    const { reason, status, callId, totalMs } = result
    const columns = [
      words[reason].padEnd(words.not_called.length),
      printable(toolName).padEnd(toolWidth),
      printable(name).padEnd(nameWidth),
      String(status ?? '–').padEnd(3),
      callId === null ? '' : `${hundredth(totalMs)} ms`,
    ]
    print(columns.join('  ').trimEnd())
    if (!result.ok) print(`  ${printable(failureText(result))}`)
  }
}

/** Returns the counts that are not 0: `2 passed, 1 failed`. */
function countsText(counts: Readonly<Record<'passed' | 'failed' | 'notCalled' | 'skipped', number>>): string {
  const { passed, failed, notCalled, skipped } = counts
  const parts = { passed, failed, 'not called': notCalled, skipped }
  return Object.entries(parts)
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${count} ${word}`)
    .join(', ')
}

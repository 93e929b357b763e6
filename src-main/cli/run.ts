import type { Command } from 'commander'
import { z } from 'zod'
import { contract } from '#shared/contract/index.ts'
import type { RunDetails, RunStep } from '#shared/model/run.ts'
import { readInput, readJsonObject } from './input.ts'
import { DataFolder, dataFolderOption, JsonFlag, jsonOption, parseOptions, refuseUsage } from './options.ts'
import { CommandFailed, print, printable, printLine, say } from './output.ts'
import { askService, pick } from './service-client.ts'

const RunOptions = z.object({
  data: z.string().optional(),
  event: z.string().optional(),
  dryRun: z.boolean().default(false),
  dataFolder: DataFolder,
  json: JsonFlag,
})

export function addRun(program: Command): void {
  program
    .command('run')
    .description('Run a workflow of the running service now, and print its steps.')
    .argument('<workflow>', 'id or name of a workflow, enabled or not')
    .option('--data <json>', 'the payload as a JSON object, @file, or - for stdin')
    .option('--event <id>', 'run it with this stored event')
    .option('--dry-run', 'fill in all templates, and send nothing')
    .addOption(dataFolderOption('--data-folder <dir>'))
    .addOption(jsonOption)
    .action(runWorkflow)
}

async function runWorkflow(idOrName: string, _options: unknown, command: Command): Promise<void> {
  const { data, event: eventId, dryRun, dataFolder, json } = parseOptions(command, RunOptions)
  if (data !== undefined && eventId !== undefined) refuseUsage(command, 'Give either --data or --event.')
  const payload = data === undefined ? {} : await readPayload(data)
  const run = await askService(dataFolder, async service => {
    const workflows = await service.call(contract.workflows.list, {})
    const { workflowId } = pick('workflow', workflows, one => one.workflowId, idOrName)
    const given = eventId === undefined ? { payload } : { eventId }
    return service.call(contract.workflows.test, { workflowId, dryRun, ...given })
  })
  if (json) printLine(run)
  else printRun(run)
  if (run.status !== 'succeeded') throw new CommandFailed()
}

async function readPayload(given: string): Promise<Record<string, unknown>> {
  const { value } = readJsonObject(await readInput(given, 'the payload'), {
    what: 'The value of --data',
    code: 'invalid_input',
    example: '{"order_id": "42"}',
  })
  return { ...value }
}

/** Prints one line for each attempt at a step, then how the run ended. */
function printRun({ status, steps, error, runId }: RunDetails): void {
  print(...steps.flatMap(lines), `${status} (${runId})`)
  if (error !== null) say(`${error.code}: ${printable(error.message)}`)
}

function lines({ path, type, attempts }: RunStep): string[] {
  return attempts.map(({ startedAt, endedAt, output, error, absent }) => {
    const took = endedAt === null ? '' : `  ${Date.parse(endedAt) - Date.parse(startedAt)} ms`
    const outcome = error === null ? JSON.stringify(output) : `${error.code}: ${error.message}`
    const missing = absent.length === 0 ? '' : `  (no value: ${absent.join(', ')})`
    return printable(`${path}  ${type}${took}  ${outcome}${missing}`)
  })
}

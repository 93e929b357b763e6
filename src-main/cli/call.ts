import type { Command } from 'commander'
import { z } from 'zod'
import { CommandFailed } from './failures.ts'
import { print, printLine, say } from './output.ts'
import { dataFolderOption, JsonFlag, jsonOption, parseOptions } from './parse-options.ts'
import { readInput } from './read-input.ts'

const CallOptions = z.object({ args: z.string(), data: z.string().min(1), json: JsonFlag })

export function addCall(program: Command): void {
  program
    .command('call')
    .description('Call an action of the running service with a real, signed request.')
    .argument('<connection>', 'id or name of a connection')
    .argument('<tool>', 'tool name or id of one of its actions, switched on or off')
    .option('--args <json>', 'the arguments as a JSON object, @file, or - for stdin', '{}')
    .addOption(dataFolderOption('--data <dir>'))
    .addOption(jsonOption)
    .action(runCall)
}

async function runCall(connection: string, tool: string, _options: unknown, command: Command): Promise<void> {
  const options = parseOptions(command, CallOptions)
  const { callArguments, readJsonObject } = await import('./json-object.ts')
  const { value } = readJsonObject(await readInput(options.args, 'the arguments'), callArguments)
  const { callAction } = await import('./call-action.ts')
  const outcome = await callAction(options.data, connection, tool, { ...value })
  if (options.json) printLine(outcome)
  else {
    const { describeCall } = await import('./call-summary.ts')
    const { result, problem } = describeCall(outcome)
    print(...result)
    if (problem !== null) say(problem)
  }
  if (!outcome.ok) throw new CommandFailed()
}

import type { Command } from 'commander'
import { z } from 'zod'
import { hundredth } from '#main/lib/hundredth.ts'
import { contract } from '#shared/contract/index.ts'
import { ServiceError } from '#shared/errors.ts'
import type { CallResult } from '#shared/model/call.ts'
import { readInput, readJsonObject } from './input.ts'
import { type OptionsOf, runsWith } from './options.ts'
import { CommandFailed, print, printable, printLine, say } from './output.ts'
import { askService, type ServiceClient } from './service-client.ts'

const own = { args: z.string() }

export function addCall(program: Command): void {
  const command = program
    .command('call')
    .description('Call an action of the running service with a real, signed request.')
    .argument('<connection>', 'id or name of a connection')
    .argument('<tool>', 'tool name or id of one of its actions, enabled or not')
    .option('--args <json>', 'the arguments as a JSON object, @file, or - for stdin', '{}')
  runsWith(command, own, runCall)
}

async function runCall(options: OptionsOf<typeof own>, connection: string, tool: string): Promise<void> {
  const value = await readCallArguments(options.args)
  const outcome = await askService(options.data, service => callAction(service, connection, tool, value))
  if (options.json) printLine(outcome)
  else printOutcome(outcome)
  if (!outcome.ok) throw new CommandFailed()
}

/** Returns the arguments of a call. @throws ServiceError `invalid_arguments`; the errors of `readInput`. */
export async function readCallArguments(args: string) {
  const { value } = readJsonObject(await readInput(args, 'the arguments'), {
    what: 'The value of --args',
    code: 'invalid_arguments',
    example: '{"order_id": "42"}',
  })
  return value
}

/** Calls an action by its tool name or id. @throws like `findAction`. */
async function callAction(
  service: ServiceClient,
  connection: string,
  tool: string,
  value: object,
): Promise<CallResult> {
  const { connectionId, actionId } = await findAction(service, connection, tool)
  return service.call(contract.actions.test, {
    connectionId,
    actionId,
    arguments: { ...value },
    source: 'cli',
  })
}

/** Returns the action of a connection like `pickAction`, with its base URL. @throws also the errors of `findConnection`. */
export async function findAction(service: ServiceClient, connection: string, tool: string) {
  const { connectionId, name, baseUrl } = await service.findConnection(connection)
  const actions = await service.call(contract.actions.list, { connectionId })
  return { ...pickAction(name, actions, tool), connectionId, baseUrl }
}

/** Returns the action with this tool name, else the one with this id. @throws ServiceError `action_not_found`. */
export function pickAction<One extends { readonly toolName: string; readonly actionId: string }>(
  connectionName: string,
  actions: readonly One[],
  tool: string,
): One {
  const action =
    actions.find(({ toolName }) => toolName === tool) ?? actions.find(({ actionId }) => actionId === tool)
  if (action === undefined)
    throw new ServiceError('action_not_found', {
      detail: printable(`${connectionName} has no action named "${tool}".`),
    })
  return action
}

/** Prints status and times, then the result that the assistant would get. Prints the error on stderr. */
function printOutcome({ response, result, mapped, error, timings }: CallResult): void {
  if (response !== null) {
    const { totalMs, dnsMs, connectMs, tlsMs, firstByteMs, downloadMs } = timings
    const times = [
      `dns ${hundredth(dnsMs)}`,
      `connect ${hundredth(connectMs)}`,
      `tls ${hundredth(tlsMs)}`,
      `first byte ${hundredth(firstByteMs)}`,
      `download ${hundredth(downloadMs)}`,
    ]
    print(
      `${response.status} in ${hundredth(totalMs)} ms (${times.join(', ')})`,
      JSON.stringify(mapped ?? result, null, 2),
    )
  }
  if (error !== null) say(`${error.code}: ${error.message}`)
}

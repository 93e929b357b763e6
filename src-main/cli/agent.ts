import type { Route } from '@orpc/contract'
import type { Command } from 'commander'
import { z } from 'zod'
import { contract } from '#shared/contract/index.ts'
import { ServiceError } from '#shared/errors.ts'
import { ShapeName, shapeNames } from '#shared/model/platform/agent.ts'
import { AgentId } from '#shared/model/platform/parts.ts'
import { AgentOptions, withAgentOptions } from './agent-options.ts'
import { addAgentTry } from './agent-try.ts'
import { readInput } from './input.ts'
import { dataFolderOption, jsonOption, parseOptions, refuseUsage } from './options.ts'
import { CommandFailed, plural, print, printable, printLine, say } from './output.ts'
import { callService } from './service-client.ts'

const ListOptions = AgentOptions.omit({ agent: true })
const ImportOptions = AgentOptions.extend({ agent: AgentId.optional(), dryRun: z.boolean().default(false) })

const DeleteOptions = AgentOptions.extend({ all: z.boolean().default(false) })

export function addAgent(program: Command): void {
  const agent = program
    .command('agent')
    .description('Get, set, try, export and import the shapes of an agent.')
  const add = (name: string, description: string) =>
    withAgentOptions(agent.command(name).description(description))
  const shape = `one of ${shapeNames.join(', ')}`
  add('get', 'Print a shape.').argument('<shape>', shape).action(getShape)
  add('set', 'Save a shape from a JSON file.')
    .argument('<shape>', shape)
    .argument('<file>', 'the file, or - for stdin')
    .action(setShape)
  add('validate', 'Check a shape in a JSON file without saving it.')
    .argument('<shape>', shape)
    .argument('<file>', 'the file, or - for stdin')
    .action(validateShape)
  add('delete', 'Delete a shape, which resets it to its defaults, or the whole agent.')
    .argument('[shape]', shape)
    .option('--all', 'delete all shapes and knowledge files of the agent')
    .action(deleteShapes)
  add('schema', 'Print the JSON Schema of a shape.').argument('<shape>', shape).action(printSchema)
  add('export', 'Print all saved shapes as one document.').action(exportAgent)
  add('import', 'Import an agent document, completely or not at all.')
    .argument('<file>', 'the file, or - for stdin')
    .option('--dry-run', 'only check the document')
    .action(importAgent)
  agent
    .command('list')
    .description('List the agents with their saved shapes and files.')
    .option('--workspace <id>', 'only agents of this workspace')
    .addOption(dataFolderOption('--data <dir>'))
    .addOption(jsonOption)
    .action(listAgents)
  addAgentTry(agent)
}

/** Prints JSON on one line for programs, indented for people. */
function printJson(value: unknown, json: boolean): void {
  if (json) printLine(value)
  else print(JSON.stringify(value, null, 2))
}

function requireShape(name: string, command: Command): ShapeName {
  const shape = ShapeName.safeParse(name)
  return (
    shape.data ??
    refuseUsage(command, `There is no shape "${printable(name)}". Write ${shapeNames.join(', ')}.`)
  )
}

/** Returns a route of a shape as a procedure whose types do not depend on the shape. */
function procedureOf({ '~orpc': { route } }: { readonly '~orpc': { readonly route: Route } }) {
  return { '~orpc': { route, outputSchema: z.unknown() } }
}

async function readShape(file: string): Promise<unknown> {
  const text = (await readInput(file === '-' ? file : `@${file}`, 'the shape')).toString('utf8')
  try {
    return JSON.parse(text)
  } catch (cause) {
    const detail = `The file is not valid JSON: ${cause instanceof Error ? cause.message : ''}`
    throw new ServiceError('invalid_input', { detail, cause })
  }
}

async function getShape(name: string, _options: unknown, command: Command): Promise<void> {
  const { agent: agentId, workspace: workspaceId, data, json } = parseOptions(command, AgentOptions)
  const procedure = procedureOf(contract.platform[requireShape(name, command)].get)
  printJson(await callService(data, procedure, { workspaceId, agentId }), json)
}

async function setShape(name: string, file: string, _options: unknown, command: Command): Promise<void> {
  const { agent: agentId, workspace: workspaceId, data, json } = parseOptions(command, AgentOptions)
  const procedure = procedureOf(contract.platform[requireShape(name, command)].set)
  const body = await readShape(file)
  const query = { workspaceId, agentId }
  printJson(await callService(data, procedure, { query, body }), json)
}

async function validateShape(name: string, file: string, _options: unknown, command: Command): Promise<void> {
  const { data, json } = parseOptions(command, AgentOptions)
  const params = { shape: requireShape(name, command) }
  const body = await readShape(file)
  const found = await callService(data, contract.platform.validate, { params, query: {}, body })
  if (json) printLine({ ok: found.valid, ...found })
  else if (found.valid) print('The shape is valid.')
  else
    for (const { path, message } of found.issues)
      say(printable(path === '' ? message : `${path}: ${message}`))
  if (!found.valid) throw new CommandFailed()
}

async function deleteShapes(name: string | undefined, _options: unknown, command: Command): Promise<void> {
  const { agent: agentId, workspace: workspaceId, all, data, json } = parseOptions(command, DeleteOptions)
  if (all !== (name === undefined))
    refuseUsage(command, 'Name a shape, or write --all to delete the whole agent.')
  const { removeAgent } = contract.platform
  const procedure = name === undefined ? removeAgent : contract.platform[requireShape(name, command)].remove
  const query = { workspaceId, agentId }
  const { deleted } = await callService(data, procedure, { query })
  if (json) printLine({ deleted })
  else if (deleted === 0) print('There was nothing to delete.')
  else print(all ? `Deleted the agent ${agentId}.` : 'Deleted.')
}

async function printSchema(name: string, _options: unknown, command: Command): Promise<void> {
  const { data, json } = parseOptions(command, AgentOptions)
  const shape = requireShape(name, command)
  printJson(await callService(data, contract.platform.schema, { shape }), json)
}

async function exportAgent(_options: unknown, command: Command): Promise<void> {
  const { agent: agentId, workspace: workspaceId, data, json } = parseOptions(command, AgentOptions)
  const scope = { workspaceId, agentId }
  printJson(await callService(data, contract.platform.export, scope), json)
}

async function importAgent(file: string, _options: unknown, command: Command): Promise<void> {
  const { agent, workspace: workspaceId, dryRun, data, json } = parseOptions(command, ImportOptions)
  const text = (await readInput(file === '-' ? file : `@${file}`, 'the document')).toString('utf8')
  const query = { workspaceId, agentId: agent, dryRun }
  const imported = await callService(data, contract.platform.import, { query, body: { text } })
  if (json) return printLine({ ok: true, ...imported })
  for (const { line, column, message } of imported.warnings)
    say(printable(`${file === '-' ? 'stdin' : file}:${line}:${column}: warning: ${message}`))
  const shapes = imported.shapes.length === 0 ? 'no shape' : imported.shapes.join(', ')
  print(`${dryRun ? 'Would import' : 'Imported'} ${shapes} into the agent ${imported.agentId}.`)
}

async function listAgents(_options: unknown, command: Command): Promise<void> {
  const { workspace: workspaceId, data, json } = parseOptions(command, ListOptions)
  const agents = await callService(data, contract.platform.agents, { workspaceId })
  if (json) return printLine(agents)
  if (agents.length === 0) say('No agent has a shape or a file yet.')
  for (const { workspaceId, agentId, shapes, unknownFields, files } of agents) {
    const unknown = unknownFields.length === 0 ? '' : `  (${plural(unknownFields.length, 'unknown field')})`
    const has = files === 0 ? shapes : [...shapes, plural(files, 'file')]
    print(printable(`${workspaceId}  ${agentId}  ${has.join(', ')}${unknown}`))
  }
}

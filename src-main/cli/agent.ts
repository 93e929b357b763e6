import type { Route } from '@orpc/contract'
import { type Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { contract } from '#shared/contract/index.ts'
import { ServiceError } from '#shared/errors.ts'
import { ShapeName, shapeNames } from '#shared/model/platform/agent.ts'
import { AgentId } from '#shared/model/platform/parts.ts'
import { type AgentOptions, ofAgent, withAgentOptions } from './agent-options.ts'
import { addAgentTry } from './agent-try.ts'
import { readInput } from './input.ts'
import { type OptionsOf, refuseUsage, runsWith } from './options.ts'
import { CommandFailed, plural, print, printable, printLine, say } from './output.ts'
import { callService } from './service-client.ts'

const toImport = { ...ofAgent, agent: AgentId.optional(), dryRun: z.boolean().default(false) }
const toDelete = { ...ofAgent, all: z.boolean().default(false) }
const toList = { workspace: ofAgent.workspace }

const fileArgument = 'the file, or - for stdin'

export function addAgent(program: Command): void {
  const agent = program
    .command('agent')
    .description('Get, set, try, export and import the shapes of an agent.')
  const add = (name: string, description: string) =>
    withAgentOptions(agent.command(name).description(description))
  const addOfShape = (name: string, description: string) =>
    add(name, description).argument('<shape>', `one of ${shapeNames.join(', ')}`, requireShape)
  const addOfFile = (name: string, description: string) =>
    addOfShape(name, description).argument('<file>', fileArgument)
  runsWith(addOfShape('get', 'Print a shape.'), ofAgent, getShape)
  runsWith(addOfFile('set', 'Save a shape from a JSON file.'), ofAgent, setShape)
  runsWith(addOfFile('validate', 'Check a shape in a JSON file without saving it.'), ofAgent, validateShape)
  const deletes = add('delete', 'Delete a shape, which resets it to its defaults, or the whole agent.')
    .argument('[shape]', `one of ${shapeNames.join(', ')}`, requireShape)
    .option('--all', 'delete all shapes and knowledge files of the agent')
  runsWith(deletes, toDelete, (options, name) => {
    if (options.all !== (name === undefined))
      refuseUsage(deletes, 'Name a shape, or write --all to delete the whole agent.')
    return deleteShapes(options, name)
  })
  runsWith(addOfShape('schema', 'Print the JSON Schema of a shape.'), ofAgent, printSchema)
  runsWith(add('export', 'Print all saved shapes as one document.'), ofAgent, exportAgent)
  const imports = add('import', 'Import an agent document, completely or not at all.')
    .argument('<file>', fileArgument)
    .option('--dry-run', 'only check the document')
  runsWith(imports, toImport, importAgent)
  const lists = agent
    .command('list')
    .description('List the agents with their saved shapes and files.')
    .option('--workspace <id>', 'only agents of this workspace')
  runsWith(lists, toList, listAgents)
  addAgentTry(agent)
}

/** Prints JSON on one line for programs, indented for people. */
function printJson(value: unknown, json: boolean): void {
  if (json) printLine(value)
  else print(JSON.stringify(value, null, 2))
}

function requireShape(name: string): string {
  if (ShapeName.safeParse(name).success) return name
  throw new InvalidArgumentError(`There is no shape "${printable(name)}". Write ${shapeNames.join(', ')}.`)
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

async function getShape(options: AgentOptions, name: string): Promise<void> {
  const { agent: agentId, workspace: workspaceId, data, json } = options
  const procedure = procedureOf(contract.platform[ShapeName.parse(name)].get)
  printJson(await callService(data, procedure, { workspaceId, agentId }), json)
}

async function setShape(options: AgentOptions, name: string, file: string): Promise<void> {
  const { agent: agentId, workspace: workspaceId, data, json } = options
  const procedure = procedureOf(contract.platform[ShapeName.parse(name)].set)
  const body = await readShape(file)
  const query = { workspaceId, agentId }
  printJson(await callService(data, procedure, { query, body }), json)
}

async function validateShape({ data, json }: AgentOptions, shape: string, file: string): Promise<void> {
  const params = { shape: ShapeName.parse(shape) }
  const body = await readShape(file)
  const found = await callService(data, contract.platform.validate, { params, query: {}, body })
  if (json) printLine({ ok: found.valid, ...found })
  else if (found.valid) print('The shape is valid.')
  else
    for (const { path, message } of found.issues)
      say(printable(path === '' ? message : `${path}: ${message}`))
  if (!found.valid) throw new CommandFailed()
}

async function deleteShapes(options: OptionsOf<typeof toDelete>, name?: string): Promise<void> {
  const { agent: agentId, workspace: workspaceId, all, data, json } = options
  const { removeAgent } = contract.platform
  const procedure = name === undefined ? removeAgent : contract.platform[ShapeName.parse(name)].remove
  const query = { workspaceId, agentId }
  const { deleted } = await callService(data, procedure, { query })
  if (json) printLine({ deleted })
  else if (deleted === 0) print('There was nothing to delete.')
  else print(all ? `Deleted the agent ${agentId}.` : 'Deleted.')
}

async function printSchema({ data, json }: AgentOptions, shape: string): Promise<void> {
  printJson(await callService(data, contract.platform.schema, { shape: ShapeName.parse(shape) }), json)
}

async function exportAgent(options: AgentOptions): Promise<void> {
  const { agent: agentId, workspace: workspaceId, data, json } = options
  const scope = { workspaceId, agentId }
  printJson(await callService(data, contract.platform.export, scope), json)
}

async function importAgent(options: OptionsOf<typeof toImport>, file: string): Promise<void> {
  const { agent, workspace: workspaceId, dryRun, data, json } = options
  const text = (await readInput(file === '-' ? file : `@${file}`, 'the document')).toString('utf8')
  const query = { workspaceId, agentId: agent, dryRun }
  const imported = await callService(data, contract.platform.import, { query, body: { text } })
  if (json) return printLine({ ok: true, ...imported })
  for (const { line, column, message } of imported.warnings)
    say(printable(`${file === '-' ? 'stdin' : file}:${line}:${column}: warning: ${message}`))
  const shapes = imported.shapes.length === 0 ? 'no shape' : imported.shapes.join(', ')
  print(`${dryRun ? 'Would import' : 'Imported'} ${shapes} into the agent ${imported.agentId}.`)
}

async function listAgents(options: OptionsOf<typeof toList>): Promise<void> {
  const { workspace: workspaceId, data, json } = options
  const agents = await callService(data, contract.platform.agents, { workspaceId })
  if (json) return printLine(agents)
  if (agents.length === 0) say('No agent has a shape or a file yet.')
  for (const { workspaceId, agentId, shapes, unknownFields, files } of agents) {
    const unknown = unknownFields.length === 0 ? '' : `  (${plural(unknownFields.length, 'unknown field')})`
    const has = files === 0 ? shapes : [...shapes, plural(files, 'file')]
    print(printable(`${workspaceId}  ${agentId}  ${has.join(', ')}${unknown}`))
  }
}

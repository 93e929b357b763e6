import type { Command } from 'commander'
import { contract } from '#shared/contract/index.ts'
import { type CommonOptions, runsWith } from './options.ts'
import { print, printable, printLine, say } from './output.ts'
import { askService, callService } from './service-client.ts'

export function addList(program: Command): void {
  const list = program.command('list').description('List what the running service has.')
  const add = (name: string, description: string) => list.command(name).description(description)
  runsWith(add('connections', 'List all connections.'), {}, listConnections)
  const actions = add('actions', 'List the actions of a connection.')
  runsWith(actions.argument('<connection>', 'id or name of a connection'), {}, listActions)
  runsWith(add('workflows', 'List all workflows.'), {}, listWorkflows)
}

async function listConnections({ data, json }: CommonOptions): Promise<void> {
  const connections = await callService(data, contract.connections.list, {})
  if (json) return printLine(connections)
  printTable(
    ['NAME', 'ID', 'STATE', 'ACTIONS', 'EVENT TYPES', 'BASE URL'],
    connections.map(({ name, connectionId, enabled, actionCount, eventTypeCount, baseUrl }) => [
      name,
      connectionId,
      stateOf(enabled),
      String(actionCount),
      String(eventTypeCount),
      baseUrl ?? '-',
    ]),
    'There are no connections yet.',
  )
}

async function listActions({ data, json }: CommonOptions, idOrName: string): Promise<void> {
  const { name, actions, tools } = await askService(data, async service => {
    const { connectionId, workspaceId, name } = await service.findConnection(idOrName)
    const actions = await service.call(contract.actions.list, { connectionId })
    return { name, actions, tools: json ? [] : await service.call(contract.tools.list, { workspaceId }) }
  })
  if (json) return printLine(actions)
  const forAssistants = new Map(tools.map(tool => [tool.actionId, tool.name]))
  printTable(
    ['TOOL', 'STATE', 'METHOD', 'PATH', 'NAME', 'FOR ASSISTANTS'],
    actions.map(({ actionId, toolName, isEnabled, method, path, name }) => [
      toolName,
      stateOf(isEnabled),
      method,
      path,
      name,
      forAssistants.get(actionId) ?? '-',
    ]),
    `${printable(name)} has no actions yet.`,
  )
}

async function listWorkflows({ data, json }: CommonOptions): Promise<void> {
  const workflows = await callService(data, contract.workflows.list, {})
  if (json) return printLine(workflows)
  printTable(
    ['NAME', 'ID', 'STATE', 'EVENT', 'STEPS', 'ISSUES'],
    workflows.map(({ name, workflowId, enabled, trigger, steps, issues }) => [
      name,
      workflowId,
      stateOf(enabled),
      trigger.eventName ?? 'any',
      String(steps.length),
      String(issues.length),
    ]),
    'There are no workflows yet.',
  )
}

const stateOf = (isEnabled: boolean) => (isEnabled ? 'on' : 'off')

/** Prints rows below their headings, in aligned columns. Without rows, prints `none` on stderr. */
function printTable(headings: readonly string[], rows: readonly string[][], none: string): void {
  if (rows.length === 0) {
    say(none)
    return
  }
  const table = [headings, ...rows.map(row => row.map(printable))]
  const widths = headings.map((_heading, column) => Math.max(...table.map(row => row[column]?.length ?? 0)))
  print(
    ...table.map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    ),
  )
}

import { type Command, Option } from 'commander'
import { contract } from '#shared/contract/index.ts'
import type { StoredEvent } from '#shared/model/inbound-event.ts'
import { isSeen } from '#shared/model/nodes.ts'
import { RunStatus } from '#shared/model/run.ts'
import { namesOf } from '#shared/workflows/takes.ts'
import { type CommonOptions, runsWith, TextOption } from './options.ts'
import { printable, printLine } from './output.ts'
import { emptyWords, type PageFields, paged, pageFields, sayNext } from './pages.ts'
import { askService, callService, pick } from './service-client.ts'
import { printTable, shortened } from './table.ts'

export function addList(program: Command): void {
  const list = program.command('list').description('List what the running service has.')
  const add = (name: string, description: string) => list.command(name).description(description)
  runsWith(add('connections', 'List all connections.'), {}, listConnections)
  const actions = add('actions', 'List the actions of a connection.')
  runsWith(actions.argument('<connection>', 'id or name of a connection'), {}, listActions)
  runsWith(add('workflows', 'List all workflows.'), {}, listWorkflows)
  runsWith(add('nodes', 'List the services that share the database.'), {}, listNodes)
  runsWith(add('backups', 'List the backups that were made, newest first.'), {}, listBackups)
  const events = add('events', 'List the stored events of a connection, newest first.')
    .argument('<connection>', 'id or name of a connection')
    .option('--event <name>', 'only events of this name')
    .option('--text <text>', 'only events with this text in their body')
  runsWith(paged(events), { ...pageFields, event: TextOption, text: TextOption }, listEvents)
  const attempts = add('attempts', 'List the last refused requests of a connection, newest first.')
  const orNone = 'id or name of a connection; by default requests with an unknown token'
  runsWith(attempts.argument('[connection]', orNone), {}, listAttempts)
  const runs = add('runs', 'List the runs of workflows, newest first.')
    .option('--workflow <id-or-name>', 'only runs of this workflow')
    .addOption(new Option('--status <status>', 'only runs in this status').choices(RunStatus.options))
  const runFields = { ...pageFields, workflow: TextOption, status: RunStatus.optional() }
  runsWith(paged(runs), runFields, listRuns)
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
    const { connectionId, name } = await service.findConnection(idOrName)
    const actions = await service.call(contract.actions.list, { connectionId })
    return { name, actions, tools: json ? [] : await service.call(contract.tools.list, { connectionId }) }
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
      namesOf(trigger)?.join(', ') ?? 'any',
      String(steps.length),
      String(issues.length),
    ]),
    'There are no workflows yet.',
  )
}

const unknownOfUnseen = { runsUnderWay: null, clockOffsetMs: null }

async function listNodes({ data, json }: CommonOptions): Promise<void> {
  const nodes = await callService(data, contract.service.nodes, {})
  if (json) return printLine(nodes)
  printTable(
    ['NAME', 'ID', 'STATE', 'VERSION', 'SINCE', 'SEEN', 'RUNS', 'CLOCK'],
    nodes.map(node => {
      // The figures of a node that is not seen are out of date.
      const { runsUnderWay, clockOffsetMs } = isSeen(node) ? node : unknownOfUnseen
      return [
        node.name ?? '-',
        node.nodeId,
        node.state,
        node.version ?? '-',
        node.startedAt ?? '-',
        node.seenAt,
        runsUnderWay === null ? '-' : String(runsUnderWay),
        clockOffsetMs === null ? '-' : `${clockOffsetMs} ms`,
      ]
    }),
    'There are no nodes.',
  )
}

async function listBackups({ data, json }: CommonOptions): Promise<void> {
  const backups = await callService(data, contract.backups.list, {})
  if (json) return printLine(backups)
  printTable(
    ['AT', 'RESULT', 'MADE BY', 'BYTES', 'LABEL', 'ERROR'],
    backups.map(({ at, ok, source, bytes, label, error }) => [
      at,
      ok ? 'ok' : 'failed',
      source,
      String(bytes ?? '-'),
      label ?? '-',
      error ?? '-',
    ]),
    'No backups are known yet.',
  )
}

async function listEvents(
  { data, json, event: eventName, ...query }: CommonOptions & PageFields & { event?: string | undefined },
  idOrName: string,
): Promise<void> {
  const { name, page } = await askService(data, async service => {
    const { connectionId, name, persistEvents } = await service.findConnection(idOrName)
    const page = await service.call(contract.events.list, { connectionId, eventName, ...query })
    return { name: persistEvents ? name : `${name}, which does not log its events,`, page }
  })
  if (json) return printLine(page)
  printTable(
    ['RECEIVED', 'EVENT', 'ID', 'NOTE', 'DATA'],
    page.events.map(one => [
      one.receivedAt,
      one.eventName,
      one.eventId,
      noteOn(one),
      shortened(one.dataText),
    ]),
    emptyWords(page, `${printable(name)} has no such events.`),
  )
  sayNext(page)
}

function noteOn({ declared, repeat, replayOf, duplicateOf }: StoredEvent): string {
  if (replayOf !== null) return 'replay'
  if (duplicateOf !== null) return `duplicate of ${duplicateOf}`
  if (repeat) return 'repeat'
  return declared ? '-' : 'undeclared'
}

async function listAttempts({ data, json }: CommonOptions, idOrName?: string): Promise<void> {
  const { name, page } = await askService(data, async service => {
    if (idOrName === undefined)
      return { name: 'The service', page: await service.call(contract.attempts.unknownToken, {}) }
    const { connectionId, name } = await service.findConnection(idOrName)
    return { name, page: await service.call(contract.attempts.list, { connectionId }) }
  })
  if (json) return printLine(page)
  printTable(
    ['RECEIVED', 'CODE', 'MISTAKE', 'ID'],
    page.attempts.map(({ at, code, diagnosis, attemptId }) => [at, code, diagnosis?.code ?? '-', attemptId]),
    `${printable(name)} has no refused requests.`,
  )
}

async function listRuns({
  data,
  json,
  workflow,
  ...query
}: CommonOptions &
  PageFields & { workflow?: string | undefined; status?: RunStatus | undefined }): Promise<void> {
  const { names, page } = await askService(data, async service => {
    const workflows = await service.call(contract.workflows.list, {})
    const names = new Map(workflows.map(({ workflowId, name }) => [workflowId, name]))
    const workflowId =
      workflow === undefined
        ? undefined
        : pick('workflow', workflows, one => one.workflowId, workflow).workflowId
    return { names, page: await service.call(contract.runs.list, { workflowId, ...query }) }
  })
  if (json) return printLine(page)
  printTable(
    ['QUEUED', 'STATUS', 'WORKFLOW', 'EVENT', 'SUBJECT', 'ERROR', 'ID'],
    page.runs.map(({ queuedAt, status, workflowId, eventName, subject, error, runId }) => [
      queuedAt,
      status,
      names.get(workflowId) ?? workflowId,
      eventName,
      subject ?? '-',
      error?.code ?? '-',
      runId,
    ]),
    emptyWords(page, 'There are no such runs.'),
  )
  sayNext(page)
}

const stateOf = (isEnabled: boolean) => (isEnabled ? 'on' : 'off')

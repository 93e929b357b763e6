import type { Command } from 'commander'
import { z } from 'zod'
import { contract } from '#shared/contract/index.ts'
import { ServiceError } from '#shared/errors.ts'
import { defaultWorkspaceId } from '#shared/model/identifiers.ts'
import type { Webhook } from '#shared/model/platform/webhook.ts'
import { maxAttempts, type Run } from '#shared/model/run.ts'
import type { WorkspaceAnswer } from '#shared/model/workspace.ts'
import { webhookWorkflowId } from '#shared/platform/webhook-workflow.ts'
import { type OptionsOf, runsWith } from './options.ts'
import { CommandFailed, print, printable, printLine, say } from './output.ts'
import { askService, callService, type ServiceClient } from './service-client.ts'

const ofWorkspace = { workspace: z.string().min(1).default(defaultWorkspaceId) }
type Options = OptionsOf<typeof ofWorkspace>
const toSet = {
  ...ofWorkspace,
  url: z.string().optional(),
  secretVariable: z.string().optional(),
  off: z.boolean().default(false),
}
const ofDeliveries = {
  ...ofWorkspace,
  limit: z.coerce.number('Write a number.').int().min(1).max(200).default(20),
}

export function addWebhook(program: Command): void {
  const webhook = program
    .command('webhook')
    .description('Send conversation.started to a URL when a conversation is started here.')
  const add = (name: string, description: string) =>
    webhook
      .command(name)
      .description(description)
      .option('--workspace <id>', 'its workspace (default: the default workspace)')
  runsWith(add('get', 'Print the webhook of a workspace.'), ofWorkspace, getWebhook)
  const set = add('set', 'Set or change the webhook of a workspace.')
    .option('--url <url>', 'where each event is posted')
    .option('--secret-variable <name>', 'the environment variable with the signing secret')
    .option('--off', 'keep it, but send nothing')
  runsWith(set, toSet, setWebhook)
  runsWith(add('delete', 'Delete the webhook of a workspace.'), ofWorkspace, deleteWebhook)
  runsWith(add('test', 'Send an example now, without retries.'), ofWorkspace, testWebhook)
  const deliveries = add('deliveries', 'List the latest deliveries.').option(
    '--limit <n>',
    'how many, 1 to 200',
  )
  runsWith(deliveries, ofDeliveries, listDeliveries)
}

const { route, outputSchema } = contract.workspaces.list['~orpc']
const allWorkspaces = { '~orpc': { route, outputSchema } }

async function findWorkspace(service: ServiceClient, id: string): Promise<WorkspaceAnswer> {
  const workspaces = await service.call(allWorkspaces, {})
  const found = workspaces.find(({ workspaceId }) => workspaceId === id)
  if (found === undefined) throw new ServiceError('workspace_not_found')
  return found
}

function printWebhook({ webhook, warnings = [] }: WorkspaceAnswer, json: boolean): void {
  for (const { message } of warnings) say(`Warning: ${message}`)
  if (json) printLine(webhook)
  else if (webhook === null) say('There is no webhook.')
  else print(printable(`${stateOf(webhook)}  ${webhook.url}  signed with ${webhook.secretVariable}`))
}

const stateOf = ({ enabled }: Webhook) => (enabled ? 'on' : 'off')

async function getWebhook({ workspace, data, json }: Options): Promise<void> {
  printWebhook(await askService(data, service => findWorkspace(service, workspace)), json)
}

/** Options that are not given stay as they are, but the webhook is on unless `--off` is given. */
async function setWebhook(options: OptionsOf<typeof toSet>): Promise<void> {
  const { workspace: workspaceId, off, data, json } = options
  const changed = await askService(data, async service => {
    const before = (await findWorkspace(service, workspaceId)).webhook
    const { url = before?.url, secretVariable = before?.secretVariable } = options
    if (url === undefined || secretVariable === undefined)
      throw new ServiceError('webhook_not_set', { detail: incomplete })
    const webhook = { url, secretVariable, enabled: !off, alerts: before?.alerts ?? false }
    return service.call(contract.workspaces.update, { workspaceId, webhook })
  })
  printWebhook(changed, json)
}

const incomplete = 'The workspace has no webhook yet. Pass --url and --secret-variable.'

async function deleteWebhook({ workspace: workspaceId, data, json }: Options): Promise<void> {
  const { webhook } = await callService(data, contract.workspaces.update, { workspaceId, webhook: null })
  if (json) printLine(webhook)
  else print('Deleted.')
}

async function testWebhook({ workspace: workspaceId, data, json }: Options): Promise<void> {
  const run = await callService(data, contract.workspaces.testWebhook, { workspaceId })
  if (json) printLine(run)
  else printDelivery(run)
  if (run.status !== 'succeeded') throw new CommandFailed()
}

async function listDeliveries(options: OptionsOf<typeof ofDeliveries>): Promise<void> {
  const { workspace, limit, data, json } = options
  const { runs } = await askService(data, async service => {
    const { workspaceId } = await findWorkspace(service, workspace)
    return service.call(contract.runs.list, { workflowId: webhookWorkflowId(workspaceId), limit })
  })
  if (json) return printLine(runs)
  if (runs.length === 0) say('There are no deliveries yet.')
  for (const run of runs) printDelivery(run)
}

function printDelivery({
  queuedAt,
  runId,
  eventName,
  status,
  attempt,
  nextAttemptAt,
  error,
  test,
}: Run): void {
  const facts = [
    ...(test ? ['test'] : [`attempt ${attempt} of ${maxAttempts}`]),
    ...(nextAttemptAt === null ? [] : [`next at ${nextAttemptAt}`]),
    ...(error === null ? [] : [`${error.code}: ${error.message}`]),
  ]
  print(printable(`${queuedAt}  ${runId}  ${eventName}  ${status}  ${facts.join('  ')}`))
}

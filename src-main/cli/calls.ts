import { type Command, Option } from 'commander'
import { contract } from '#shared/contract/index.ts'
import { ServiceError } from '#shared/errors.ts'
import type { ListedOccurrence } from '#shared/model/activity.ts'
import { CallSource } from '#shared/model/call.ts'
import {
  type Asked,
  filterFields,
  listed,
  Outcome,
  outcomeOption,
  printActivity,
  readActivity,
} from './activity-list.ts'
import { type CommonOptions, runsWith, TextOption } from './options.ts'
import type { ServiceClient } from './service-client.ts'

export function addCalls(program: Command): void {
  const calls = program.command('calls').description('List the calls of actions.')
  const list = listed(calls.command('list').description('List calls, newest first.'))
    .option('--action <id-or-tool>', 'only those of this action; a tool’s name needs --connection')
    .addOption(outcomeOption('only those that succeeded, or that failed or were refused'))
    .addOption(new Option('--source <source>', 'only those of this origin').choices(CallSource.options))
    .option('--cause <code>', 'only those with this code; `http_404` for a status')
  const own = { action: TextOption, outcome: Outcome, source: CallSource.optional() }
  runsWith(list, { ...filterFields, ...own }, listCalls)
}

type Options = CommonOptions & Omit<Asked, 'kinds'> & { readonly action?: string | undefined }

async function listCalls({ data, json, action, ...asked }: Options): Promise<void> {
  const kinds = ['call.finished', 'call.refused'] as const
  await printActivity(
    { data, json },
    async service =>
      readActivity(service, {
        ...asked,
        kinds,
        actionId: await actionIdOf(service, action, asked.connection),
      }),
    {
      headings: ['ENDED', 'TOOL', 'STATUS', 'MS', 'SOURCE', 'CONNECTION', 'ID'],
      rowOf: callRow,
      none: 'There are no such calls.',
    },
  )
}

/** Returns the id of an action that is given by its id, or by its tool’s name in a connection. */
async function actionIdOf(
  service: ServiceClient,
  action: string | undefined,
  connection: string | undefined,
) {
  if (action === undefined || connection === undefined) return action
  const { connectionId, name } = await service.findConnection(connection)
  const actions = await service.call(contract.actions.list, { connectionId })
  const found = actions.find(one => one.actionId === action) ?? actions.find(one => one.toolName === action)
  if (found !== undefined) return found.actionId
  throw new ServiceError('action_not_found', { detail: `${name} has no action "${action}".` })
}

function callRow(item: ListedOccurrence, connection: string): readonly string[] {
  switch (item.type) {
    case 'call.finished': {
      const { at, toolName, status, code, totalMs, source, callId } = item
      return [at, toolName, code ?? String(status), String(Math.round(totalMs)), source, connection, callId]
    }
    case 'call.refused': {
      const { at, toolName, code, source, refusalId } = item
      return [at, toolName, code, '-', source, connection, refusalId]
    }
    default:
      return []
  }
}

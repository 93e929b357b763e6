import type { Command } from 'commander'
import type { ListedOccurrence } from '#shared/model/activity.ts'
import { type Asked, filterFields, listed, printActivity, readActivity } from './activity-list.ts'
import { type CommonOptions, runsWith } from './options.ts'

export function addAttempts(program: Command): void {
  const attempts = program.command('attempts').description('List the requests that were refused.')
  const list = listed(attempts.command('list').description('List refused requests, newest first.')).option(
    '--cause <code>',
    'only those with this code or this mistake',
  )
  runsWith(list, filterFields, listAttempts)
}

async function listAttempts({ data, json, ...asked }: CommonOptions & Omit<Asked, 'kinds'>): Promise<void> {
  await printActivity(
    { data, json },
    service => readActivity(service, { ...asked, kinds: ['event.rejected'] }),
    {
      headings: ['RECEIVED', 'CODE', 'MISTAKE', 'CONNECTION', 'ID'],
      rowOf: attemptRow,
      none: 'There are no such requests.',
    },
  )
}

/** Returns the cells of a refused request. */
export function attemptRow(item: ListedOccurrence, connection: string): readonly string[] {
  if (item.type !== 'event.rejected') return []
  const { at, code, diagnosis, attemptId } = item
  return [at, code, diagnosis?.code ?? '-', connection, attemptId ?? '-']
}

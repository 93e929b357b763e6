import { z } from 'zod'
import { Backup, BackupNote } from '../model/backup.ts'
import { Moment } from '../model/identifiers.ts'
import { TimeText } from '../time.ts'
import { pageOf, routesOf } from './base.ts'

const route = routesOf('backups', '/backups')

export const backups = {
  list: route('GET', '', 'The backups that were made, newest first')
    .input(
      z.object({
        ...pageOf('at'),
        after: TimeText.optional().describe('The `at` of the last item of the page before.'),
      }),
    )
    .output(z.array(Backup)),
  next: route('GET', '/next', 'When the schedule makes the next backup').output(
    z.object({ at: Moment.nullable().describe('Null without a schedule.') }),
  ),
  note: route('POST', '/note', 'Tell the service of a backup that something else has made')
    .input(BackupNote)
    .output(Backup),
}

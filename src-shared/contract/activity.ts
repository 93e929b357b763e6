import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { ActivityItem } from '../model/activity.ts'
import { route } from './base.ts'

export const activity = {
  live: route('GET', '/activity', {
    tag: 'activity',
    summary: 'What happens now, as server-sent events; send Last-Event-ID to go on after an item',
    errors: ['connection_not_found'],
  })
    .input(z.object({ connectionId: z.string().optional() }))
    .output(eventIterator(ActivityItem)),
}

import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { ActivityItem } from '../model/activity.ts'
import { route } from './base.ts'

export const activity = {
  live: route('GET', '/activity', {
    tag: 'activity',
    summary: 'The activity as server-sent events; send Last-Event-ID to continue after an item',
    errors: ['connection_not_found'],
  })
    .input(z.object({ connectionId: z.string().optional() }))
    .output(eventIterator(ActivityItem)),
}

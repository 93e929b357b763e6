import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { ActivityItem } from '../model/activity.ts'
import { routesOf } from './base.ts'

const route = routesOf('activity')

export const activity = {
  live: route(
    'GET',
    '/activity',
    'The activity as server-sent events; send Last-Event-ID to continue after an item',
    ['connection_not_found'],
  )
    .input(z.object({ connectionId: z.string().optional() }))
    .output(eventIterator(ActivityItem)),
}

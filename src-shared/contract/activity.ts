import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import {
  ActivityItem,
  ExportSelection,
  ListedOccurrence,
  mostExported,
  mostGroups,
  OccurrenceCounts,
  OccurrenceGroup,
  OccurrencePage,
  OccurrenceSelection,
} from '../model/activity.ts'
import { routesOf } from './base.ts'

const route = routesOf('activity')
const after = z.string().optional().describe('Only items newer than the one with this `id`.')

export const activity = {
  live: route(
    'GET',
    '/activity',
    'The activity as server-sent events; send Last-Event-ID to continue after an item',
    ['connection_not_found'],
  )
    .input(z.object({ connectionId: z.string().optional() }))
    .output(eventIterator(ActivityItem)),
  list: route(
    'GET',
    '/activity/list',
    'Everything that happened, over all connections or one, newest first',
    ['connection_not_found', 'workspace_not_found'],
  )
    .input(
      OccurrenceSelection.extend({
        before: z
          .string()
          .optional()
          .describe('The `nextBefore` of the page before, or the `id` of an item.'),
        after,
        limit: z.coerce.number().int().min(1).max(200).default(50),
      }),
    )
    .output(OccurrencePage),
  counts: route('GET', '/activity/counts', 'How many items a list has, by kind and by cause', [
    'connection_not_found',
    'workspace_not_found',
  ])
    .input(
      OccurrenceSelection.extend({
        after,
        buckets: z.coerce
          .number()
          .int()
          .min(1)
          .max(200)
          .optional()
          .describe('Also counts in so many equal parts of the time; of the last 24 hours without `since`.'),
      }),
    )
    .output(OccurrenceCounts),
  groups: route(
    'GET',
    '/activity/groups',
    `What failed, by cause and connection, most first; at most ${mostGroups} groups`,
    ['connection_not_found', 'workspace_not_found'],
  )
    .input(OccurrenceSelection)
    .output(z.array(OccurrenceGroup)),
  export: route(
    'GET',
    '/activity/export',
    `The newest ${mostExported} items of a list as a file: JSON Lines or CSV`,
    ['connection_not_found', 'workspace_not_found'],
  )
    .input(ExportSelection)
    .output(eventIterator(z.string())),
  get: route('GET', '/activity/items/{itemId}', 'One item of the list')
    .input(
      z.object({
        itemId: z
          .string()
          .describe('Its `id`, or that of the event, the refused request or the call that it is about.'),
      }),
    )
    .output(ListedOccurrence),
}

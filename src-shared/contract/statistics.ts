import { z } from 'zod'
import { EventNameStatistics, Statistics } from '../model/statistics.ts'
import { route } from './base.ts'
import { OneConnection } from './connections.ts'

const tag = 'statistics'

export const statistics = {
  list: route('GET', '/statistics', {
    tag,
    summary: 'The last 24 hours of the connections of one workspace or of all',
    errors: ['workspace_not_found'],
  })
    .input(z.object({ workspaceId: z.string().optional() }))
    .output(Statistics),
  eventNames: route('GET', '/connections/{connectionId}/statistics/event-names', {
    tag,
    summary: 'Counts of each event name in the last 24 hours: declared names first',
    errors: ['connection_not_found'],
  })
    .input(OneConnection)
    .output(z.array(EventNameStatistics)),
}

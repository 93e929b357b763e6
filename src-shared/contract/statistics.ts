import { z } from 'zod'
import { EdgeList, EdgeQuery } from '../model/edges.ts'
import { HourList, HourQuery } from '../model/hour-statistics.ts'
import { ConnectionStatistics, EventNameStatistics, Statistics } from '../model/statistics.ts'
import { pageOf, routesOf } from './base.ts'
import { OneConnection } from './connections.ts'

const route = routesOf('statistics')

export const statistics = {
  list: route('GET', '/statistics', 'The last 24 hours of the connections of one workspace or of all', [
    'workspace_not_found',
  ])
    .input(z.object({ workspaceId: z.string().optional(), ...pageOf('connectionId') }))
    .output(Statistics),
  hours: route(
    'GET',
    '/statistics/hours',
    'What happened in each hour or on each day of the last 90 days: of one connection, a workspace or the whole service',
    ['connection_not_found', 'workspace_not_found'],
  )
    .input(HourQuery)
    .output(HourList),
  edges: route(
    'GET',
    '/statistics/edges',
    'The workflows that events started, and the callers of actions: of one connection, a workspace or all',
    ['connection_not_found', 'workspace_not_found'],
  )
    .input(EdgeQuery)
    .output(EdgeList),
  get: route('GET', '/connections/{connectionId}/statistics', 'The last 24 hours of a connection')
    .input(OneConnection)
    .output(ConnectionStatistics),
  eventNames: route(
    'GET',
    '/connections/{connectionId}/statistics/event-names',
    'Counts of each event name in the last 24 hours: declared names first, then all that were received',
  )
    .input(OneConnection)
    .output(z.array(EventNameStatistics)),
}

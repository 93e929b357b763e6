import { type ConnectionState, connectionStates } from '../../entities/connection/connection-status.ts'
import type { ConnectionRow } from '../../entities/connection/use-connections.ts'
import { byMoment, byName, type ListDefinition } from '../../ui/list-search.ts'

/** The orders of the list. The first is the default. */
export const connectionSorts = ['last-event', 'name', 'events', 'created'] as const
type ConnectionSort = (typeof connectionSorts)[number]

export const connectionList: ListDefinition<ConnectionRow, ConnectionState, ConnectionSort> = {
  group: 'Connections',
  noun: 'connection',
  placeholder: 'Filter by name, URL or event',
  idOf: ({ connectionId }) => connectionId,
  textOf: ({ name, baseUrl, statistics }) => [name, baseUrl, statistics?.lastEvent?.eventName].join('\n'),
  sorts: connectionSorts,
  orders: {
    'last-event': {
      label: 'Last event',
      compare: (a, b) =>
        byMoment(a.statistics?.lastEvent?.at, b.statistics?.lastEvent?.at) ||
        byMoment(a.createdAt, b.createdAt),
    },
    name: { label: 'Name', compare: byName, isSteady: true },
    events: {
      label: 'Events in 24 hours',
      compare: (a, b) => (b.statistics?.accepted ?? 0) - (a.statistics?.accepted ?? 0) || byName(a, b),
    },
    created: {
      label: 'Newest first',
      compare: (a, b) => byMoment(a.createdAt, b.createdAt),
      isSteady: true,
    },
  },
  states: connectionStates,
  stateLabels: {
    receiving: 'Receiving',
    rejecting: 'Rejecting',
    silent: 'No events yet',
    disabled: 'Disabled',
  },
  // Its rows have a pill of their own.
  linkedState: 'silent',
  isIn: ({ status }, state) => (status.state === 'unknown' ? null : status.state === state),
}

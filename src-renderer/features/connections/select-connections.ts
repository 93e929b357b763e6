import type { ConnectionState } from '#shared/model/connection-list.ts'
import { connectionStates } from '../../entities/connection/connection-status.ts'
import type { ConnectionRow } from '../../entities/connection/use-connections.ts'
import type { ListDefinition } from '../../ui/list-search.ts'

/** The orders of the list. The first is the default. */
export const connectionSorts = ['last-event', 'name', 'events', 'created'] as const
type ConnectionSort = (typeof connectionSorts)[number]

/** The list of connections, which the service filters and orders. */
export const connectionList: ListDefinition<ConnectionRow, ConnectionState, ConnectionSort> = {
  group: 'Connections',
  noun: 'connection',
  placeholder: 'Filter by name, URL or event',
  idOf: ({ connectionId }) => connectionId,
  sorts: connectionSorts,
  orders: {
    'last-event': { label: 'Last event' },
    name: { label: 'Name', isSteady: true },
    events: { label: 'Events in 24 hours' },
    created: { label: 'Newest first', isSteady: true },
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
}

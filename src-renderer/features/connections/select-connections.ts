import type { ConnectionState } from '#shared/model/connection-list.ts'
import type { ConnectionRow } from '../../entities/connection/use-connections.ts'
import { anyText, choice } from '../../ui/filters.ts'
import type { ListDefinition } from '../../ui/list-search.ts'

/** The list of connections, which the service filters and orders. */
export const connectionList = {
  group: 'Connections',
  noun: 'connection',
  idOf: ({ connectionId }) => connectionId,
  filters: {
    filter: { schema: anyText, placeholder: 'Filter by name, URL or event' },
    status: {
      ...choice<ConnectionState>({
        receiving: 'Receiving',
        rejecting: 'Rejecting',
        silent: 'No events yet',
        disabled: 'Disabled',
      }),
      // Its rows have a pill of their own.
      linked: 'silent',
    },
  },
  orders: {
    'last-event': { label: 'Last event' },
    name: { label: 'Name', isSteady: true },
    events: { label: 'Events in 24 hours' },
    created: { label: 'Newest first', isSteady: true },
  },
} as const satisfies ListDefinition<ConnectionRow>

import { attentionStates, type ConnectionState } from '#shared/model/connection-status.ts'
import type { ConnectionRow } from '../../entities/connection/use-connections.ts'
import { anyText, choice } from '../../ui/filters.ts'
import type { ListDefinition } from '../../ui/list-search.ts'

/** The states that the list has a segment for. */
export type ShownState = Exclude<ConnectionState, 'receiving' | 'rejecting'>

/** Returns the states of a segment, with commas. */
export const statesOf = (shown: ShownState | undefined) =>
  shown === 'attention' ? attentionStates.join(',') : shown

/** Returns how many connections each segment has. */
export const countsOf = (states: Readonly<Record<ConnectionState, number>>) => ({
  ...states,
  attention: attentionStates.reduce((sum, state) => sum + states[state], 0),
})

/** The list of connections, which the service filters and orders. */
export const connectionList = {
  group: 'Connections',
  noun: 'connection',
  idOf: ({ connectionId }) => connectionId,
  filters: {
    filter: { schema: anyText, placeholder: 'Filter by name, URL or event' },
    status: {
      ...choice<ShownState>({
        failing: 'Failing',
        attention: 'Need attention',
        disabled: 'Disabled',
        silent: 'No events yet',
      }),
      // Its rows have a pill of their own.
      linked: 'silent',
    },
  },
  orders: {
    'last-event': { label: 'Last event' },
    worst: { label: 'Worst first' },
    name: { label: 'Name', isSteady: true },
    events: { label: 'Events in 24 hours' },
    created: { label: 'Newest first', isSteady: true },
  },
} as const satisfies ListDefinition<ConnectionRow>

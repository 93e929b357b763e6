import { Button, Menu, SegmentedControl } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ArrowUpDown } from 'lucide-react'
import type { RefObject } from 'react'
import { Counted } from '../../ui/badges.tsx'
import classes from '../../ui/list-page.module.css'
import { SearchField } from '../../ui/search-field.tsx'
import { useStableOrder } from '../../ui/stable-order.ts'
import { type ConnectionState, connectionStates } from './connection-status.ts'
import {
  type ConnectionSort,
  connectionSorts,
  filterConnections,
  sortConnections,
  sortLabels,
} from './select-connections.ts'
import type { ConnectionRow } from './use-connections.ts'

const labels: Readonly<Record<ConnectionState, string>> = {
  receiving: 'Receiving',
  rejecting: 'Rejecting',
  silent: 'No events yet',
  disabled: 'Disabled',
}

/** Filters and sorts the list. */
export function ConnectionFilters(props: {
  readonly search: ReturnType<typeof useConnectionSearch>
  /** Whether the connections are still being read, so they cannot be counted. */
  readonly isPending: boolean
  readonly table: RefObject<{ focus(): void } | null>
  /** Opens the first row. */
  readonly onEnter: () => void
}) {
  const { search, isPending, table, onEnter } = props
  const { filter, status, sort, matching } = search
  // “No events yet” is a segment only if a link asks for it. Its rows have a pill of their own.
  const states = connectionStates.filter(state => state !== 'silent' || status === 'silent')
  const isKnown = !isPending && matching.every(row => row.status.state !== 'unknown')
  const countOf = (state: ConnectionState) =>
    isKnown ? matching.filter(row => row.status.state === state).length : undefined
  return (
    <div className={classes.bar}>
      <SearchField
        className={classes.filter}
        label="Filter connections"
        placeholder="Filter by name, URL or event"
        value={filter}
        onChange={search.setFilter}
        does="Filter"
        group="Connections"
        list={table}
        onEnter={onEnter}
      />
      <SegmentedControl
        aria-label="Status"
        value={status ?? 'all'}
        onChange={value => search.setStatus(states.find(state => state === value))}
        data={[
          { value: 'all', label: <Counted label="All" count={isPending ? undefined : matching.length} /> },
          ...states.map(state => ({
            value: state,
            label: <Counted label={labels[state]} count={countOf(state)} />,
          })),
        ]}
      />
      <span className="push" />
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <Button
            variant="subtle"
            className={classes.sort}
            leftSection={<ArrowUpDown />}
            aria-label={`Sorted by: ${sortLabels[sort]}`}
          >
            {sortLabels[sort]}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {connectionSorts.map(key => (
            // The current order can be chosen again, to sort the rows that have stayed in place.
            <Menu.RadioItem
              key={key}
              value={key}
              checked={key === sort}
              closeMenuOnClick
              onClick={() => search.setSort(key)}
            >
              {sortLabels[key]}
            </Menu.RadioItem>
          ))}
        </Menu.Dropdown>
      </Menu>
    </div>
  )
}

/** Returns the rows that the address selects, and the functions that change the address. */
export function useConnectionSearch(all: readonly ConnectionRow[], isPending: boolean) {
  const { filter = '', status, sort = 'last-event' } = useSearch({ from: '/connections' })
  const navigate = useNavigate({ from: '/connections' })
  const sorted = sortConnections(all, sort)
  const { order, resetOrder } = useStableOrder(
    sorted.map(({ connectionId }) => connectionId),
    sort,
    isPending,
  )
  const byId = new Map(all.map(row => [row.connectionId, row]))
  // Two of the orders would change with every event.
  const ordered = sort === 'name' || sort === 'created' ? sorted : order.flatMap(id => byId.get(id) ?? [])
  const matching = filterConnections(ordered, filter)
  const change = (next: { filter?: string; status?: ConnectionState; sort?: ConnectionSort }) =>
    void navigate({ search: before => ({ ...before, ...next }), replace: true })
  return {
    filter,
    status,
    sort,
    /** The rows that match the filter, of every status. */
    matching,
    rows: status === undefined ? matching : matching.filter(row => row.status.state === status),
    setFilter: (text: string) => change({ filter: text === '' ? undefined : text }),
    setStatus: (state: ConnectionState | undefined) => change({ status: state }),
    setSort(next: ConnectionSort) {
      resetOrder()
      change({ sort: next === 'last-event' ? undefined : next })
    },
    clear: () => change({ filter: undefined, status: undefined }),
  }
}

import { Button, Menu, SegmentedControl } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ArrowUpDown, Check } from 'lucide-react'
import { type RefObject, useState } from 'react'
import { formatNumber } from '../../ui/format.ts'
import { SearchField } from '../../ui/search-field.tsx'
import classes from './connection-list.module.css'
import { type ConnectionState, connectionStates } from './connection-status.ts'
import {
  type ConnectionSort,
  connectionSorts,
  filterConnections,
  sortConnections,
  sortLabels,
  stableOrder,
} from './select-connections.ts'
import type { ConnectionRow } from './use-connections.ts'

const labels: Readonly<Record<ConnectionState, string>> = {
  receiving: 'Receiving',
  rejecting: 'Rejecting',
  silent: 'No events yet',
  disabled: 'Disabled',
}

/** What narrows the list and orders it. */
export function ConnectionFilters(props: {
  readonly filter: string
  readonly status: ConnectionState | undefined
  readonly sort: ConnectionSort
  /** Those that the filter leaves, of every status: they are counted. Null while they are not known. */
  readonly rows: readonly ConnectionRow[] | null
  readonly onFilter: (filter: string) => void
  readonly onStatus: (status: ConnectionState | undefined) => void
  readonly onSort: (sort: ConnectionSort) => void
  readonly table: RefObject<{ focus(): void } | null>
  /** Opens what stands first. */
  readonly onEnter: () => void
}) {
  const { filter, status, sort, rows, onFilter, onStatus, onSort, table, onEnter } = props
  // The one that is silent has a pill of its own, and a segment only where a link asks for it.
  const states = connectionStates.filter(state => state !== 'silent' || status === 'silent')
  const isKnown = rows?.every(row => row.status.state !== 'unknown') === true
  const countOf = (state: ConnectionState) =>
    isKnown ? rows.filter(row => row.status.state === state).length : undefined
  return (
    <div className={classes.bar}>
      <SearchField
        className={classes.filter}
        label="Filter connections"
        placeholder="Filter by name, URL or event"
        value={filter}
        onChange={onFilter}
        does="Filter"
        group="Connections"
        list={table}
        onEnter={onEnter}
      />
      <SegmentedControl
        aria-label="Status"
        value={status ?? 'all'}
        onChange={value => onStatus(states.find(state => state === value))}
        data={[
          { value: 'all', label: <Segment label="All" count={rows?.length} /> },
          ...states.map(state => ({
            value: state,
            label: <Segment label={labels[state]} count={countOf(state)} />,
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
            <Menu.RadioItem
              key={key}
              value={key}
              checked={key === sort}
              closeMenuOnClick
              checkIcon={<Check />}
              onClick={() => onSort(key)}
            >
              {sortLabels[key]}
            </Menu.RadioItem>
          ))}
        </Menu.Dropdown>
      </Menu>
    </div>
  )
}

function Segment({ label, count }: { readonly label: string; readonly count: number | undefined }) {
  return (
    <span className={classes.segment}>
      {label} {count !== undefined && <span>{formatNumber(count)}</span>}
    </span>
  )
}

/** What the list shows of the connections, as its address says, and what changes the address. */
export function useConnectionSearch(all: readonly ConnectionRow[], isPending: boolean) {
  const { filter = '', status, sort = 'last-event' } = useSearch({ from: '/connections' })
  const navigate = useNavigate({ from: '/connections' })
  const { order, resetOrder } = useStableOrder(all, sort, isPending)
  const byId = new Map(all.map(row => [row.connectionId, row]))
  const ordered = order.flatMap(id => byId.get(id) ?? [])
  const matching = filterConnections(ordered, filter)
  const change = (next: { filter?: string; status?: ConnectionState; sort?: ConnectionSort }) =>
    void navigate({ search: before => ({ ...before, ...next }), replace: true })
  return {
    filter,
    status,
    sort,
    /** Those that the filter leaves, of every status. */
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

/** Names and dates of creation hardly change; the other orders would change with every event. */
function useStableOrder(all: readonly ConnectionRow[], sort: ConnectionSort, isPending: boolean) {
  const [kept, setKept] = useState<{ sort: ConnectionSort; order: readonly string[] } | null>(null)
  const sorted = sortConnections(all, sort).map(({ connectionId }) => connectionId)
  if (sort === 'name' || sort === 'created') return { order: sorted, resetOrder: () => setKept(null) }
  const order = stableOrder(kept?.sort === sort ? kept.order : null, sorted)
  const isNew =
    kept?.sort !== sort || order.length !== kept.order.length || order.some((id, i) => id !== kept.order[i])
  if (!isPending && isNew) setKept({ sort, order })
  return { order, resetOrder: () => setKept(null) }
}

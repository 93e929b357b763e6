import { Button, Menu, SegmentedControl } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ArrowUpDown } from 'lucide-react'
import type { RefObject } from 'react'
import { Counted } from '../../ui/badges.tsx'
import classes from '../../ui/list-page.module.css'
import { SearchField } from '../../ui/search-field.tsx'
import { useStableOrder } from '../../ui/stable-order.ts'
import {
  filterWorkflows,
  isIn,
  sortLabels,
  sortWorkflows,
  type WorkflowSort,
  workflowSorts,
} from './select-workflows.ts'
import type { WorkflowRow } from './use-workflows.ts'
import { type WorkflowState, workflowStates } from './workflow-status.ts'

const labels: Readonly<Record<WorkflowState, string>> = {
  failing: 'Failing',
  waiting: 'Waiting',
  disabled: 'Disabled',
}

/** Filters and sorts the list. */
export function WorkflowFilters(props: {
  readonly search: ReturnType<typeof useWorkflowSearch>
  readonly table: RefObject<{ focus(): void } | null>
  /** Opens the first row. */
  readonly onEnter: () => void
}) {
  const { search, table, onEnter } = props
  const { filter, status, sort, matching } = search
  function countOf(state: WorkflowState): number | undefined {
    const found = matching.map(row => isIn(row, state))
    return found.includes(null) ? undefined : found.filter(Boolean).length
  }
  return (
    <div className={classes.bar}>
      <SearchField
        className={classes.filter}
        label="Filter workflows"
        placeholder="Filter by name, event or step"
        value={filter}
        onChange={search.setFilter}
        does="Filter"
        group="Workflows"
        list={table}
        onEnter={onEnter}
      />
      <SegmentedControl
        aria-label="Status"
        value={status ?? 'all'}
        onChange={value => search.setStatus(workflowStates.find(state => state === value))}
        data={[
          { value: 'all', label: <Counted label="All" count={matching.length} /> },
          ...workflowStates.map(state => ({
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
          {workflowSorts.map(key => (
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
export function useWorkflowSearch(all: readonly WorkflowRow[], isPending: boolean) {
  const { filter = '', status, sort = 'last-run' } = useSearch({ from: '/workflows' })
  const navigate = useNavigate({ from: '/workflows' })
  const sorted = sortWorkflows(all, sort)
  const { order, resetOrder } = useStableOrder(
    sorted.map(({ workflowId }) => workflowId),
    sort,
    isPending,
  )
  const byId = new Map(all.map(row => [row.workflowId, row]))
  // Two of the orders would change with every run.
  const ordered = sort === 'name' || sort === 'created' ? sorted : order.flatMap(id => byId.get(id) ?? [])
  const matching = filterWorkflows(ordered, filter)
  const change = (next: { filter?: string; status?: WorkflowState; sort?: WorkflowSort }) =>
    void navigate({ search: before => ({ ...before, ...next }), replace: true })
  return {
    filter,
    status,
    sort,
    /** The rows that match the filter, of every status. */
    matching,
    rows: status === undefined ? matching : matching.filter(row => isIn(row, status) === true),
    setFilter: (text: string) => change({ filter: text === '' ? undefined : text }),
    setStatus: (state: WorkflowState | undefined) => change({ status: state }),
    setSort(next: WorkflowSort) {
      resetOrder()
      change({ sort: next === 'last-run' ? undefined : next })
    },
    clear: () => change({ filter: undefined, status: undefined }),
  }
}

import { Button, Menu, SegmentedControl } from '@mantine/core'
import { ArrowUpDown } from 'lucide-react'
import type { RefObject } from 'react'
import { Counted } from './badges.tsx'
import { ChoiceItems } from './choice-items.tsx'
import classes from './list-page.module.css'
import type { ListDefinition, ListSearch } from './list-search.ts'
import { SearchField } from './search-field.tsx'

/** The bar that filters and sorts a list. */
export function ListFilters<Row, State extends string, Sort extends string>(props: {
  readonly list: ListDefinition<Row, State, Sort>
  readonly search: ListSearch<Row, State, Sort>
  readonly table: RefObject<{ focus(): void } | null>
  /** Opens the selected row, or the first. */
  readonly onEnter: () => void
}) {
  const { list, search, table, onEnter } = props
  const { sort, segments } = search
  const sortLabel = sort && list.orders[sort].label
  return (
    <div className={classes.bar}>
      <SearchField
        className={classes.filter}
        label={`Filter ${list.noun}s`}
        placeholder={list.placeholder}
        value={search.filter}
        onChange={search.setFilter}
        does="Filter"
        group={list.group}
        list={table}
        onEnter={onEnter}
      />
      <SegmentedControl
        aria-label={list.statesName ?? 'Status'}
        value={search.status ?? 'all'}
        onChange={value => search.setStatus(list.states.find(state => state === value))}
        data={[
          { value: 'all', label: <Counted label="All" count={search.count} /> },
          ...segments.map(({ state, label, count }) => ({
            value: state,
            label: <Counted label={label} count={count} />,
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
            aria-label={`Sorted by: ${sortLabel}`}
          >
            {sortLabel}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {/* The current order can be chosen again, to sort the rows that have stayed in place. */}
          <ChoiceItems
            value={sort ?? ''}
            onChoose={value => {
              const key = list.sorts.find(one => one === value)
              if (key !== undefined) search.setSort(key)
            }}
            options={list.sorts.map(key => ({ value: key, label: list.orders[key].label }))}
          />
        </Menu.Dropdown>
      </Menu>
    </div>
  )
}

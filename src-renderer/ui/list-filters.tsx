import { Button, Menu, SegmentedControl } from '@mantine/core'
import { ArrowUpDown } from 'lucide-react'
import type { ReactNode, RefObject } from 'react'
import { Counted } from './badges.tsx'
import { ChoiceItems } from './choice-items.tsx'
import { FilterMenus } from './filter-menus.tsx'
import classes from './list-page.module.css'
import type { ListDefinition, ListSearch } from './list-search.ts'
import { optionsOf } from './options-of.ts'
import { SearchField } from './search-field.tsx'

/** The bar that filters and sorts a list. */
export function ListFilters<Row>(props: {
  readonly list: ListDefinition<Row>
  readonly search: ListSearch<Row>
  readonly table: RefObject<{ focus(): void } | null>
  /** Opens the selected row, or the first. */
  readonly onEnter: () => void
  /** Stands before the order. */
  readonly legend?: ReactNode
}) {
  const { list, search, table, onEnter, legend } = props
  const { sort, segments } = search
  const { filter, status } = list.filters
  const sortLabel = list.orders[sort]?.label
  return (
    <div className={classes.bar}>
      <SearchField
        className={classes.filter}
        label={`Filter ${list.noun}s`}
        placeholder={filter.placeholder}
        value={search.filter}
        onChange={search.setFilter}
        does="Filter"
        group={list.group}
        list={table}
        onEnter={onEnter}
      />
      <SegmentedControl
        aria-label={status.name ?? 'Status'}
        value={search.status ?? 'all'}
        onChange={value => search.setStatus(value === 'all' ? undefined : value)}
        data={[
          { value: 'all', label: <Counted label="All" count={search.count} /> },
          ...segments.map(({ value, label, count }) => ({
            value,
            label: <Counted label={label} count={count} />,
          })),
        ]}
      />
      <FilterMenus filters={list.filters} place={search.place} change={search.change} />
      <span className="push" />
      {legend}
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
            value={sort}
            onChoose={search.setSort}
            options={optionsOf(list.orders).map(({ value, label }) => ({ value, label: label.label }))}
          />
        </Menu.Dropdown>
      </Menu>
    </div>
  )
}

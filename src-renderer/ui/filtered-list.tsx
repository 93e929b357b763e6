import { Button } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'
import { Delayed } from './delayed.tsx'
import { EmptyState } from './empty-state.tsx'
import type { AnyPlace } from './filters.ts'
import { useFocusAfterRemoval } from './focus.ts'
import { formatCount, formatNumber } from './format.ts'
import { useRowKeys } from './keyboard-list.ts'
import { ListFilters } from './list-filters.tsx'
import classes from './list-page.module.css'
import { type ListDefinition, type RemoteList, useListSearch } from './list-search.ts'
import { type ListColumn, ListTable, type ListTableHandle, ListTableSkeleton } from './list-table.tsx'
import { Body, Foot, type Hints } from './page.tsx'
import { useShortcut } from './shortcuts.tsx'

type FilteredListState<Row> = ReturnType<typeof useFilteredList<Row>>

/**
 * Returns the state of a filtered list: the rows that the address selects and the selected row. Binds the keys that
 * select a row and open it.
 */
export function useFilteredList<Row>(
  list: ListDefinition<Row>,
  props: {
    readonly all: readonly Row[]
    readonly isPending: boolean
    readonly place: AnyPlace
    /** Replaces parts of the address. It is a method, since it takes only what the address can have. */
    change(next: AnyPlace): void
    readonly open: (row: Row) => void
    readonly remote?: RemoteList
  },
) {
  const { all, isPending, place, change, open, remote } = props
  const { group, noun, idOf } = list
  const search = useListSearch(list, all, isPending, place, change, remote)
  const { rows } = search
  const table = useRef<ListTableHandle>(null)
  // Nothing is selected at first, so that a key never acts on a row that the user did not choose.
  const [wanted, select] = useState<string | null>(null)
  const index = rows.findIndex(row => idOf(row) === wanted)
  const selected = rows[index]
  useFocusAfterRemoval(rows.length, () => table.current?.focus())

  // If the focus is elsewhere, it returns to the selected row.
  useRowKeys({ group, noun, count: rows.length, at: index, isOn: rows.length > 0 }, next =>
    goTo(index === -1 || table.current?.hasFocus() === true ? next : index),
  )
  function goTo(at: number) {
    const row = rows[at]
    if (row === undefined) return
    // Before the row gets the focus, because a held key repeats before a distant row is rendered.
    select(idOf(row))
    table.current?.focusRow(at)
  }
  const openRow = (row: Row | undefined) => row && open(row)
  useShortcut({ keys: 'enter', label: 'Open it', group }, () => openRow(selected), selected !== undefined)
  return {
    list,
    /** The number of all rows; undefined while unknown. */
    total: remote === undefined ? all.length : remote.counts?.all,
    isPending,
    search,
    table,
    onEndReached: remote?.onEndReached,
    select,
    selected,
    /** The index of the selected row; -1 for none. */
    at: index,
    /** Selects a row and focuses it. */
    goTo,
    openFirst: () => openRow(selected ?? rows[0]),
  }
}

/** A screen that is one list: its heading, filters and table, and the line below with its shortcuts. */
export function FilteredList<Row extends { readonly enabled?: boolean }>(props: {
  readonly state: FilteredListState<Row>
  /** Instead of the name of the list. */
  readonly title?: string | undefined
  readonly about: string
  /** Stands before the order. */
  readonly legend?: ReactNode
  readonly columns: readonly ListColumn<Row>[]
  /** Says why no row is shown. */
  readonly none: { readonly title: string; readonly detail: ReactNode }
  /** The shortcuts of the selected row. */
  readonly hints: Hints
  /** Follows the number of rows. */
  readonly figures: ReactNode
  /** Content below the table. It scrolls with it, so all rows are rendered. */
  readonly children?: ReactNode
}) {
  const { state, title, about, legend, columns, none, hints, figures, children } = props
  const { list, total, isPending, search, table, select, selected, openFirst, onEndReached } = state
  const { group, noun, idOf } = list
  const isWindowed = children === undefined
  return (
    <>
      <Body scrolls={!isWindowed}>
        <section className={classes.intro}>
          <h2>{title ?? group}</h2>
          <p className="t2">{about}</p>
        </section>
        <ListFilters list={list} search={search} table={table} onEnter={openFirst} legend={legend} />
        {isPending ? (
          <Delayed>
            <ListTableSkeleton label={`Loading ${noun}s`} columns={columns} />
          </Delayed>
        ) : search.rows.length === 0 ? (
          <EmptyState
            title={none.title}
            actions={
              <Button onClick={search.clear}>
                Show all {total === undefined ? '' : formatNumber(total)}
              </Button>
            }
          >
            {none.detail}
          </EmptyState>
        ) : (
          <ListTable
            ref={table}
            label={group}
            columns={columns}
            rows={search.rows}
            idOf={idOf}
            selectedId={selected === undefined ? null : idOf(selected)}
            onSelect={select}
            isWindowed={isWindowed}
            rowCount={search.status === undefined ? search.count : undefined}
            onEndReached={onEndReached}
          />
        )}
        {children}
      </Body>
      <Foot hints={selected === undefined ? { updown: 'select', '/': 'filter', n: `new ${noun}` } : hints}>
        {!isPending && total !== undefined && (
          <span className="num">
            {formatCount(total, noun)}
            {figures}
          </span>
        )}
      </Foot>
    </>
  )
}

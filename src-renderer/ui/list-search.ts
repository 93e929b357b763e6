import { useStableOrder } from './stable-order.ts'

/** An order of a list. */
export type ListOrder<Row> = {
  readonly label: string
  readonly compare: (a: Row, b: Row) => number
  /** Whether rows move at once when they change. Events would move the rows of other orders all the time. */
  readonly isSteady?: boolean
}

/** How a list names, finds and orders its rows. */
export type ListDefinition<Row, State extends string, Sort extends string> = {
  /** The heading of the list and of its shortcuts: “Connections”. */
  readonly group: string
  /** One of them: “connection”. */
  readonly noun: string
  readonly placeholder: string
  readonly idOf: (row: Row) => string
  /** Returns the text that the filter searches. */
  readonly textOf: (row: Row) => string
  /** The first is the default. */
  readonly sorts: readonly Sort[]
  readonly orders: Readonly<Record<Sort, ListOrder<Row>>>
  readonly states: readonly State[]
  /** The name of the states, “Status” if omitted. */
  readonly statesName?: string
  readonly stateLabels: Readonly<Record<State, string>>
  /** A state that has a segment only if a link asks for it. */
  readonly linkedState?: State
  /** Returns whether a row has a state; null while it is not known. */
  readonly isIn: (row: Row, state: State) => boolean | null
}

/** The state of a list in the address. */
export type ListPlace<State, Sort> = {
  readonly filter?: string | undefined
  readonly status?: State | undefined
  readonly sort?: Sort | undefined
}

export type ListSearch<Row, State extends string, Sort extends string> = ReturnType<
  typeof useListSearch<Row, State, Sort>
>

/**
 * Returns the rows that the address selects, and the functions that change the address.
 *
 * @param change replaces parts of the address.
 */
export function useListSearch<Row, State extends string, Sort extends string>(
  list: ListDefinition<Row, State, Sort>,
  all: readonly Row[],
  isPending: boolean,
  place: ListPlace<State, Sort>,
  change: (next: ListPlace<State, Sort>) => void,
) {
  const { filter = '', status, sort = list.sorts[0] } = place
  const order = sort && list.orders[sort]
  const sorted = order ? all.toSorted(order.compare) : all
  const { order: ids, resetOrder } = useStableOrder(sorted.map(list.idOf), sort ?? '', isPending)
  const byId = new Map(all.map(row => [list.idOf(row), row]))
  const ordered = order?.isSteady === true ? sorted : ids.flatMap(id => byId.get(id) ?? [])
  const matching = filterRows(ordered, filter, list.textOf)
  function countOf(state: State): number | undefined {
    const found = matching.map(row => list.isIn(row, state))
    return isPending || found.includes(null) ? undefined : found.filter(Boolean).length
  }
  const segments = list.states
    .filter(state => state !== list.linkedState || state === status)
    .map(state => ({ state, label: list.stateLabels[state], count: countOf(state) }))
  return {
    filter,
    status,
    sort,
    segments,
    /** The number of rows that match the filter, of every status. */
    count: isPending ? undefined : matching.length,
    rows: status === undefined ? matching : matching.filter(row => list.isIn(row, status) === true),
    setFilter: (text: string) => change({ filter: text === '' ? undefined : text }),
    setStatus: (state: State | undefined) => change({ status: state }),
    setSort(next: Sort) {
      resetOrder()
      change({ sort: next === list.sorts[0] ? undefined : next })
    },
    clear: () => change({ filter: undefined, status: undefined }),
  }
}

/** Returns the rows with every word of the filter in their text. */
export function filterRows<Row>(
  rows: readonly Row[],
  filter: string,
  textOf: (row: Row) => string,
): readonly Row[] {
  const words = filter.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return rows
  return rows.filter(row => {
    const text = textOf(row).toLocaleLowerCase()
    return words.every(word => text.includes(word))
  })
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Compares names as people order them: “Billing 9” before “billing 10”. */
export const byName = (a: { readonly name: string }, b: { readonly name: string }) =>
  collator.compare(a.name, b.name)

/** Compares ISO times, newest first and missing ones last. */
export const byMoment = (a = '', b = '') => (a === b ? 0 : a < b ? 1 : -1)

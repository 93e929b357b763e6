import { useStableOrder } from './stable-order.ts'

/** An order of a list. */
export type ListOrder<Row> = {
  readonly label: string
  /** Left out of a list that the service orders. */
  readonly compare?: (a: Row, b: Row) => number
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
  /** Returns the text that the filter searches. Left out of a list that the service filters. */
  readonly textOf?: (row: Row) => string
  /** The first is the default. */
  readonly sorts: readonly Sort[]
  readonly orders: Readonly<Record<Sort, ListOrder<Row>>>
  readonly states: readonly State[]
  /** The name of the states, “Status” if omitted. */
  readonly statesName?: string
  readonly stateLabels: Readonly<Record<State, string>>
  /** A state that has a segment only if a link asks for it. */
  readonly linkedState?: State
  /** Returns whether a row has a state; null while it is not known. Left out of a list that the service filters. */
  readonly isIn?: (row: Row, state: State) => boolean | null
}

/** A list of which all rows are here. */
export type LocalList<Row, State extends string, Sort extends string> = ListDefinition<Row, State, Sort> &
  Required<Pick<ListDefinition<Row, State, Sort>, 'textOf' | 'isIn'>> & {
    readonly orders: Readonly<Record<Sort, Required<Pick<ListOrder<Row>, 'compare'>>>>
  }

/** The state of a list in the address. */
export type ListPlace<State, Sort> = {
  readonly filter?: string | undefined
  readonly status?: State | undefined
  readonly sort?: Sort | undefined
}

/** A list that the service filters, orders and counts. */
export type RemoteList<State extends string> = {
  /** Undefined while unknown. */
  readonly counts:
    | { readonly all: number; readonly matching: number; readonly states: Readonly<Record<State, number>> }
    | undefined
  /** How many pages of its rows were read. */
  readonly pages: number
  /** Whether the rows are those of another selection, until its own are read. */
  readonly isOther: boolean
  /** Reads the next page, if there is one. */
  readonly onEndReached: () => void
  /** Reads the pages again, in the present order. */
  readonly readAgain: () => Promise<unknown>
  /** Forgets the pages of other selections, whose order may have changed since they were read. */
  readonly forgetOthers: () => void
}

export type ListSearch<Row, State extends string, Sort extends string> = ReturnType<
  typeof useListSearch<Row, State, Sort>
>

/**
 * Returns the rows that the address selects, and the functions that change the address.
 *
 * @param change replaces parts of the address.
 * @param remote undefined for a list of which all rows are here.
 */
export function useListSearch<Row, State extends string, Sort extends string>(
  list: ListDefinition<Row, State, Sort>,
  all: readonly Row[],
  isPending: boolean,
  place: ListPlace<State, Sort>,
  change: (next: ListPlace<State, Sort>) => void,
  remote?: RemoteList<State>,
) {
  const { filter = '', status, sort = list.sorts[0] } = place
  const order = sort && list.orders[sort]
  const sorted = order?.compare === undefined ? all : all.toSorted(order.compare)
  const selection = remote === undefined ? sort : [sort, status, filter].join(' ')
  const { order: ids, resetOrder } = useStableOrder(
    sorted.map(list.idOf),
    selection ?? '',
    isPending || remote?.isOther === true,
    remote?.pages,
  )
  const byId = new Map(all.map(row => [list.idOf(row), row]))
  const ordered = order?.isSteady === true ? sorted : ids.flatMap(id => byId.get(id) ?? [])
  const matching = list.textOf === undefined ? ordered : filterRows(ordered, filter, list.textOf)
  function countOf(state: State): number | undefined {
    if (remote !== undefined) return remote.counts?.states[state]
    const found = matching.map(row => list.isIn?.(row, state) ?? null)
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
    count: remote !== undefined ? remote.counts?.matching : isPending ? undefined : matching.length,
    rows:
      status === undefined || list.isIn === undefined
        ? matching
        : matching.filter(row => list.isIn?.(row, status) === true),
    setFilter: (text: string) => change({ filter: text === '' ? undefined : text }),
    setStatus: (state: State | undefined) => change({ status: state }),
    setSort(next: Sort) {
      if (remote !== undefined && next === sort) return void remote.readAgain().then(resetOrder)
      remote?.forgetOthers()
      change({ sort: next === list.sorts[0] ? undefined : next })
      if (remote === undefined) resetOrder()
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

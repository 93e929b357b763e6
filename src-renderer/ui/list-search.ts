import { type AnyPlace, addressOf, cleared, type Filter, type Filters, isNarrowed, oneOf } from './filters.ts'
import { optionsOf } from './options-of.ts'
import { useStableOrder } from './stable-order.ts'

/** An order of a list. */
export type ListOrder<Row> = {
  readonly label: string
  /** Left out of a list that the service orders. */
  readonly compare?: (a: Row, b: Row) => number
  /** Whether rows move at once when they change. Events would move the rows of other orders all the time. */
  readonly isSteady?: boolean
}

export type RowFilter<Row> = Filter & {
  /** Returns whether a row passes; null while it is not known. Left out of a list that the service filters. */
  isIn?(row: Row, value: string): boolean | null
  readonly placeholder?: string
  /** Returns the text that is searched. Left out of a list that the service filters. */
  textOf?(row: Row): string
  /** The name of the segments, “Status” if omitted. */
  readonly name?: string
  /** A choice that has a segment only if a link asks for it. */
  readonly linked?: string
}

/** How a list names, finds and orders its rows. */
export type ListDefinition<Row> = {
  /** The heading of the list and of its shortcuts: “Connections”. */
  readonly group: string
  /** One of them: “connection”. */
  readonly noun: string
  idOf(row: Row): string
  readonly filters: {
    /** The field for a text. */
    readonly filter: RowFilter<Row> & { readonly placeholder: string }
    /** The segments. */
    readonly status: RowFilter<Row> & { readonly labels: Readonly<Record<string, string>> }
    readonly [name: string]: RowFilter<Row>
  }
  /** The first is the default. */
  readonly orders: Readonly<Record<string, ListOrder<Row>>>
}

type Orders = Readonly<Record<string, unknown>>

/** Returns the names of the orders. The first is the default. */
export const sortsOf = <Of extends Orders>(orders: Of) => optionsOf(orders).map(({ value }) => value)

/** Returns the fields of the address of a list: its filters and its order. */
export const listAddress = <F extends Filters, O extends Orders>(list: {
  readonly filters: F
  readonly orders: O
}) => ({ ...addressOf(list.filters), sort: oneOf(sortsOf(list.orders)) })

/** A list that the service filters, orders and counts. */
export type RemoteList = {
  /** Undefined while unknown. */
  readonly counts:
    | { readonly all: number; readonly matching: number; readonly states: Readonly<Record<string, number>> }
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

export type ListSearch<Row> = ReturnType<typeof useListSearch<Row>>

/**
 * Returns the rows that the address selects, and the functions that change the address.
 *
 * @param change replaces parts of the address.
 * @param remote undefined for a list of which all rows are here.
 */
export function useListSearch<Row>(
  list: ListDefinition<Row>,
  all: readonly Row[],
  isPending: boolean,
  place: AnyPlace,
  change: (next: AnyPlace) => void,
  remote?: RemoteList,
) {
  const [firstSort = ''] = sortsOf(list.orders)
  const { filter = '', status, sort = firstSort } = place
  const { filter: _field, status: segmented, ...menus } = list.filters
  const order = list.orders[sort]
  const sorted = order?.compare === undefined ? all : all.toSorted(order.compare)
  const selection = [sort, ...Object.keys(list.filters).map(name => place[name])].join(' ')
  const { order: ids, resetOrder } = useStableOrder(
    sorted.map(row => list.idOf(row)),
    remote === undefined ? sort : selection,
    isPending || remote?.isOther === true,
    remote?.pages,
  )
  const byId = new Map(all.map(row => [list.idOf(row), row]))
  const ordered = order?.isSteady === true ? sorted : ids.flatMap(id => byId.get(id) ?? [])
  const { matching, rows } = selectRows(list, ordered, place)
  // The service does not count by the filters of menus.
  const counts = isNarrowed(menus, place) ? undefined : remote?.counts
  function countOf(state: string): number | undefined {
    if (remote !== undefined) return counts?.states[state]
    const known = matching.map(row => segmented.isIn?.(row, state) ?? null)
    return isPending || known.includes(null) ? undefined : known.filter(Boolean).length
  }
  const segments = optionsOf(segmented.labels)
    .filter(({ value }) => value !== segmented.linked || value === status)
    .map(segment => ({ ...segment, count: countOf(segment.value) }))
  return {
    place,
    change,
    filter,
    status,
    sort,
    segments,
    /** The number of rows that match the filter, of every status. */
    count: remote !== undefined ? counts?.matching : isPending ? undefined : matching.length,
    rows,
    setFilter: (text: string) => change({ filter: text === '' ? undefined : text }),
    setStatus: (state: string | undefined) => change({ status: state }),
    setSort(next: string) {
      if (remote !== undefined && next === sort) return void remote.readAgain().then(resetOrder)
      remote?.forgetOthers()
      change({ sort: next === firstSort ? undefined : next })
      if (remote === undefined) resetOrder()
    },
    clear: () => change(cleared(list.filters)),
  }
}

/** Returns the rows that match the filters, of every status and of the one in the address. */
export function selectRows<Row>(list: ListDefinition<Row>, all: readonly Row[], place: AnyPlace) {
  const { filter, status, ...menus } = list.filters
  const passes = (row: Row, { isIn }: RowFilter<Row>, value: string | undefined) =>
    isIn === undefined || value === undefined || isIn(row, value) === true
  const found = filter.textOf === undefined ? all : filterRows(all, place.filter ?? '', filter.textOf)
  const matching = found.filter(row =>
    Object.entries(menus).every(([name, menu]) => passes(row, menu, place[name])),
  )
  return { matching, rows: matching.filter(row => passes(row, status, place.status)) }
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

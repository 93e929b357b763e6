import type { ConnectionRow } from './use-connections.ts'

/** The ways the list can be sorted; the first is what it begins with. */
export const connectionSorts = ['last-event', 'name', 'events', 'created'] as const
export type ConnectionSort = (typeof connectionSorts)[number]

/** As the list's menu names them. */
export const sortLabels: Readonly<Record<ConnectionSort, string>> = {
  'last-event': 'Last event',
  name: 'Name',
  events: 'Events in 24 hours',
  created: 'Newest first',
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Newest first by ISO moments, what has none last. */
function byMoment(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0
  if (a === undefined) return 1
  if (b === undefined) return -1
  return a < b ? 1 : -1
}

const orders: Readonly<Record<ConnectionSort, (a: ConnectionRow, b: ConnectionRow) => number>> = {
  'last-event': (a, b) =>
    byMoment(a.statistics?.lastEvent?.at, b.statistics?.lastEvent?.at) || byMoment(a.createdAt, b.createdAt),
  name: (a, b) => collator.compare(a.name, b.name),
  events: (a, b) => (b.statistics?.accepted ?? 0) - (a.statistics?.accepted ?? 0) || orders.name(a, b),
  created: (a, b) => byMoment(a.createdAt, b.createdAt),
}

export function sortConnections(rows: readonly ConnectionRow[], sort: ConnectionSort): ConnectionRow[] {
  return rows.toSorted(orders[sort])
}

/** Those that have every word of the filter in their name, base URL or the name of their last event. */
export function filterConnections(rows: readonly ConnectionRow[], filter: string): readonly ConnectionRow[] {
  const words = filter.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return rows
  return rows.filter(({ name, baseUrl, statistics }) => {
    const text = [name, baseUrl, statistics?.lastEvent?.eventName].join('\n').toLocaleLowerCase()
    return words.every(word => text.includes(word))
  })
}

/**
 * The order of rows on the screen: what is there stays where it is, however often events arrive, and what is
 * new comes first (design: nothing moves unless asked).
 *
 * @param before ids as they stand; null before the first sort and after another order is chosen.
 * @param sorted ids in the order asked for.
 */
export function stableOrder(before: readonly string[] | null, sorted: readonly string[]): readonly string[] {
  if (before === null) return sorted
  const known = new Set(before)
  const present = new Set(sorted)
  return [...sorted.filter(id => !known.has(id)), ...before.filter(id => present.has(id))]
}

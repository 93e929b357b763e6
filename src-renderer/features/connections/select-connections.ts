import type { ConnectionRow } from './use-connections.ts'

/** The orders of the list. The first is the default. */
export const connectionSorts = ['last-event', 'name', 'events', 'created'] as const
export type ConnectionSort = (typeof connectionSorts)[number]

export const sortLabels: Readonly<Record<ConnectionSort, string>> = {
  'last-event': 'Last event',
  name: 'Name',
  events: 'Events in 24 hours',
  created: 'Newest first',
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Compares ISO times, newest first and missing ones last. */
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

/** Returns the rows with every word of the filter in the name, the base URL or the name of the last event. */
export function filterConnections(rows: readonly ConnectionRow[], filter: string): readonly ConnectionRow[] {
  const words = filter.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return rows
  return rows.filter(({ name, baseUrl, statistics }) => {
    const text = [name, baseUrl, statistics?.lastEvent?.eventName].join('\n').toLocaleLowerCase()
    return words.every(word => text.includes(word))
  })
}

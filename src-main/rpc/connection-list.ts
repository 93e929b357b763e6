import { z } from 'zod'
import { countTools } from '#main/assistant/tools.ts'
import { listConnections, unknownAfter } from '#main/connections/connection-order.ts'
import { summaryOf } from '#main/connections/connections.ts'
import type { CountsSummary } from '#main/history/statistics/connection-counts.ts'
import { type Matchers, matcherOf } from '#main/lib/matcher.ts'
import { createTimeSlices } from '#main/lib/time-slices.ts'
import type { ConnectionRecord } from '#main/storage/config.ts'
import type { ConnectionSearch, ConnectionSort } from '#shared/model/connection-list.ts'
import { ConnectionState, type ConnectionStatus, percentOf } from '#shared/model/connection-status.ts'
import type { Handlers, RpcParts } from './context.ts'

/** Milliseconds for which a list blocks the event loop. */
const sliceMs = 3
const lookedAtOnce = 200

/** The place of a connection in an order: a number, the largest first, then a text, then the id. */
const Place = z.tuple([z.number(), z.string(), z.string()])
type Place = z.infer<typeof Place>
type Row = { readonly record: ConnectionRecord; readonly place: Place }

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })
const newestFirst = (a: string, b: string) => (a === b ? 0 : a < b ? 1 : -1)

/** The counts of a connection in the last 24 hours, and how it is doing. */
type Facts = { readonly summary: CountsSummary; readonly status: ConnectionStatus }

type Order = {
  readonly placeOf: (record: ConnectionRecord, facts: Facts) => Place
  readonly compareTexts: (a: string, b: string) => number
}
const orders: Readonly<Record<ConnectionSort, Order>> = {
  'last-event': {
    placeOf: ({ createdAt, connectionId }, { summary: { lastEventAt } }) => [
      lastEventAt,
      createdAt,
      connectionId,
    ],
    compareTexts: newestFirst,
  },
  worst: {
    placeOf: ({ name, connectionId }, { status }) => [
      badness(status),
      `${mostCounted - status.count} ${name}`,
      connectionId,
    ],
    compareTexts: collator.compare,
  },
  name: { placeOf: ({ name, connectionId }) => [0, name, connectionId], compareTexts: collator.compare },
  events: {
    placeOf: ({ name, connectionId }, { summary: { accepted } }) => [accepted, name, connectionId],
    compareTexts: collator.compare,
  },
  created: {
    placeOf: ({ createdAt, connectionId }) => [0, createdAt, connectionId],
    compareTexts: newestFirst,
  },
  oldest: {
    placeOf: ({ createdAt, connectionId }) => [0, createdAt, connectionId],
    compareTexts: (a, b) => newestFirst(b, a),
  },
}

/** More than any count, so that the texts of larger ones come first. */
const mostCounted = 1e12

/** Orders by the state, the worst first, then by the share that fails, in percent. */
function badness({ state, count, of }: ConnectionStatus): number {
  const states = ConnectionState.options
  return (states.length - states.indexOf(state)) * 1000 + percentOf({ failed: count, total: of })
}

/** The filters besides those that name the connections. */
type Filters = Omit<ConnectionSearch, 'workspaceId' | 'connectionIds'>

/** The list of connections of the dashboard: found, filtered and ordered here, and read in pages. */
export function connectionList({
  store,
  statistics,
}: Pick<RpcParts, 'store' | 'statistics'>): Pick<Handlers['connections'], 'rows' | 'figures'> {
  const slices = createTimeSlices({ sliceMs, isBusy: () => false })

  async function each<Item>(items: readonly Item[], look: (item: Item) => void): Promise<void> {
    for (let start = 0; start < items.length; start += lookedAtOnce)
      await slices.run(() => items.slice(start, start + lookedAtOnce).forEach(look))
  }

  function factsOf(connectionId: string): Facts {
    const summary = statistics.summary(connectionId)
    return { summary, status: statistics.status(connectionId, summary) }
  }

  return {
    async rows({ input: { workspaceId, connectionIds, sort, limit, after, ...wanted } }) {
      const config = store.snapshot()
      const ids = connectionIds && new Set(connectionIds)
      const isFound = textMatcher(wanted.text)
      const filters: Matchers<Filters, { record: ConnectionRecord } & Facts> = {
        storing: storing => one => one.record.persistEvents === storing,
        state: states => one => states.includes(one.status.state),
        text: () => one => isFound(one.record, one.summary),
      }
      const isWanted = matcherOf(filters, wanted)
      const candidates =
        ids === undefined
          ? listConnections(config, workspaceId)
          : [...ids]
              .flatMap(id => config.connections.get(id) ?? [])
              .filter(one => (workspaceId ?? one.workspaceId) === one.workspaceId)
      const first = createFirstOf(orders[sort], limit + 1, after)
      await each(candidates, record => {
        const facts = factsOf(record.connectionId)
        if (isWanted({ record, ...facts })) first.add(record, facts)
      })
      const rows = first.rows()
      const page = rows.slice(0, limit)
      return {
        connections: page.map(({ record }) => ({
          ...summaryOf(record),
          statistics: statistics.of(record.connectionId),
        })),
        nextAfter: rows.length > limit ? JSON.stringify(page.at(-1)?.place) : null,
      }
    },
    async figures({ input: { workspaceId, text } }) {
      const isFound = textMatcher(text)
      const states = { failing: 0, rejecting: 0, attention: 0, receiving: 0, silent: 0, disabled: 0 }
      const figures = { total: 0, eventTypes: 0, tools: 0, found: 0, accepted: 0, calls: 0 }
      await each(listConnections(store.snapshot(), workspaceId), record => {
        const { summary, status } = factsOf(record.connectionId)
        figures.total++
        figures.eventTypes += record.eventTypes.length
        figures.tools += countTools(record)
        figures.accepted += summary.accepted
        figures.calls += summary.calls
        if (!isFound(record, summary)) return
        figures.found++
        states[status.state]++
      })
      return { ...figures, states }
    },
  }
}

/** Returns whether each word of a text is in what the list shows of a connection, or in its id. */
export function textMatcher(text = ''): (record: ConnectionRecord, summary?: CountsSummary) => boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return () => true
  return ({ name, baseUrl, connectionId }, summary) => {
    const searched = [name, baseUrl, connectionId, summary?.lastEventName].join('\n').toLowerCase()
    return words.every(word => searched.includes(word))
  }
}

function placeIn(after: string): Place {
  try {
    return Place.parse(JSON.parse(after))
  } catch {
    throw unknownAfter()
  }
}

/** Keeps the first rows of an order after a place. It looks at each row once, and keeps no others. */
function createFirstOf({ placeOf, compareTexts }: Order, count: number, after: string | undefined) {
  const start = after === undefined ? null : placeIn(after)
  const compare = (a: Place, b: Place) => b[0] - a[0] || compareTexts(a[1], b[1]) || newestFirst(a[2], b[2])
  const found: Row[] = []
  return {
    add(record: ConnectionRecord, facts: Facts) {
      const place = placeOf(record, facts)
      if (start !== null && compare(place, start) <= 0) return
      const last = found[count - 1]
      if (last !== undefined && compare(place, last.place) >= 0) return
      let low = 0
      for (let high = found.length; low < high; ) {
        const middle = (low + high) >> 1
        const other = found[middle]
        if (other !== undefined && compare(other.place, place) < 0) low = middle + 1
        else high = middle
      }
      found.splice(low, 0, { record, place })
      if (found.length > count) found.pop()
    },
    rows: (): readonly Row[] => found,
  }
}

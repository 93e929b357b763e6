import { createSerialQueue } from '#main/lib/serial-queue.ts'
import {
  dayHours,
  type HourCountStore,
  type HourRange,
  mostHourRows,
  partsOf,
} from '#main/storage/hour-count-store.ts'
import { mostPairs, type PairCounts, sumPairs } from '#main/storage/hour-counts.ts'
import { type CallEdge, type EdgeList, type EventEdge, mostEdges } from '#shared/model/edges.ts'
import type { HourlyCounts } from './hour-counts.ts'

/** Reads what started what, and called what, from the counts of hours. */
export type Edges = ReturnType<typeof createEdges>

type EdgesParts = {
  readonly counts: Pick<HourCountStore, 'readPairs' | 'summedDays'>
  readonly hourlyCounts: Pick<HourlyCounts, 'firstHeld' | 'heldPairs'>
  /** The id of this node. */
  readonly node: string
}

type PairsByConnection = ReadonlyMap<string, PairCounts>

/** The sum up to an hour. */
type Settled = { readonly until: number; readonly sum: Promise<PairsByConnection> }

/** Pairs that are kept in memory for one list of connections and one range, and for one connection at least. */
const mostKept = 20_000
const leastOfConnection = 20
/** The hours of a day, and those around it. */
const longDay = dayHours + 2
/** How many sums are kept. */
const mostSums = 8

/**
 * Creates the reader of edges. Hours that are over do not change, so their sum is kept in memory and goes on with each
 * further hour; the present hour is added to it.
 */
export function createEdges({ counts, hourlyCounts, node }: EdgesParts) {
  // What reads 30 days does not hold up what reads one.
  const [ofDay, ofDays] = [createSerialQueue(), createSerialQueue()]
  const sums = new Map<string, Settled>()

  /** Reads the pairs of connections, as many rows at a time as do not hold up others. */
  async function sumOf(ids: readonly string[], range: HourRange, except: string | null) {
    const parts = partsOf(range, await counts.summedDays())
    const rows = parts.reduce(
      (sum, { from, until, byDay }) => sum + (until - from) / (byDay ? dayHours : 1),
      0,
    )
    const atOnce = Math.max(1, Math.floor(mostHourRows / rows))
    const sum = new Map<string, PairCounts>()
    for (let from = 0; from < ids.length && rows > 0; from += atOnce)
      for (const [id, pairs] of await counts.readPairs(ids.slice(from, from + atOnce), parts, except))
        sum.set(id, pairs)
    return sum
  }

  /** Reads a sum, or only the hours that are over since it was read last. */
  async function extended(ids: readonly string[], range: HourRange, known: Settled | undefined) {
    const before = known !== undefined && known.until <= range.until ? known : null
    const from = before?.until ?? range.from
    const [sum, more] = [await before?.sum, await sumOf(ids, { from, until: range.until }, null)]
    if (sum === undefined) return bounded(more, ids.length)
    const all = ids.map(id => [id, added([sum.get(id), more.get(id)])] as const)
    return bounded(new Map(all), ids.length)
  }

  /** Returns the sum of hours that are over, from memory if it is there. */
  function settled(ids: readonly string[], range: HourRange): Promise<PairsByConnection> {
    const key = `${range.from} ${ids.join()}`
    const known = sums.get(key)
    sums.delete(key)
    const inTurn = range.until - range.from > longDay ? ofDays : ofDay
    const isCurrent = known?.until === range.until
    const sum = isCurrent ? known.sum : inTurn(() => extended(ids, range, known))
    const settled = isCurrent ? known : { until: range.until, sum }
    sums.set(key, settled)
    for (const oldest of sums.keys()) if (sums.size > mostSums) sums.delete(oldest)
    return sum.catch(error => {
      if (sums.get(key) === settled) sums.delete(key)
      throw error
    })
  }

  return {
    /** Returns what the events of these connections started, and what called their actions. */
    async read(ids: readonly string[], range: HourRange): Promise<EdgeList> {
      const firstHeld = Math.max(range.from, await hourlyCounts.firstHeld())
      const held = { from: firstHeld, until: range.until }
      // Before anything is read: an hour may be over meanwhile, and go out of memory.
      const own = new Map(ids.map(id => [id, added(hourlyCounts.heldPairs(id, held))]))
      const over = await settled(ids, { from: range.from, until: firstHeld })
      const ofOthers = await sumOf(ids, held, node)
      return edgesOf(new Map(ids.map(id => [id, added([over.get(id), ofOthers.get(id), own.get(id)])])))
    },
  }
}

const added = (parts: readonly (PairCounts | undefined)[]) =>
  sumPairs(parts.filter(part => part !== undefined))

/** Keeps the pairs with the most failures and the most events or calls. */
function bounded(sum: PairsByConnection, connections: number): PairsByConnection {
  const most = Math.min(mostPairs, Math.max(leastOfConnection, Math.floor(mostKept / connections)))
  const cut = (pairs: PairCounts['started']) =>
    Object.fromEntries(
      Object.entries(pairs)
        .sort(([, one], [, other]) => other[1] - one[1] || other[0] - one[0])
        .slice(0, most),
    )
  return new Map(
    Array.from(sum, ([id, pairs]) => {
      const { started, called, limited } = pairs
      const isCut = [started, called].some(of => Object.keys(of).length > most)
      return [
        id,
        isCut ? { started: cut(started), called: cut(called), limited: true } : { ...pairs, limited },
      ]
    }),
  )
}

/** Returns the edges of pairs, those with the most failures first, at most `mostEdges` of a kind. */
export function edgesOf(pairs: PairsByConnection): EdgeList {
  const events: EventEdge[] = []
  const calls: CallEdge[] = []
  let limited = false
  for (const [connectionId, counts] of pairs) {
    limited ||= counts.limited
    for (const [key, [count, failed]] of Object.entries(counts.started)) {
      const [workflowId, eventName] = split(key)
      const runs = workflowId === '' ? 0 : count
      events.push({ connectionId, eventName, workflowId: workflowId || null, events: count, runs, failed })
    }
    for (const [key, [count, failed]] of Object.entries(counts.called)) {
      const [caller, toolName] = split(key)
      const client = caller === 'client'
      calls.push({
        ...{ connectionId, toolName, workflowId: client ? null : caller || null },
        ...{ client, calls: count, failed },
      })
    }
  }
  events.sort((one, other) => other.failed - one.failed || other.events - one.events)
  calls.sort((one, other) => other.failed - one.failed || other.calls - one.calls)
  return {
    events: events.slice(0, mostEdges),
    calls: calls.slice(0, mostEdges),
    limited: limited || Math.max(events.length, calls.length) > mostEdges,
  }
}

/** Returns both parts of the key of a pair. Only the second one has spaces. */
function split(key: string): readonly [string, string] {
  const at = key.indexOf(' ')
  return [key.slice(0, at), key.slice(at + 1)]
}

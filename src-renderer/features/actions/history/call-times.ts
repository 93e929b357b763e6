import type { Hour } from '../../../ui/hour-bar-heights.ts'

/** The times of some calls in bars of equal width on a logarithmic scale, in milliseconds. */
export type TimeBars = {
  /** One more than there are bars. */
  readonly edges: readonly number[]
  readonly bars: readonly Hour[]
}

type Timed = { readonly totalMs: number; readonly ok: boolean }

/** Bars per decade, the finest first. */
const grids = [100, 50, 20, 10, 5] as const
const most = 48
const fewest = 12
/** Nothing is faster; a logarithm has no zero. */
const shortest = 0.1

/**
 * Returns bars of calls by how long they took. The edges are on a fixed grid, so that another call moves them only if it
 * is outside of them.
 */
export function timeBars(calls: readonly Timed[]): TimeBars | null {
  if (calls.length === 0) return null
  const logs = calls.map(({ totalMs }) => Math.log10(Math.max(shortest, totalMs)))
  const [least, longest] = [Math.min(...logs), Math.max(...logs)]
  const perDecade = grids.find(grid => (longest - least) * grid < most - 2) ?? 5
  const low = Math.floor(least * perDecade)
  const count = Math.floor(longest * perDecade) + 1 - low
  const missing = Math.max(0, fewest - count)
  const first = low - Math.floor(missing / 2)
  const size = count + missing
  const bars = Array.from({ length: size }, () => ({ good: 0, bad: 0 }))
  calls.forEach(({ ok }, index) => {
    const bar = bars[Math.floor((logs[index] ?? 0) * perDecade) - first]
    if (bar !== undefined) bar[ok ? 'good' : 'bad'] += 1
  })
  return {
    edges: Array.from({ length: size + 1 }, (_, index) => 10 ** ((first + index) / perDecade)),
    bars,
  }
}

/** Returns where a time is between the edges, from 0 to 1. */
export function placeOfTime(edges: readonly number[], ms: number): number {
  const [from = 1, to = 1] = [edges[0], edges.at(-1)]
  const place = Math.log(Math.max(shortest, ms) / from) / Math.log(to / from)
  return Math.min(1, Math.max(0, place))
}

/** Returns the index of the edge that is nearest to a time. */
export function edgeOfTime(edges: readonly number[], ms: number): number {
  return Math.round(placeOfTime(edges, ms) * (edges.length - 1))
}

/** Returns the time that a share of calls did not exceed; null without calls. */
export function timeOfShare(calls: readonly Timed[], share: number): number | null {
  const times = calls.map(({ totalMs }) => totalMs).sort((one, other) => one - other)
  return times[Math.max(0, Math.ceil(times.length * share) - 1)] ?? null
}

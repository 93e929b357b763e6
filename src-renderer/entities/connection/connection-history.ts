import { z } from 'zod'
import { hourMs } from '#shared/durations.ts'
import { connectionThresholds } from '#shared/model/alert.ts'
import { isFailing } from '#shared/model/connection-status.ts'
import type { HourStatistics } from '#shared/model/hour-statistics.ts'
import { formatDay, formatHourMinute } from '../../ui/format.ts'
import type { Hour, HourWords } from '../../ui/hour-bar-heights.ts'

export const eventWords: HourWords = { of: 'Events', good: 'accepted', bad: 'rejected' }
export const callWords: HourWords = { of: 'Calls', good: 'succeeded', bad: 'failed' }

/** How long the history is that is shown. */
export const HistoryRange = z.enum(['day', 'week', 'month'])
export type HistoryRange = z.infer<typeof HistoryRange>

type Range = {
  readonly label: string
  readonly over: string
  /** Names one bar. */
  readonly each: string
  /** The hours of a bar, and how many bars there are. */
  readonly size: number
  readonly count: number
}

export const historyRanges: Readonly<Record<HistoryRange, Range>> = {
  day: { label: '24 h', over: 'the last 24 hours', each: 'hour', size: 1, count: 24 },
  week: { label: '7 d', over: 'the last 7 days', each: '6 hours', size: 6, count: 28 },
  month: { label: '30 d', over: 'the last 30 days', each: 'day (UTC)', size: 24, count: 30 },
}

/** Returns the start of the first bar, in milliseconds since 1970. Bars begin at full hours in UTC. */
export function historyStart(range: HistoryRange, now: number): number {
  const { size, count } = historyRanges[range]
  const sizeMs = size * hourMs
  return (Math.floor(now / sizeMs) - count + 1) * sizeMs
}

export type Bar = { readonly events: Hour; readonly calls: Hour; readonly failedRuns: number }

/**
 * Returns the bars of a history, oldest first; null where nothing is known.
 *
 * @param keptFrom the first hour that is known, in milliseconds since 1970.
 */
export function historyBars(
  hours: readonly HourStatistics[],
  range: HistoryRange,
  start: number,
  keptFrom: number,
): (Bar | null)[] {
  const { size, count } = historyRanges[range]
  const sizeMs = size * hourMs
  return Array.from({ length: count }, (_, index) => {
    const from = start + index * sizeMs
    if (from + sizeMs <= keptFrom) return null
    const within = hours.filter(hour => {
      const at = Date.parse(hour.from)
      return at >= from && at < from + sizeMs
    })
    const sum = (of: (hour: HourStatistics) => number) => within.reduce((total, hour) => total + of(hour), 0)
    const ok = sum(({ calls }) => calls['2xx'] ?? 0)
    return {
      events: { good: sum(hour => hour.accepted + hour.repeated), bad: sum(hour => total(hour.refused)) },
      calls: { good: ok, bad: sum(({ calls }) => total(calls)) - ok },
      failedRuns: sum(({ runs }) => runs.failed),
    }
  })
}

/** Returns the first of the newest bars with failing calls, without one in between whose calls succeed; null for none. */
export function failingFrom(bars: readonly (Pick<Bar, 'calls'> | null)[]): number | null {
  let from: number | null = null
  for (const [index, bar] of [...bars.entries()].reverse()) {
    const share = { failed: bar?.calls.bad ?? 0, total: (bar?.calls.bad ?? 0) + (bar?.calls.good ?? 0) }
    if (share.total === 0) continue
    if (!isFailing(share, connectionThresholds.callsFailing.percent, 1)) return from
    from = index
  }
  return from
}

const total = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

/** Returns when a bar was: “21 Nov, 14:00 to 15:00”, or “21 Nov” for a day. */
export function barTime(range: HistoryRange, from: number): string {
  const { size } = historyRanges[range]
  if (size === 24) return formatDay(new Date(from + 12 * hourMs))
  const [start, end] = [new Date(from), new Date(from + size * hourMs)]
  return `${formatDay(start)}, ${formatHourMinute(start)} to ${formatHourMinute(end)}`
}

import { hourMs } from '#shared/durations.ts'
import { formatNumber, formatSpan } from './format.ts'

/** The numbers of good and bad outcomes in an hour. */
export type Hour = { readonly good: number; readonly bad: number }

/** Names the two parts: “Events”, “accepted”, “rejected”. */
export type HourWords = { readonly of: string; readonly good: string; readonly bad: string }

/** Returns the bars of some hours, their parts in whole pixels. The busiest hour has the given height. */
export function hourBars(hours: readonly Hour[], height: number): Hour[] {
  const most = Math.max(1, ...hours.map(({ good, bad }) => good + bad))
  // Each part is at least two pixels high, so that it can be seen.
  const scaled = (count: number, room: number) =>
    count === 0 ? 0 : Math.min(room, Math.max(2, Math.round((count / most) * height)))
  return hours.map(({ good, bad }) => {
    const red = scaled(bad, height - (good === 0 ? 0 : 3))
    return { bad: red, good: scaled(good, height - (red === 0 ? 0 : red + 1)) }
  })
}

/** The height of the smaller direction at least, so that it can be seen. */
const leastDirection = 10

/** Returns the bars of events above an axis and of calls below it, in about the same scale, and where the axis is. */
export function directionBars(
  bars: readonly ({ readonly events: Hour; readonly calls: Hour } | null)[],
  height: number,
): { axis: number; events: Hour[]; calls: Hour[] } {
  const none = { good: 0, bad: 0 }
  const [events, calls] = [bars.map(bar => bar?.events ?? none), bars.map(bar => bar?.calls ?? none)]
  const most = (hours: readonly Hour[]) => Math.max(1, ...hours.map(({ good, bad }) => good + bad))
  const room = height - 1
  const wanted = Math.round((room * most(events)) / (most(events) + most(calls)))
  const axis = Math.max(leastDirection, Math.min(room - leastDirection, wanted))
  // One pixel is between the two parts of a bar.
  return { axis, events: hourBars(events, axis - 1), calls: hourBars(calls, room - axis - 1) }
}

/** Returns “14:00 to 15:00 · 92 accepted, 3 rejected”. The last index is the current hour. */
export function hourInWords(hours: readonly Hour[], index: number, now: number, words: HourWords): string {
  const start = (Math.floor(now / hourMs) - (hours.length - 1 - index)) * hourMs
  return `${formatSpan(start, start + hourMs)} · ${inWords(hours[index] ?? { good: 0, bad: 0 }, words)}`
}

/**
 * Describes the bars for screen readers: the sums, then each bar.
 *
 * @param hours null where nothing is known.
 */
export function hoursInWords(
  hours: readonly (Hour | null)[],
  words: HourWords,
  over = 'the last 24 hours',
  by = 'hour',
): string {
  const sum = (key: keyof Hour) => hours.reduce((total, hour) => total + (hour?.[key] ?? 0), 0)
  const sums = { good: sum('good'), bad: sum('bad') }
  const total = `${words.of} in ${over}: ${inWords(sums, words)}.`
  if (sums.good + sums.bad === 0) return total
  const each = hours.map(hour =>
    hour === null ? 'unknown' : hour.bad === 0 ? formatNumber(hour.good) : inWords(hour, words),
  )
  return `${total} By ${by}, oldest first: ${each.join('; ')}.`
}

export function inWords({ good, bad }: Hour, words: HourWords): string {
  return `${formatNumber(good)} ${words.good}${bad === 0 ? '' : `, ${formatNumber(bad)} ${words.bad}`}`
}

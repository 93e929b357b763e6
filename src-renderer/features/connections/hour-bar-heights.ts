import type { HourCounts } from '#shared/model/statistics.ts'
import { formatNumber, formatSpan } from '../../ui/format.ts'

/** The heights of an hour's bar in whole pixels. The rejected part is above the accepted part. */
type HourBar = { readonly accepted: number; readonly rejected: number }

/** Returns the bars of some hours. The busiest hour has the given height. */
export function hourBars(hours: readonly HourCounts[], height: number): HourBar[] {
  const most = Math.max(1, ...hours.map(({ accepted, rejected }) => accepted + rejected))
  // Each part is at least two pixels high, so that it can be seen.
  const scaled = (count: number, room: number) =>
    count === 0 ? 0 : Math.min(room, Math.max(2, Math.round((count / most) * height)))
  return hours.map(({ accepted, rejected }) => {
    const red = scaled(rejected, height - (accepted === 0 ? 0 : 3))
    return { rejected: red, accepted: scaled(accepted, height - (red === 0 ? 0 : red + 1)) }
  })
}

const hourMs = 60 * 60 * 1000

/** Returns “14:00 to 15:00 · 92 accepted, 3 rejected”. The last index is the current hour. */
export function hourInWords(hours: readonly HourCounts[], index: number, now: number): string {
  const start = (Math.floor(now / hourMs) - (hours.length - 1 - index)) * hourMs
  const { accepted, rejected } = hours[index] ?? { accepted: 0, rejected: 0 }
  return `${formatSpan(start, start + hourMs)} · ${inWords(accepted, rejected)}`
}

/** Describes the bars for screen readers: the sums, then each hour. */
export function hoursInWords(hours: readonly HourCounts[]): string {
  const sum = (key: 'accepted' | 'rejected') => hours.reduce((total, hour) => total + hour[key], 0)
  const total = `Events in the last 24 hours: ${inWords(sum('accepted'), sum('rejected'))}.`
  if (sum('accepted') + sum('rejected') === 0) return total
  const each = hours.map(({ accepted, rejected }) =>
    rejected === 0 ? formatNumber(accepted) : inWords(accepted, rejected),
  )
  return `${total} By hour, oldest first: ${each.join('; ')}.`
}

function inWords(accepted: number, rejected: number): string {
  return `${formatNumber(accepted)} accepted${rejected === 0 ? '' : `, ${formatNumber(rejected)} rejected`}`
}

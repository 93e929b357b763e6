import type { HourCounts } from '#shared/model/statistics.ts'
import { formatNumber, formatSpan } from '../../ui/format.ts'

/** Heights of one hour's bar, in whole pixels; rejected stands on accepted. Both 0 for an hour without any. */
type HourBar = { readonly accepted: number; readonly rejected: number }

/** @param height of the tallest bar: the busiest hour reaches it. */
export function hourBars(hours: readonly HourCounts[], height: number): HourBar[] {
  const most = Math.max(1, ...hours.map(({ accepted, rejected }) => accepted + rejected))
  // Whatever happened at all can be seen: two pixels at least, of both if there were both.
  const scaled = (count: number, room: number) =>
    count === 0 ? 0 : Math.min(room, Math.max(2, Math.round((count / most) * height)))
  return hours.map(({ accepted, rejected }) => {
    const red = scaled(rejected, height - (accepted === 0 ? 0 : 3))
    return { rejected: red, accepted: scaled(accepted, height - (red === 0 ? 0 : red + 1)) }
  })
}

const hourMs = 60 * 60 * 1000

/** “14:00 to 15:00: 92 accepted, 3 rejected”. @param index 23 is the hour that has begun. */
export function hourInWords(hours: readonly HourCounts[], index: number, now: number): string {
  const start = (Math.floor(now / hourMs) - (hours.length - 1 - index)) * hourMs
  const { accepted, rejected } = hours[index] ?? { accepted: 0, rejected: 0 }
  return `${formatSpan(start, start + hourMs)} · ${inWords(accepted, rejected)}`
}

/** What the bars show, for whoever does not see them: the sums, then hour by hour. */
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

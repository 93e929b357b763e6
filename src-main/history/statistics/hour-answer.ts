import { hundredth } from '#main/lib/hundredth.ts'
import type { HourRange } from '#main/storage/hour-count-store.ts'
import {
  addHour,
  answerBounds,
  callBounds,
  emptyHour,
  type HourCounts,
  isEmptyHour,
  quantileOf,
} from '#main/storage/hour-counts.ts'
import { hourMs } from '#shared/durations.ts'
import { ServiceError } from '#shared/errors.ts'
import { type HourStatistics, mostHours } from '#shared/model/hour-statistics.ts'
import { hoursShown } from '#shared/model/statistics.ts'
import { hourOf } from './hour-table.ts'

/**
 * Returns the hours that an answer has.
 *
 * @throws ServiceError `invalid_input` if there are none, or too many.
 */
export function rangeOf(
  { since, until }: { readonly since?: number | undefined; readonly until?: number | undefined },
  now: number,
): HourRange {
  const last = until ?? now + 1
  const end = Math.ceil(last / hourMs)
  if (since === undefined) return { from: end - hoursShown, until: end }
  if (since >= last) throw invalid('since', 'Must be before `until`.')
  if ((until ?? now) - since > mostHours * hourMs)
    throw invalid('since', `Must be at most ${mostHours} hours before \`until\`.`)
  return { from: Math.max(hourOf(since), end - mostHours), until: end }
}

const invalid = (path: string, message: string) =>
  new ServiceError('invalid_input', { data: { issues: [{ path, message }] } })

/** Returns counts by hour, or added up by day in UTC, without those of which there is nothing. */
export function answerOf(hours: ReadonlyMap<number, HourCounts>, by: 'hour' | 'day'): HourStatistics[] {
  const size = by === 'hour' ? 1 : 24
  const sums = new Map<number, HourCounts>()
  for (const [hour, counts] of hours) {
    const from = hour - (hour % size)
    const sum = sums.get(from) ?? emptyHour()
    addHour(sum, counts)
    sums.set(from, sum)
  }
  return Array.from(sums)
    .filter(([, counts]) => !isEmptyHour(counts))
    .sort(([one], [other]) => one - other)
    .map(([from, { accepted, repeated, duplicates, refused, calls, runs, answerMs, callMs }]) => ({
      from: momentOfHour(from),
      ...{ accepted, repeated, duplicates, refused, calls, runs },
      answerMs: durationsOf(answerMs, answerBounds),
      callMs: durationsOf(callMs, callBounds),
    }))
}

/** @param hour hours since 1970. */
export const momentOfHour = (hour: number) => new Date(hour * hourMs).toISOString()

function durationsOf(buckets: readonly number[], bounds: readonly number[]): HourStatistics['callMs'] {
  const [p50, p95] = [0.5, 0.95].map(share => quantileOf(buckets, bounds, share))
  return p50 == null || p95 == null ? null : { p50: hundredth(p50), p95: hundredth(p95) }
}

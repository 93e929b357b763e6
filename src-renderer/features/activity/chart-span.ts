import { dayMs } from '#shared/durations.ts'
import type { OccurrenceBucket } from '#shared/model/activity.ts'
import { historyRanges } from '../../entities/connection/connection-history.ts'
import { formatCount } from '../../ui/format.ts'

type ChartRange = {
  readonly label: string
  readonly over: string
  readonly ms: number
  readonly buckets: number
}

/** How far back the chart of the activity goes. */
export const chartRanges = {
  day: { ...historyRanges.day, ms: dayMs, buckets: 96 },
  week: { ...historyRanges.week, ms: 7 * dayMs, buckets: 84 },
  month: { ...historyRanges.month, ms: 30 * dayMs, buckets: 90 },
} as const satisfies Readonly<Record<string, ChartRange>>

/** The equal parts of a time, in milliseconds since 1970. */
export type Span = { readonly start: number; readonly width: number; readonly count: number }

/** Returns the parts of a range. They begin at full parts of an hour in UTC, so that they stay while time goes on. */
export function spanOf({ ms, buckets }: ChartRange, now: number): Span {
  const width = ms / buckets
  const end = Math.ceil(now / width) * width
  return { start: end - ms, width, count: buckets }
}

/** Parts of a span: from the first, up to the second without it. */
export type Brush = readonly [from: number, to: number]

type Period = { readonly since?: string | undefined; readonly until?: string | undefined }

/** Returns the parts of a span that a period covers; all of them for one that has no end. */
export function brushOf({ start, width, count }: Span, { since, until }: Period): Brush {
  const within = (part: number) => Math.max(0, Math.min(count, part))
  const from = since === undefined ? 0 : within(Math.floor((Date.parse(since) - start) / width))
  const to = until === undefined ? count : within(Math.ceil((Date.parse(until) - start) / width))
  return [Math.min(from, count - 1), Math.max(to, Math.min(from, count - 1) + 1)]
}

/** Returns the period of some parts: without an end if it has the last part, and empty for all parts. */
export function periodOf({ start, width, count }: Span, [from, to]: Brush) {
  const textOf = (part: number) => new Date(start + part * width).toISOString()
  return {
    since: from === 0 && to === count ? undefined : textOf(from),
    until: to === count ? undefined : textOf(to),
  }
}

type Sums = Omit<OccurrenceBucket, 'from'>

/** Returns the sums of some buckets. */
export function sumOf(buckets: readonly OccurrenceBucket[]): Sums {
  const of = (name: keyof Sums) => buckets.reduce((sum, bucket) => sum + bucket[name], 0)
  return {
    ...{ accepted: of('accepted'), refused: of('refused'), calls: of('calls') },
    ...{ callsFailed: of('callsFailed'), runsFailed: of('runsFailed') },
  }
}

/** Returns sums in words: “34 accepted, 2 refused, 12 calls, 1 of them failed, 1 failed run”. */
export function sumsInWords({ accepted, refused, calls, callsFailed, runsFailed }: Sums): string {
  return [
    `${accepted} accepted`,
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(calls > 0 ? [formatCount(calls, 'call')] : []),
    ...(callsFailed > 0 ? [`${callsFailed} of them failed`] : []),
    ...(runsFailed > 0 ? [formatCount(runsFailed, 'failed run')] : []),
  ].join(', ')
}

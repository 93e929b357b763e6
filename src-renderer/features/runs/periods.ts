import { dayMs } from '#shared/durations.ts'
import { parseTime } from '#shared/time.ts'

/** The times since which runs are shown; the keys are part of addresses. */
export const periods = {
  hour: { label: 'Last hour', within: 'in the last hour', ms: 3_600_000 },
  day: { label: 'Last 24 hours', within: 'in 24 hours', ms: dayMs },
  week: { label: 'Last 7 days', within: 'in 7 days', ms: 7 * dayMs },
  all: { label: 'Any time', within: 'kept', ms: null },
} as const

export const periodNames = ['hour', 'day', 'week', 'all'] as const
export type Period = (typeof periodNames)[number]

/** Returns the period of an address; null for a time of its own. */
export function periodOf(since: string): Period | null {
  return periodNames.find(name => name === since) ?? null
}

/** Returns when a period begins, to the minute, as ISO 8601; undefined for any time. */
export function sinceOf(since: string, now: number): string | undefined {
  const period = periodOf(since)
  const at = period === null ? timeOf(since) : periods[period].ms && now - periods[period].ms
  return at === null ? undefined : new Date(Math.floor(at / 60_000) * 60_000).toISOString()
}

function timeOf(text: string): number | null {
  const time = parseTime(text)
  return time.problem === null ? time.ms : null
}

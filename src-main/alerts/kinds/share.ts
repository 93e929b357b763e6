import { minuteMs } from '#shared/durations.ts'
import { isFailing, percentOf } from '#shared/model/connection-status.ts'
import type { Reading } from '../rule.ts'

/** Milliseconds for which a share has to be under half of its threshold. */
const calmMs = 15 * minuteMs

/** Returns the reading of a share of the last hour. @param least failures below which nothing opens. */
export function shareReading(
  counts: { readonly failed: number; readonly total: number },
  percent: number,
  least: number,
  message: (share: string) => string,
): Reading {
  const { failed, total } = counts
  const value = percentOf(counts)
  return {
    opens: isFailing(counts, percent, least),
    isCalm: failed === 0 || value < percent / 2,
    calmMs: failed === 0 ? 0 : calmMs,
    value: Math.round(value * 10) / 10,
    threshold: percent,
    message: () => message(`${failed} of ${total}`),
    details: { failed, total },
  }
}

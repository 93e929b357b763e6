import { minuteMs } from '#shared/durations.ts'
import type { Reading } from '../rule.ts'

/** Milliseconds for which a share has to be under half of its threshold. */
const calmMs = 15 * minuteMs

/** Returns the reading of a share of the last hour. @param least failures below which nothing opens. */
export function shareReading(
  { failed, total }: { readonly failed: number; readonly total: number },
  percent: number,
  least: number,
  message: (share: string) => string,
): Reading {
  const value = total === 0 ? 0 : (failed * 100) / total
  return {
    opens: failed >= least && value >= percent,
    isCalm: failed === 0 || value < percent / 2,
    calmMs: failed === 0 ? 0 : calmMs,
    value: Math.round(value * 10) / 10,
    threshold: percent,
    message: () => message(`${failed} of ${total}`),
    details: { failed, total },
  }
}

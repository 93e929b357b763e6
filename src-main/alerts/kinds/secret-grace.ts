import { dayMs, hourMs, minuteMs } from '#shared/durations.ts'
import type { ConnectionNumbers } from '../numbers.ts'
import type { Rule } from '../rule.ts'

/** A sender still uses a replaced secret that soon is not accepted any more. */
export const secretGrace: Rule<ConnectionNumbers> = {
  unit: 'ms',
  read({ connection, thresholds, oldSecretAt, graceEnds }, now) {
    if (!thresholds.secretGrace.enabled || !connection.enabled) return null
    const left = Math.min(...graceEnds.map(end => end - now).filter(ms => ms > 0))
    const isUsed = now - oldSecretAt < dayMs
    // In the last hour of a grace period its sender knows; one of an hour has just begun.
    const lead = left <= hourMs ? 15 * minuteMs : dayMs
    return {
      opens: isUsed && left <= lead,
      isCalm: left > dayMs,
      calmMs: 0,
      value: Number.isFinite(left) ? left : null,
      threshold: lead,
      message: () =>
        `The sender of ${connection.name} still uses a replaced secret, which is refused from ${new Date(now + left).toISOString()} on.`,
    }
  },
}

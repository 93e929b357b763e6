import { hourMs } from '#shared/durations.ts'
import type { ConnectionNumbers } from '../numbers.ts'
import type { Rule } from '../rule.ts'

/** Nothing was accepted on a connection for too long, while the service was up. */
export const silent: Rule<ConnectionNumbers> = {
  unit: 'ms',
  read(
    {
      connection,
      thresholds: {
        silent: { enabled, hours },
      },
      silentSince,
    },
    now,
  ) {
    if (!enabled || !connection.enabled || silentSince === null) return null
    const value = Math.max(0, now - silentSince)
    const threshold = hours * hourMs
    return {
      ...{ opens: value >= threshold, isCalm: value < threshold, calmMs: 0, value, threshold },
      message: () => `${connection.name} has sent nothing for ${hours} ${hours === 1 ? 'hour' : 'hours'}.`,
    }
  },
}

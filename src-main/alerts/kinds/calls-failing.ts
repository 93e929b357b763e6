import { leastFailures } from '#shared/model/connection-status.ts'
import type { ConnectionNumbers } from '../numbers.ts'
import type { Rule } from '../rule.ts'
import { shareReading } from './share.ts'

/** Calls of a connection get no 2xx. */
export const callsFailing: Rule<ConnectionNumbers> = {
  unit: 'percent',
  read({
    connection,
    thresholds: {
      callsFailing: { enabled, percent },
    },
    recent: { calls, callsFailed },
  }) {
    if (!enabled || !connection.enabled) return null
    return shareReading(
      { failed: callsFailed, total: calls },
      percent,
      leastFailures.calls,
      share => `${share} calls of ${connection.name} in the last hour have failed.`,
    )
  },
}

import { leastFailures } from '#shared/model/connection-status.ts'
import type { ConnectionNumbers } from '../numbers.ts'
import type { Rule } from '../rule.ts'
import { shareReading } from './share.ts'

/** Requests of a connection are refused. */
export const refused: Rule<ConnectionNumbers> = {
  unit: 'percent',
  read({
    connection,
    thresholds: {
      refused: { enabled, percent },
    },
    recent,
  }) {
    if (!enabled || !connection.enabled) return null
    return shareReading(
      { failed: recent.refused, total: recent.accepted + recent.refused },
      percent,
      leastFailures.rejected,
      share => `${connection.name} has refused ${share} requests of the last hour.`,
    )
  },
}

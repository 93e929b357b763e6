import type { ConnectionNumbers } from '../numbers.ts'
import type { Rule } from '../rule.ts'
import { shareReading } from './share.ts'

/** Fewer refusals, or requests, tell nothing. */
const least = 5

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
      least,
      share => `${connection.name} has refused ${share} requests of the last hour.`,
    )
  },
}

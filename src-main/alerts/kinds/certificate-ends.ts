import { dayMs } from '#shared/durations.ts'
import type { NodeNumbers } from '../numbers.ts'
import type { Rule } from '../rule.ts'

/** The certificate of the listener ends soon. */
export const certificateEnds: Rule<NodeNumbers> = {
  unit: 'ms',
  read(
    {
      name,
      thresholds: {
        certificate: { enabled, days },
      },
      isLost,
      certificateEndsAt,
    },
    now,
  ) {
    if (!enabled || isLost || certificateEndsAt === null) return null
    const value = certificateEndsAt - now
    const threshold = days * dayMs
    return {
      ...{ opens: value <= threshold, isCalm: value > threshold, calmMs: 0, value, threshold },
      message: () =>
        `The certificate of the listener on ${name} ends on ${new Date(certificateEndsAt).toISOString().slice(0, 10)}.`,
    }
  },
}

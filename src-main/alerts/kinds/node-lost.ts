import { minuteMs } from '#shared/durations.ts'
import type { NodeNumbers } from '../numbers.ts'
import type { Rule } from '../rule.ts'

/** A node is not heard of. */
export const nodeLost: Rule<NodeNumbers> = {
  unit: 'ms',
  read({ name, thresholds: { node }, isLost, silentMs }) {
    if (!node.enabled) return null
    return {
      ...{ opens: isLost && silentMs >= minuteMs, isCalm: !isLost, calmMs: 0 },
      ...{ value: silentMs, threshold: minuteMs },
      message: () => `The node ${name} was not heard of for a minute.`,
    }
  },
}

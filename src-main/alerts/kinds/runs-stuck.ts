import { minuteMs } from '#shared/durations.ts'
import type { WorkflowNumbers } from '../numbers.ts'
import type { Rule } from '../rule.ts'

/** Runs of a workflow are due and do not begin. */
export const runsStuck: Rule<WorkflowNumbers> = {
  unit: 'ms',
  read(
    {
      workflow,
      thresholds: {
        runsStuck: { enabled, minutes },
      },
      dueSince,
    },
    now,
  ) {
    if (!enabled || !workflow.enabled) return null
    const value = dueSince === null ? 0 : Math.max(0, now - dueSince)
    const threshold = minutes * minuteMs
    return {
      ...{ opens: value >= threshold, isCalm: value < threshold / 3, calmMs: 0, value, threshold },
      message: () => `A run of ${workflow.name} is due for ${minutes} minutes and has not begun.`,
    }
  },
}

import type { WorkflowNumbers } from '../numbers.ts'
import type { Rule } from '../rule.ts'

/** Runs of a workflow fail. */
export const runsFailing: Rule<WorkflowNumbers> = {
  unit: 'runs',
  read({
    workflow,
    thresholds: {
      runsFailing: { enabled, count },
    },
    failedLastHour,
  }) {
    if (!enabled) return null
    return {
      opens: failedLastHour >= count,
      isCalm: failedLastHour === 0,
      calmMs: 0,
      value: failedLastHour,
      threshold: count,
      message: () => `${failedLastHour} runs of ${workflow.name} have failed in the last hour.`,
    }
  },
}

import type { WorkflowTrigger } from '#shared/model/workflow.ts'
import { walkSteps } from '#shared/workflows/steps/kinds.ts'
import { namesOf } from '#shared/workflows/takes.ts'
import { viewOf } from '../../entities/workflow/steps/views.ts'
import type { WorkflowRow } from '../../entities/workflow/use-workflows.ts'
import type { WorkflowState } from '../../entities/workflow/workflow-status.ts'
import { anyText, choice } from '../../ui/filters.ts'
import { formatCount } from '../../ui/format.ts'
import { byMoment, byName, type ListDefinition } from '../../ui/list-search.ts'

export const workflowList = {
  group: 'Workflows',
  noun: 'workflow',
  idOf: ({ workflowId }) => workflowId,
  filters: {
    filter: {
      schema: anyText,
      placeholder: 'Filter by name, event or step',
      textOf({ name, trigger, connectionName, steps }) {
        const inSteps = [...walkSteps(steps)].flatMap(({ step }) => [
          step.key,
          step.type,
          viewOf(step).target(
            step,
            id => id,
            () => null,
          )?.name ?? '',
        ])
        return [name, triggerWords(trigger), connectionName, ...inSteps].join('\n')
      },
    },
    status: {
      ...choice<WorkflowState>({ failing: 'Failing', waiting: 'Waiting', disabled: 'Disabled' }),
      isIn: ({ status, enabled }, wanted) =>
        wanted === 'disabled' ? !enabled : (status.states?.some(state => state === wanted) ?? null),
    },
  },
  orders: {
    'last-run': {
      label: 'Last run',
      compare: (a, b) =>
        byMoment(a.figures?.lastRun?.at, b.figures?.lastRun?.at) || byMoment(a.createdAt, b.createdAt),
    },
    name: { label: 'Name', compare: byName, isSteady: true },
    runs: {
      label: 'Runs in 24 hours',
      compare: (a, b) => (b.figures?.last24h ?? 0) - (a.figures?.last24h ?? 0) || byName(a, b),
    },
    created: {
      label: 'Newest first',
      compare: (a, b) => byMoment(a.createdAt, b.createdAt),
      isSteady: true,
    },
  },
} as const satisfies ListDefinition<WorkflowRow>

/** Returns the events that a trigger takes: “order.paid”, “Any event”. */
export function triggerWords(trigger: Pick<WorkflowTrigger, 'eventName' | 'eventNames'>): string {
  return namesOf(trigger)?.join(', ') ?? 'Any event'
}

/** Returns “3 steps”, those inside others counted. */
export function stepsInWords({ steps }: Pick<WorkflowRow, 'steps'>): string {
  return formatCount([...walkSteps(steps)].length, 'step')
}

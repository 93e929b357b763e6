import type { WorkflowTrigger } from '#shared/model/workflow.ts'
import { walkSteps } from '#shared/workflows/steps/kinds.ts'
import { namesOf } from '#shared/workflows/takes.ts'
import { viewOf } from '../../entities/workflow/steps/views.ts'
import type { WorkflowRow } from '../../entities/workflow/use-workflows.ts'
import { formatCount } from '../../ui/format.ts'
import type { ListDefinition } from '../../ui/list-search.ts'
import { workflowAddress } from './workflow-address.ts'

export const workflowList = {
  group: 'Workflows',
  noun: 'workflow',
  idOf: ({ workflowId }) => workflowId,
  filters: {
    filter: {
      ...workflowAddress.filters.filter,
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
    status: workflowAddress.filters.status,
  },
  orders: workflowAddress.orders,
} as const satisfies ListDefinition<WorkflowRow>

/** Returns the events that a trigger takes: “order.paid”, “Any event”. */
export function triggerWords(trigger: Pick<WorkflowTrigger, 'eventName' | 'eventNames'>): string {
  return namesOf(trigger)?.join(', ') ?? 'Any event'
}

/** Returns “3 steps”, those inside others counted. */
export function stepsInWords({ steps }: Pick<WorkflowRow, 'steps'>): string {
  return formatCount([...walkSteps(steps)].length, 'step')
}

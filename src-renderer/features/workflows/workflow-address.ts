import type { WorkflowRow } from '../../entities/workflow/use-workflows.ts'
import type { WorkflowState } from '../../entities/workflow/workflow-states.ts'
import { anyText, choice } from '../../ui/filters.ts'
import { byMoment, byName, type ListDefinition, type RowFilter } from '../../ui/list-search.ts'

/** The filters and orders in the address of the list. They are apart from the list, whose texts need the code of all steps. */
export const workflowAddress = {
  filters: {
    filter: { schema: anyText },
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
} as const satisfies Pick<ListDefinition<WorkflowRow>, 'orders'> & {
  readonly filters: Readonly<Record<string, RowFilter<WorkflowRow>>>
}

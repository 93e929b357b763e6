import { type WorkflowTrigger, walkSteps } from '#shared/model/workflow.ts'
import { formatCount } from '../../ui/format.ts'
import type { WorkflowRow } from './use-workflows.ts'
import type { WorkflowState } from './workflow-status.ts'

/** The orders of the list. The first is the default. */
export const workflowSorts = ['last-run', 'name', 'runs', 'created'] as const
export type WorkflowSort = (typeof workflowSorts)[number]

export const sortLabels: Readonly<Record<WorkflowSort, string>> = {
  'last-run': 'Last run',
  name: 'Name',
  runs: 'Runs in 24 hours',
  created: 'Newest first',
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Compares ISO times, newest first and missing ones last. */
const byMoment = (a = '', b = '') => (a === b ? 0 : a < b ? 1 : -1)

const orders: Readonly<Record<WorkflowSort, (a: WorkflowRow, b: WorkflowRow) => number>> = {
  'last-run': (a, b) =>
    byMoment(a.figures?.lastRun?.at, b.figures?.lastRun?.at) || byMoment(a.createdAt, b.createdAt),
  name: (a, b) => collator.compare(a.name, b.name),
  runs: (a, b) => (b.figures?.last24h ?? 0) - (a.figures?.last24h ?? 0) || orders.name(a, b),
  created: (a, b) => byMoment(a.createdAt, b.createdAt),
}

export function sortWorkflows(rows: readonly WorkflowRow[], sort: WorkflowSort): WorkflowRow[] {
  return rows.toSorted(orders[sort])
}

/** Returns the rows with every word of the filter in the name, the trigger or a step. */
export function filterWorkflows(rows: readonly WorkflowRow[], filter: string): readonly WorkflowRow[] {
  const words = filter.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return rows
  return rows.filter(({ name, trigger, connectionName, steps }) => {
    const inSteps = [...walkSteps(steps)].flatMap(({ step }) => [
      step.key,
      step.type,
      ...(step.type === 'action' ? [step.toolName] : step.type === 'http' ? [step.url] : []),
    ])
    const text = [name, triggerWords(trigger), connectionName, ...inSteps].join('\n').toLocaleLowerCase()
    return words.every(word => text.includes(word))
  })
}

/** Returns whether a filter of the list shows a workflow; null while it is not known. */
export function isIn({ status, enabled }: WorkflowRow, state: WorkflowState): boolean | null {
  return state === 'disabled' ? !enabled : (status.states?.includes(state) ?? null)
}

/** Returns the events that a trigger takes: “order.paid”, “Any event”. */
export function triggerWords({ eventName }: Pick<WorkflowTrigger, 'eventName'>): string {
  return eventName ?? 'Any event'
}

/** Returns “3 steps”, those inside others counted. */
export function stepsInWords({ steps }: Pick<WorkflowRow, 'steps'>): string {
  return formatCount([...walkSteps(steps)].length, 'step')
}

import type { WorkflowFields, WorkflowTrigger } from '#shared/model/workflow.ts'
import { namesOf } from '#shared/workflows/takes.ts'
import { conditionText } from '../../../entities/workflow/condition-labels.ts'
import type { Fields } from '../../../ui/draft/draft.ts'
import { formatCount } from '../../../ui/format.ts'
import { stepChanges } from './step-changes.ts'
import { completedSteps, storedSteps } from './stored-steps.ts'

/** A workflow as it is in the builder, valid or not. `enabled` is not part of it: the switch applies at once. */
export type WorkflowDraft = Omit<WorkflowFields, 'enabled'>

/** Returns the draft of a workflow. */
export function draftOf({ name, trigger, steps, ordered, concurrency }: WorkflowDraft): WorkflowDraft {
  return { name, trigger, steps, ordered, concurrency }
}

/** Returns a trigger with these names. Without one, it takes events of each name. */
export function withNames(
  { eventNames: _, ...trigger }: WorkflowTrigger,
  names: readonly string[],
): WorkflowTrigger {
  const [only = null] = names
  return names.length > 1
    ? { ...trigger, eventName: null, eventNames: [...names] }
    : { ...trigger, eventName: only }
}

export function newDraft(trigger: Partial<WorkflowDraft['trigger']> = {}): WorkflowDraft {
  const { connectionId = null, eventName = null } = trigger
  return {
    name: eventName === null ? '' : `On ${eventName}`,
    trigger: { type: 'external.event', connectionId, eventName },
    steps: [],
    ordered: false,
    concurrency: 10,
  }
}

/** Returns the fields of a workflow. @param nameOf returns the name of a connection. */
export function workflowFields(nameOf: (connectionId: string) => string): Required<Fields<WorkflowDraft>> {
  return {
    name: 'name',
    trigger: {
      label: 'trigger',
      show: ({ connectionId, once, when, ...trigger }) => {
        const from = connectionId === null ? 'any connection' : nameOf(connectionId)
        const names = namesOf(trigger)?.join(' or ') ?? 'any event'
        const fitting = when === undefined ? '' : `, only when ${conditionText(when)}`
        const often = once === undefined ? '' : `, once per ${once.key} in ${formatCount(once.hours, 'hour')}`
        return `${names} of ${from}${fitting}${often}`
      },
    },
    steps: {
      label: 'steps',
      stored: storedSteps,
      completed: completedSteps,
      missing: 'header values of steps',
      show: (steps, before) =>
        stepChanges(before, steps)
          .map(change => `${change}.`)
          .join(' ') || 'As before.',
    },
    ordered: 'order',
    concurrency: 'concurrency',
  }
}

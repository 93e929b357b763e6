import type { WorkflowFields } from '#shared/model/workflow.ts'
import type { Fields } from '../../../ui/draft/draft.ts'
import { stepChanges } from './step-changes.ts'

/** A workflow as it is in the builder, valid or not. `enabled` is not part of it: the switch applies at once. */
export type WorkflowDraft = Omit<WorkflowFields, 'enabled'>

/** Returns the draft of a workflow. */
export function draftOf({ name, trigger, steps, ordered, concurrency }: WorkflowDraft): WorkflowDraft {
  return { name, trigger, steps, ordered, concurrency }
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

/** The fields of a workflow. */
export const workflowFields: Fields<WorkflowDraft> = {
  name: 'name',
  trigger: {
    label: 'trigger',
    show: ({ connectionId, eventName }) =>
      `${eventName ?? 'any event'} of ${connectionId ?? 'any connection'}`,
  },
  steps: {
    label: 'steps',
    show: (steps, before) =>
      stepChanges(before, steps)
        .map(change => `${change}.`)
        .join(' ') || 'As before.',
  },
  ordered: 'order',
  concurrency: 'concurrency',
}

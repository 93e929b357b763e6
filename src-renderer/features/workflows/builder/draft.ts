import type { Workflow, WorkflowFields } from '#shared/model/workflow.ts'

/** A workflow as it is in the builder, valid or not. `enabled` is not part of it: the switch applies at once. */
export type WorkflowDraft = Omit<WorkflowFields, 'enabled'>

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

const labels: Readonly<Record<keyof WorkflowDraft, string>> = {
  name: 'name',
  trigger: 'trigger',
  steps: 'steps',
  ordered: 'order',
  concurrency: 'concurrency',
}
type Change = Partial<WorkflowDraft>

/** Returns the fields of a draft that differ from others. */
export function changeOf(base: WorkflowDraft, draft: WorkflowDraft): Change {
  return Object.fromEntries(
    Object.entries(draft).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(base, name)),
    ),
  )
}

/** Returns the names of the changed fields: “steps, name”. */
export function changeLabels(change: Change): string {
  return Object.entries(labels)
    .flatMap(([name, label]) => (Object.hasOwn(change, name) ? [label] : []))
    .join(', ')
}

/**
 * Returns a draft with what was saved elsewhere since. A field that was changed here stays.
 *
 * @param base the saved workflow that the draft was made from.
 */
export function mergeSaved(draft: WorkflowDraft, base: WorkflowDraft, saved: Workflow): WorkflowDraft {
  return { ...draftOf(saved), ...changeOf(base, draft) }
}

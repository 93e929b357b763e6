import type { WorkflowTrigger } from '../model/workflow.ts'

/** Returns whether a trigger matches an event. See docs/workflows.md. */
export function takes(
  { connectionId, eventName }: Pick<WorkflowTrigger, 'connectionId' | 'eventName'>,
  event: { readonly connectionId: string; readonly eventName: string },
): boolean {
  if (connectionId !== null && connectionId !== event.connectionId) return false
  if (eventName === null) return true
  return eventName.endsWith('.*')
    ? event.eventName.startsWith(eventName.slice(0, -1))
    : eventName === event.eventName
}

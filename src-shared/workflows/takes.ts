import { serviceConnectionId } from '../model/alert.ts'
import type { WorkflowTrigger } from '../model/workflow.ts'

/** The fields of a trigger that choose events by their connection and name. */
export type Taking = Pick<WorkflowTrigger, 'connectionId' | 'eventName' | 'eventNames'>

/** Returns whether a trigger matches an event, apart from its condition. See docs/workflows.md. */
export function takes(
  trigger: Taking,
  event: { readonly connectionId: string; readonly eventName: string },
): boolean {
  const { connectionId } = trigger
  // A workflow that forwards every event must not forward alerts about itself.
  const isForAny = connectionId === null && event.connectionId !== serviceConnectionId
  if (!isForAny && connectionId !== event.connectionId) return false
  const names = namesOf(trigger)
  return names === null || names.some(name => isNamed(event.eventName, name))
}

/** Returns the names and prefixes that a trigger matches; null for any name. */
export function namesOf({ eventName, eventNames }: Omit<Taking, 'connectionId'>): readonly string[] | null {
  return eventNames ?? (eventName === null ? null : [eventName])
}

/** Returns why a name with `*` matches fewer events than it seems to; null for any other name. */
export function wildcardProblem(name: string): string | null {
  const prefix = name.endsWith('.*') ? name.slice(0, -1) : null
  if (prefix !== '.' && !(prefix ?? name).includes('*')) return null
  const matching = prefix === null ? `the name "${name}"` : `names that begin with "${prefix}"`
  return `This matches only ${matching}. To match a prefix, end the name in .*, as in order.*; to match every event, leave the name out.`
}

/** Returns whether a name of a trigger matches an event's. */
export const isNamed = (eventName: string, name: string) =>
  name.endsWith('.*') ? eventName.startsWith(name.slice(0, -1)) : name === eventName

import type { WorkflowRecord } from '#main/storage/config.ts'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import { takes } from '#shared/workflows/takes.ts'

/** The workflows that take an event, and their ids, in the order of the configuration. */
export type Subscribers = {
  readonly workflows: readonly WorkflowRecord[]
  readonly workflowIds: readonly string[]
}

type Event = Pick<LoggedEvent, 'connectionId' | 'eventName'>

const anyName = '*'
/** How many answers with many workflows are kept: the next event of the same connection and name has the same. */
const mostKept = 256
/** An answer with fewer workflows is found again as fast as it is kept. */
const worthKeeping = 8

/** Indexes the enabled workflows by the event names of their triggers. Returns what finds those that take an event. */
export function createSubscriptions(
  workflows: Iterable<WorkflowRecord>,
): (workspaceId: string, event: Event) => Subscribers {
  const enabled = [...workflows].filter(workflow => workflow.enabled)
  const positions = new Map(enabled.map((workflow, position) => [workflow, position]))
  const byName = Map.groupBy(enabled, ({ workspaceId, trigger }) =>
    keyOf(workspaceId, trigger.eventName ?? anyName),
  )
  const kept = new Map<string, Subscribers>()

  function find(workspaceId: string, event: Event): Subscribers {
    const groups = namesOf(event.eventName).map(name => byName.get(keyOf(workspaceId, name)) ?? [])
    const found = groups.flatMap(group => group.filter(({ trigger }) => takes(trigger, event)))
    const position = (workflow: WorkflowRecord) => positions.get(workflow) ?? 0
    if (groups.filter(group => group.length > 0).length > 1) found.sort((a, b) => position(a) - position(b))
    return { workflows: found, workflowIds: found.map(({ workflowId }) => workflowId) }
  }

  return (workspaceId, event) => {
    const key = `${workspaceId} ${event.connectionId} ${event.eventName}`
    const known = kept.get(key)
    if (known !== undefined) return known
    const found = find(workspaceId, event)
    if (found.workflows.length < worthKeeping) return found
    if (kept.size >= mostKept) kept.clear()
    kept.set(key, found)
    return found
  }
}

const keyOf = (workspaceId: string, name: string) => `${workspaceId} ${name}`

/** Returns the event names of triggers that may take an event: see `takes`. */
function namesOf(eventName: string): string[] {
  const names = new Set([anyName, eventName])
  for (let dot = eventName.indexOf('.'); dot !== -1; dot = eventName.indexOf('.', dot + 1))
    names.add(`${eventName.slice(0, dot)}.*`)
  return [...names]
}

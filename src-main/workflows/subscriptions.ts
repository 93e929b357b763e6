import type { WorkflowRecord } from '#main/storage/config.ts'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import type { Once } from '#shared/model/workflow.ts'
import { takes } from '#shared/workflows/takes.ts'

/** The workflows that take an event, in the order of the configuration. */
export type Subscribers = {
  /** Those that each event starts, and their ids. */
  readonly workflows: readonly WorkflowRecord[]
  readonly workflowIds: readonly string[]
  /** Those that only the first event with a key starts. */
  readonly keyed: readonly KeyedWorkflow[]
}

type KeyedWorkflow = { readonly workflow: WorkflowRecord; readonly once: Once }

type Event = Pick<LoggedEvent, 'connectionId' | 'eventName'>

const nobody: Subscribers = { workflows: [], workflowIds: [], keyed: [] }
const anyName = '*'
/** How many answers of a workspace are kept. The next event of the same connection and name has the same. */
const mostKept = 256

/** Indexes the enabled workflows by the event names of their triggers. Returns what finds those that take an event. */
export function createSubscriptions(
  workflows: Iterable<WorkflowRecord>,
): (workspaceId: string, event: Event) => Subscribers {
  const enabled = [...workflows].filter(workflow => workflow.enabled)
  const ofWorkspaces = new Map(
    Array.from(
      Map.groupBy(enabled, ({ workspaceId }) => workspaceId),
      ([workspaceId, own]) => [workspaceId, subscriptionsOf(own)],
    ),
  )
  return (workspaceId, event) => ofWorkspaces.get(workspaceId)?.(event) ?? nobody
}

function subscriptionsOf(workflows: readonly WorkflowRecord[]): (event: Event) => Subscribers {
  const positions = new Map(workflows.map((workflow, position) => [workflow, position]))
  const byName = Map.groupBy(workflows, ({ trigger }) => trigger.eventName ?? anyName)
  /** By connection, then by event name. */
  const kept = new Map<string, Map<string, Subscribers>>()
  let count = 0

  function find(event: Event): Subscribers {
    const groups = namesOf(event.eventName).flatMap(name => byName.get(name) ?? [])
    const position = (workflow: WorkflowRecord) => positions.get(workflow) ?? 0
    const found = groups.filter(({ trigger }) => takes(trigger, event))
    found.sort((a, b) => position(a) - position(b))
    const plain = found.filter(({ trigger }) => trigger.once === undefined)
    return {
      workflows: plain,
      workflowIds: plain.map(({ workflowId }) => workflowId),
      keyed: found.flatMap(workflow => {
        const { once } = workflow.trigger
        return once === undefined ? [] : { workflow, once }
      }),
    }
  }

  return event => {
    const known = kept.get(event.connectionId)?.get(event.eventName)
    if (known !== undefined) return known
    if (count++ === mostKept) {
      kept.clear()
      count = 1
    }
    const found = find(event)
    const ofConnection = kept.get(event.connectionId) ?? new Map<string, Subscribers>()
    kept.set(event.connectionId, ofConnection.set(event.eventName, found))
    return found
  }
}

/** Returns the event names of triggers that may take an event: see `takes`. */
function namesOf(eventName: string): string[] {
  const names = new Set([anyName, eventName])
  for (let dot = eventName.indexOf('.'); dot !== -1; dot = eventName.indexOf('.', dot + 1))
    names.add(`${eventName.slice(0, dot)}.*`)
  return [...names]
}

import type { WorkflowRecord } from '#main/storage/config.ts'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import { namesOf, takes } from '#shared/workflows/takes.ts'
import { type Candidates, type ChoosyWorkflow, createCandidates } from './candidates.ts'
import { neededBy, preparedCondition } from './trigger-condition.ts'

/** The workflows that take an event, in the order of the configuration. */
export type Subscribers = {
  /** Those that each event starts, and their ids. */
  readonly workflows: readonly WorkflowRecord[]
  readonly workflowIds: readonly string[]
  /** Whether there are any that only some of these events start. */
  readonly areSomeChoosy: boolean
  /** Returns those of them whose conditions an event may fit. It fits none of the others. */
  readonly candidates: Candidates
}

type Event = Pick<LoggedEvent, 'connectionId' | 'eventName'>

const nobody: Subscribers = { workflows: [], workflowIds: [], areSomeChoosy: false, candidates: () => [] }
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
  const byName = new Map<string, WorkflowRecord[]>()
  for (const workflow of workflows)
    for (const name of namesOf(workflow.trigger) ?? [anyName]) {
      const named = byName.get(name)
      if (named === undefined) byName.set(name, [workflow])
      else named.push(workflow)
    }
  /** Each is prepared once, however many names there are. */
  const choosy = new Map(
    workflows.filter(workflow => !isPlain(workflow)).map(workflow => [workflow, choosyOf(workflow)]),
  )
  /** By connection, then by event name. */
  const kept = new Map<string, Map<string, Subscribers>>()
  let count = 0

  function find(event: Event): Subscribers {
    // Several names of a trigger may match.
    const named = new Set(possibleNames(event.eventName).flatMap(name => byName.get(name) ?? []))
    const position = (workflow: WorkflowRecord) => positions.get(workflow) ?? 0
    const found = [...named].filter(({ trigger }) => takes(trigger, event))
    found.sort((a, b) => position(a) - position(b))
    const plain = found.filter(isPlain)
    const choosyOnes = found.flatMap(workflow => choosy.get(workflow) ?? [])
    return {
      workflows: plain,
      workflowIds: plain.map(({ workflowId }) => workflowId),
      areSomeChoosy: choosyOnes.length > 0,
      candidates: createCandidates(choosyOnes),
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

const isPlain = ({ trigger: { once, when } }: WorkflowRecord) => once === undefined && when === undefined

function choosyOf(workflow: WorkflowRecord): ChoosyWorkflow {
  const { when, once } = workflow.trigger
  return when === undefined
    ? { workflow, fits: null, needed: [], once }
    : { workflow, fits: preparedCondition(when), needed: neededBy(when), once }
}

/** Returns the event names of triggers that may take an event: see `takes`. */
function possibleNames(eventName: string): string[] {
  const names = new Set([anyName, eventName])
  for (let dot = eventName.indexOf('.'); dot !== -1; dot = eventName.indexOf('.', dot + 1))
    names.add(`${eventName.slice(0, dot)}.*`)
  return [...names]
}

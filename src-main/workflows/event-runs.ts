import type { WorkflowRecord } from '#main/storage/config.ts'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import { isFanOut, type NewRun, type NewRuns, type Started } from '#main/storage/runs.ts'
import { eventTextWith } from '#shared/model/sender/reading.ts'
import type { Budget, Environment, Scope } from '#shared/workflows/scope.ts'
import type { ChoosyWorkflow } from './candidates.ts'
import { choose } from './choose.ts'
import {
  decideAtOnce,
  maxPayloadText,
  maxReadAtOnce,
  maxRunsAtOnce,
  maxRunsOfList,
} from './decide-at-once.ts'
import { withHeaders } from './decides-first.ts'
import { fanOutOf, keyScope, runOf, undecidedSummary, withKey } from './matching.ts'
import type { Subscribers } from './subscriptions.ts'
import { eventValues, maxReadOfTrigger } from './trigger-condition.ts'

export type EventRunParts = {
  readonly subscribersOf: (workspaceId: string, event: LoggedEvent) => Subscribers
  readonly discards: (event: LoggedEvent) => boolean
  readonly environment: Environment
  readonly onError: (error: unknown) => void
}

type Data = Readonly<Record<string, unknown>>

const none: readonly NewRun[] = []

/** Returns whether so many workflows get one row for all their runs. @param events of the request. */
const needFanOut = (workflows: number, events: number) =>
  workflows > maxRunsAtOnce || (workflows > 1 && workflows * events > maxRunsOfList)

/** Creates `runsFor` of `WorkflowEngine`. */
export function createEventRuns({ subscribersOf, discards, environment, onError }: EventRunParts) {
  /** Returns the run that an event starts of a workflow, ended if it could be decided at once. */
  function newRun(
    workflow: WorkflowRecord,
    event: LoggedEvent,
    text: string,
    data: Data,
    budget: Budget,
  ): NewRun {
    const run = runOf(workflow, event, text)
    if (event.bodyText.length > maxPayloadText) return run
    const { eventName, connectionId, receivedAt } = event
    try {
      const payload = { ...data, eventName, connectionId }
      const discard = discards(event)
      const around = { now: receivedAt, discard, environment, budget }
      const ended = decideAtOnce(workflow, payload, around)
      return ended === null ? run : { ...run, ended }
    } catch (error) {
      // The event must still be accepted. The run is queued and fails there.
      onError(error)
      return run
    }
  }

  function newRuns(
    workflows: readonly WorkflowRecord[],
    workflowIds: readonly string[],
    ...[event, text, data, budget, events]: [LoggedEvent, string, Data, Budget, number]
  ): NewRuns {
    const [first] = workflows
    return first !== undefined && needFanOut(workflows.length, events)
      ? [fanOutOf(workflowIds, first.workspaceId, event, text)]
      : workflows.map(workflow => newRun(workflow, event, text, data, budget))
  }

  /** Returns the runs that must decide themselves whether the event fits. It takes no key, since it may not. */
  function undecidedRuns(
    workflows: readonly WorkflowRecord[],
    event: LoggedEvent,
    eventText: string,
    { headers }: Scope,
    events: number,
  ): NewRuns {
    const [first] = workflows
    if (first === undefined) return none
    const text = withHeaders(eventText, headers)
    const summary = undecidedSummary(event)
    return needFanOut(workflows.length, events)
      ? [fanOutOf(idsOf(workflows), first.workspaceId, event, text, summary)]
      : workflows.map(workflow => ({ ...runOf(workflow, event, text), summary }))
  }

  return function runsFor(event: LoggedEvent, workspaceId: string, data: Data, events = 1): NewRuns {
    const { workflows, workflowIds, areSomeChoosy, candidates } = subscribersOf(workspaceId, event)
    if (workflows.length === 0 && !areSomeChoosy) return none
    const budget = { left: maxReadAtOnce }
    if (!areSomeChoosy)
      return newRuns(workflows, workflowIds, event, eventTextWith(event, data), data, budget, events)
    const scope = keyScope(event, data)
    const values = eventValues(scope, maxReadOfTrigger)
    const { fitting, undecided } = choose(candidates(values), values, onError)
    if (workflows.length + fitting.length + undecided.length === 0) return none
    const text = eventTextWith(event, data)
    const keyless = workflowsOf(fitting.filter(({ once }) => once === undefined))
    const ofKeys = fitting.flatMap(({ workflow, once }) => {
      if (once === undefined) return []
      const run = newRun(workflow, event, text, data, budget)
      // A replay is deliberate: it starts the workflow once more.
      return event.replayOf === null ? withKey(run, once, event, scope) : run
    })
    return [
      ...newRuns(workflows, workflowIds, event, text, data, budget, events),
      ...newRuns(keyless, idsOf(keyless), event, text, data, budget, events),
      ...ofKeys,
      ...undecidedRuns(workflowsOf(undecided), event, text, scope, events),
    ]
  }
}

/** Returns the workflows of which runs have started. */
export function startedWorkflows(runs: NewRuns, { duplicates }: Started): string[] {
  const workflowIds: string[] = []
  for (const [index, run] of runs.entries()) {
    if (duplicates.has(index)) continue
    if (isFanOut(run)) for (const id of run.workflowIds) workflowIds.push(id)
    else workflowIds.push(run.workflowId)
  }
  return workflowIds
}

const idsOf = (workflows: readonly WorkflowRecord[]) => workflows.map(({ workflowId }) => workflowId)
const workflowsOf = (choosy: readonly ChoosyWorkflow[]) => choosy.map(({ workflow }) => workflow)

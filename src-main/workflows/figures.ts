import type { ConnectionRecord, WorkflowRecord } from '#main/storage/config.ts'
import type { LaneCounts, WorkflowFigures as StoredFigures } from '#main/storage/runs.ts'
import type { RunCounts } from '#shared/model/run.ts'
import type { EventNameStatistics } from '#shared/model/statistics.ts'
import type { WorkflowTrigger } from '#shared/model/workflow.ts'
import type { TriggerFigures, UnhandledEvents, WorkflowFigures } from '#shared/model/workflow-figures.ts'
import { takes } from '#shared/workflows/takes.ts'
import { statuses } from './run-view.ts'

/** The events with one name that a connection received in the last 24 hours. */
export type ReceivedEvents = Omit<UnhandledEvents, 'disabledWorkflowId'> & { readonly workspaceId: string }

/** Maximum number of names of events that an overview lists. */
const mostUnhandled = 100

/** Counts the runs that have not ended. @param selected names of lanes; undefined for all. */
export function unendedOf(
  lanes: readonly LaneCounts[],
  selected: readonly string[] | undefined,
): Pick<RunCounts, 'queued' | 'waiting' | 'running'> {
  const wanted = selected && new Set(selected)
  const counts = { queued: 0, waiting: 0, running: 0 }
  for (const { lane, waiting, retrying, running } of lanes) {
    if (wanted?.has(lane) === false) continue
    counts.queued += waiting
    counts.waiting += retrying
    counts.running += running
  }
  return counts
}

/** Returns the stored figures of a workflow as the contract shows them. */
export function toWorkflowFigures(
  { workflowId, hours, failedLastHour, lastRun, p95Ms }: StoredFigures,
  lanes: readonly LaneCounts[],
): WorkflowFigures {
  return {
    workflowId,
    hours: [...hours],
    last24h: hours.reduce((sum, { succeeded, failed }) => sum + succeeded + failed, 0),
    ...unendedOf(lanes, [workflowId]),
    failedLastHour,
    lastRun: lastRun && {
      runId: lastRun.runId,
      status: statuses[lastRun.state],
      at: new Date(lastRun.endedAt ?? lastRun.startedAt ?? lastRun.queuedAt).toISOString(),
    },
    p95Ms,
  }
}

/** Returns the events that match no enabled workflow, the most frequent names first. */
export function unhandledEvents(
  events: readonly ReceivedEvents[],
  workflows: readonly WorkflowRecord[],
): UnhandledEvents[] {
  return events
    .flatMap(({ workspaceId, ...event }) => {
      const taking = workflows.filter(
        workflow => workflow.workspaceId === workspaceId && takes(workflow.trigger, event),
      )
      if (taking.some(({ enabled }) => enabled)) return []
      return [{ ...event, disabledWorkflowId: taking[0]?.workflowId ?? null }]
    })
    .sort((one, other) => other.received - one.received)
    .slice(0, mostUnhandled)
}

const mostNames = 500
/** The newest 20 events of a workspace are in its 20 connections with the newest events. */
const mostConnections = 20

type NamesOfConnection = Pick<ConnectionRecord, 'connectionId' | 'persistEvents'> & {
  readonly names: readonly EventNameStatistics[]
}

/** Returns what is known of the events that a trigger matches. @param connections those that it names. */
export function outlookOf(
  trigger: Pick<WorkflowTrigger, 'connectionId' | 'eventName'>,
  connections: readonly NamesOfConnection[],
): TriggerFigures {
  const names = new Map<string, TriggerFigures['names'][number]>()
  const shown: { connectionId: string; lastAt: string }[] = []
  let received = 0
  let taken = 0
  for (const { connectionId, persistEvents, names: own } of connections) {
    let lastAt = ''
    let declares = false
    for (const { eventName, count, declared, lastAt: at } of own) {
      const before = names.get(eventName)
      names.set(eventName, {
        eventName,
        count: count + (before?.count ?? 0),
        declared: declared || before?.declared === true,
      })
      received += count
      if (!takes(trigger, { connectionId, eventName })) continue
      taken += count
      declares ||= declared
      if (at !== null && at > lastAt) lastAt = at
    }
    if (persistEvents || declares || trigger.connectionId !== null) shown.push({ connectionId, lastAt })
  }
  const newest = shown.sort((one, other) => other.lastAt.localeCompare(one.lastAt))
  return {
    received,
    taken,
    names: [...names.values()]
      .sort((one, other) => Number(other.declared) - Number(one.declared) || other.count - one.count)
      .slice(0, mostNames),
    connectionIds: newest.slice(0, mostConnections).map(({ connectionId }) => connectionId),
  }
}

/** Counts the events of the connections of a trigger, and those that match the trigger. */
export function triggerFigures(
  trigger: WorkflowTrigger,
  events: readonly ReceivedEvents[],
): { received: number; taken: number } {
  const sum = (of: readonly ReceivedEvents[]) => of.reduce((total, { received }) => total + received, 0)
  return { received: sum(events), taken: sum(events.filter(event => takes(trigger, event))) }
}

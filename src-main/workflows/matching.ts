import { parseHeaderLines } from '#main/inbound/signed-headers.ts'
import type { Config, WorkflowRecord } from '#main/storage/config.ts'
import { groupedKey } from '#main/storage/deduplication-key.ts'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import type { FanOut, NewRun } from '#main/storage/runs.ts'
import { hourMs } from '#shared/durations.ts'
import type { Once } from '#shared/model/workflow.ts'
import { deduplicationKeyOf } from '#shared/workflows/deduplication-key.ts'
import type { Scope } from '#shared/workflows/scope.ts'
import { kindOf, walkSteps } from '#shared/workflows/steps/kinds.ts'
import { type RunSummary, summaryText } from './run-view.ts'
import { traceContextOfEvent } from './trace-context.ts'

/**
 * Returns whether a workflow's runs may come from a connection that was just deleted, or call it. They are paused while
 * the deletion can be undone: otherwise they would fail, or act for a connection that is gone.
 */
export function dependsOnHeld({ trigger, workspaceId, steps }: WorkflowRecord, { held }: Config): boolean {
  if (held === undefined) return false
  const { connectionId } = trigger
  if (connectionId !== null && held.has(connectionId)) return true
  if (connectionId === null && [...held.values()].some(({ record }) => record.workspaceId === workspaceId))
    return true
  return [...walkSteps(steps)].some(({ step }) =>
    kindOf(step)
      .uses(step)
      .some(({ connectionId }) => held.has(connectionId)),
  )
}

/** Returns the lane of a workflow's tests. */
export const testLaneOf = (workflowId: string) => `${testLanePrefix}${workflowId}`
const testLanePrefix = 'test/'
export const isTestLane = (lane: string) => lane.startsWith(testLanePrefix)

/** Returns the run that an event starts of a workflow. @param data of `eventTextOf`: the runs of an event share it. */
export function runOf({ workflowId, workspaceId }: WorkflowRecord, event: LoggedEvent, data: string): NewRun {
  const { connectionId, receivedAt } = event
  // Fields instead of a spread, which is slower: this runs for every event.
  return {
    workflowId,
    workspaceId,
    connectionId,
    lane: workflowId,
    queuedAt: receivedAt,
    summary: summaryOfEvent(event),
    data,
  }
}

/** Returns a run with the key of its trigger, or with a note that its event has none. */
export function withKey(run: NewRun, { key, hours }: Once, event: LoggedEvent, scope: Scope): NewRun {
  const text = deduplicationKeyOf(key, scope)
  if (text === null) return { ...run, summary: summaryOfEvent(event, { emptyKey: true }) }
  return {
    ...run,
    deduplicationKey: groupedKey(run.workflowId, text, event.receivedAt, hours * hourMs),
  }
}

/** Returns what the keys and the conditions of triggers can use of an event. */
export function keyScope(
  { eventName, connectionId, headerLines }: Pick<LoggedEvent, 'eventName' | 'connectionId' | 'headerLines'>,
  data: Readonly<Record<string, unknown>>,
): Scope {
  const headers: Record<string, string> = {}
  for (const [name, value] of parseHeaderLines(headerLines)) headers[name.toLowerCase()] ??= value
  return { payload: { ...data, eventName, connectionId }, steps: noOutputs, headers }
}

export const noOutputs: ReadonlyMap<string, unknown> = new Map()

/** Returns the runs that an event starts of many workflows. */
export function fanOutOf(
  workflowIds: readonly string[],
  workspaceId: string,
  event: LoggedEvent,
  data: string,
  summary = summaryOfEvent(event),
): FanOut {
  const { connectionId, receivedAt } = event
  return { workflowIds, workspaceId, connectionId, queuedAt: receivedAt, summary, data }
}

function summaryOfEvent(event: LoggedEvent, more: Partial<RunSummary> = {}): string {
  const { eventName, replayOf } = event
  const replay = replayOf !== null && { replayOf }
  return summaryText({ eventName, ...replay, ...traceContextOfEvent(event), ...more })
}

/** The summary of runs that first decide whether their event fits. */
export const undecidedSummary = (event: LoggedEvent) => summaryOfEvent(event, { undecided: true })

import type { Run, RunDetails } from '#shared/model/run.ts'
import { statusTones, sumUp, type TraceTone } from '../../entities/run/event-runs.ts'
import { formatClock, formatCount, formatDuration } from '../../ui/format.ts'

/** A stage of an event's way. */
export type TraceStage = {
  readonly id: 'request' | 'trigger' | 'run' | 'calls' | 'others'
  readonly title: string
  readonly detail: string
  /** Whether the detail is an identifier. */
  readonly isName: boolean
  readonly tone: TraceTone
}

/**
 * Returns the way of an event: its request, its trigger, this run, the calls of the run, other runs of the event.
 *
 * @param others undefined until they are loaded.
 */
export function traceOf(
  run: RunDetails,
  others: readonly Run[] | undefined,
  now: number,
): readonly TraceStage[] {
  return [requestOf(run, now), triggerOf(run), runStage(run), callsOf(run), ...othersOf(run, others)]
}

function requestOf({ eventId, queuedAt, test, replayOf }: RunDetails, now: number): TraceStage {
  const at = formatClock(queuedAt, now)
  const stage = { id: 'request', isName: false, tone: 'ok' } as const
  if (replayOf !== null) return { ...stage, title: 'Replay', detail: at }
  if (test) return { ...stage, title: 'Test', detail: at, tone: 'off' }
  return eventId === null
    ? { ...stage, title: 'No request', detail: at, tone: 'off' }
    : { ...stage, title: 'Request', detail: `${at} · 200` }
}

function triggerOf({ eventName }: RunDetails): TraceStage {
  return { id: 'trigger', title: 'Trigger', detail: eventName, isName: true, tone: 'ok' }
}

function runStage({ queuedAt, startedAt, status }: RunDetails): TraceStage {
  const stage = { id: 'run', title: 'This run', isName: false, tone: statusTones[status] } as const
  if (startedAt === null) return { ...stage, detail: status === 'cancelled' ? 'never started' : 'queued' }
  const queuedMs = Math.max(0, Date.parse(startedAt) - Date.parse(queuedAt))
  return { ...stage, detail: `queued for ${formatDuration(queuedMs)}` }
}

function callsOf({ steps, endedAt }: RunDetails): TraceStage {
  const calls = steps.flatMap(step => step.attempts).filter(({ callId }) => callId !== null)
  const failed = calls.filter(({ error }) => error !== null).length
  const stage = { id: 'calls', isName: false } as const
  if (calls.length === 0)
    return { ...stage, title: 'No calls', detail: endedAt === null ? 'so far' : 'none', tone: 'off' }
  const title = formatCount(calls.length, 'call')
  if (failed === 0)
    return { ...stage, title, detail: calls.length === 1 ? 'succeeded' : 'all succeeded', tone: 'ok' }
  if (failed === calls.length)
    return { ...stage, title, detail: failed === 1 ? 'failed' : 'all failed', tone: 'bad' }
  // A call that succeeded after failed attempts is what matters.
  const tone = calls.at(-1)?.error === null ? 'ok' : 'bad'
  return { ...stage, title, detail: `${failed} of ${calls.length} failed`, tone }
}

function othersOf({ eventId, runId }: RunDetails, all: readonly Run[] | undefined): readonly TraceStage[] {
  if (eventId === null || all === undefined) return []
  const others = all.filter(other => other.runId !== runId)
  const stage = { id: 'others', isName: false } as const
  if (others.length === 0) return [{ ...stage, title: 'No other runs', detail: 'of this event', tone: 'off' }]
  const { detail, tone } = sumUp(others)
  return [{ ...stage, title: formatCount(others.length, 'other run'), detail, tone }]
}

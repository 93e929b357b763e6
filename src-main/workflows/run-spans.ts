import { sha256Hex } from '#main/lib/sha256-hex.ts'
import { shownHost } from '#main/outbound/masking.ts'
import type { ImpossibleRequest, OutboundRequest } from '#main/outbound/outbound-request.ts'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import { isFanOut, type NewRuns, type Run, type RunEnd, type Started } from '#main/storage/runs.ts'
import type { CallResult } from '#shared/model/call.ts'
import type { Attempted } from './attempt-records.ts'
import type { EffectContext } from './execute.ts'
import { type RunSummary, summaryOf } from './run-view.ts'
import { type TraceContext, traceContextOfEvent } from './trace-context.ts'

/** A span that has ended. Its attributes are ids, methods, codes, hosts and words of closed sets. */
export type Span = {
  readonly name: 'event' | 'run' | 'step' | 'call'
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | null
  /** Whether the parent is a span of another system. */
  readonly isParentRemote: boolean
  /** Milliseconds since 1970, as the end. */
  readonly startedAt: number
  readonly endedAt: number
  readonly attributes: Readonly<Record<string, string | number>>
  readonly hasFailed: boolean
}

/** The root of what this service does in a trace: the same in each process that carries out the same run. */
export type TraceRoot = {
  readonly traceId: string
  /** The span of the sender, and whether it is sampled there; null without one. */
  readonly sender: { readonly spanId: string; readonly isSampled: boolean } | null
}

export type SpanSink = {
  /** Returns whether the spans of a trace are exported. */
  isSampled(root: TraceRoot): boolean
  add(span: Span): void
}

type TracedRun = Pick<Run, 'runId' | 'workflowId' | 'connectionId' | 'eventId' | 'summary'>
type StepOfRun = Pick<EffectContext, 'run' | 'path' | 'attempt'>
type Attributes = Record<string, string | number | null | undefined>
type Times = Pick<Span, 'startedAt' | 'endedAt'>

/** Makes the spans of events, runs, steps and calls. */
export type RunSpans = ReturnType<typeof createRunSpans>

/**
 * Creates the spans of what workflows do. All ids are digests of ids that are stored, so that a run that goes on in another
 * process has the right parents.
 *
 * @param clock milliseconds since 1970.
 */
export function createRunSpans({ isSampled, add }: SpanSink, clock: () => number) {
  function addSpan(
    name: Span['name'],
    root: TraceRoot,
    ids: { readonly spanId: string; readonly parentId: string | null; readonly isParentRemote?: boolean },
    times: Times,
    attributes: Attributes,
    hasFailed = false,
  ): void {
    const { traceId } = root
    add({
      ...{ name, traceId, isParentRemote: false, ...ids, ...times, hasFailed },
      attributes: definedOf(attributes),
    })
  }

  function addRun(run: TracedRun, state: RunEnd['state'], times: Times): void {
    const summary = summaryOf(run)
    const root = rootOfRun(run, summary)
    if (!isSampled(root)) return
    const ids = {
      spanId: runSpanOf(run, summary),
      parentId: isOfEvent(run, summary) ? eventSpanOf(run) : null,
    }
    const attributes = { ...ownAttributes(run), [own('run_state')]: state }
    addSpan('run', root, ids, times, attributes, state === 'failed')
  }

  return {
    /** Adds the spans of an event whose runs are durable, and of the runs that have ended with it. */
    eventStored(event: LoggedEvent, runs: NewRuns, { ids, duplicates }: Started): void {
      const { eventId, connectionId, receivedAt } = event
      const root = rootOfEvent(event, traceContextOfEvent(event))
      if (!isSampled(root)) return
      const spanIds = {
        spanId: eventSpanOf(event),
        parentId: root.sender?.spanId ?? null,
        isParentRemote: true,
      }
      const attributes = { [own('event_id')]: eventId, [own('connection_id')]: connectionId }
      addSpan('event', root, spanIds, { startedAt: receivedAt, endedAt: clock() }, attributes)
      for (const [index, run] of runs.entries()) {
        if (isFanOut(run) || duplicates.has(index) || run.ended === undefined) continue
        const { state, endedAt } = run.ended
        addRun({ ...run, runId: ids[index] ?? '', eventId }, state, { startedAt: run.queuedAt, endedAt })
      }
    },
    /** Adds the span of a run that has ended just now. */
    runEnded(run: TracedRun & Pick<Run, 'queuedAt' | 'startedAt'>, state: RunEnd['state']): void {
      const startedAt = summaryOf(run).retriedAt ?? run.startedAt ?? run.queuedAt
      addRun(run, state, { startedAt, endedAt: clock() })
    },
    /** Returns a function that adds the span of an attempt that begins now. */
    beginStep(step: StepOfRun, type: string): (attempted: Attempted) => void {
      const startedAt = clock()
      return attempted => {
        const root = rootOfRun(step.run)
        // An attempt whose connection takes no calls now does not count.
        const isHeld = !attempted.ok && attempted.held !== undefined && attempted.callId === null
        if (isHeld || !isSampled(root)) return
        const ids = { spanId: stepSpanOf(step), parentId: runSpanOf(step.run) }
        const attributes = {
          ...stepAttributes(step),
          [own('step_type')]: type,
          'error.type': errorOf(attempted),
        }
        addSpan('step', root, ids, { startedAt, endedAt: clock() }, attributes, !attempted.ok)
      }
    },
    /** Returns what the call of a step sends on: itself as the parent. Without its span, that is what its event came with. */
    contextOfCall(step: StepOfRun): TraceContext {
      const given = summaryOf(step.run)
      const root = rootOfRun(step.run, given)
      return isSampled(root) ? { ...given, traceparent: `00-${root.traceId}-${callSpanOf(step)}-01` } : given
    },
    /** Adds the span of a call that has ended just now. */
    called(
      step: StepOfRun,
      request: OutboundRequest | ImpossibleRequest,
      { callId, ok, response, error, timings }: CallResult & { readonly callId: string },
    ): void {
      const root = rootOfRun(step.run)
      if (!isSampled(root)) return
      const endedAt = clock()
      const attributes = {
        ...stepAttributes(step),
        [own('call_id')]: callId,
        'http.request.method': request.method,
        'http.response.status_code': response?.status,
        'server.address': 'error' in request ? null : shownHost(request),
        'error.type': error?.code,
      }
      const ids = { spanId: callSpanOf(step), parentId: stepSpanOf(step) }
      addSpan(
        'call',
        root,
        ids,
        { startedAt: endedAt - Math.round(timings.totalMs), endedAt },
        attributes,
        !ok,
      )
    },
  }
}

const own = (name: string) => `custom_connection.${name}`

/** The length of ids in hexadecimal digits. */
const [traceLength, spanLength] = [32, 16]

/** Connections and workflows have random ids, so that those of two services in one trace store differ. */
const digest = (length: number, ...parts: readonly (string | number | null)[]) =>
  sha256Hex(parts.join(' ')).slice(0, length)

type EventIds = Pick<TracedRun, 'connectionId' | 'eventId'>

/** Returns whether the span of a run belongs to that of an event. A test of a stored event does not. */
const isOfEvent = ({ eventId }: TracedRun, { mode }: RunSummary) => eventId !== null && mode === undefined

/** @param summary that of the run. */
function rootOfRun(run: TracedRun, summary = summaryOf(run)): TraceRoot {
  return isOfEvent(run, summary)
    ? rootOfEvent(run, summary)
    : { traceId: digest(traceLength, 'trace', run.workflowId, run.runId), sender: null }
}

function rootOfEvent({ connectionId, eventId }: EventIds, { traceparent }: TraceContext): TraceRoot {
  if (traceparent === undefined)
    return { traceId: digest(traceLength, 'trace', connectionId, eventId), sender: null }
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-', 4)
  return { traceId, sender: { spanId, isSampled: Number.parseInt(flags, 16) % 2 === 1 } }
}

const eventSpanOf = ({ connectionId, eventId }: EventIds) =>
  digest(spanLength, 'event', connectionId, eventId)

/** A run that is retried after its end has a further span: one that was exported has ended. */
function runSpanOf(run: TracedRun, { retriedAt }: RunSummary = summaryOf(run)): string {
  const ids = [run.workflowId, run.runId]
  return digest(spanLength, 'run', ...ids, ...(retriedAt === undefined ? [] : [retriedAt]))
}
const stepSpanOf = ({ run, path, attempt }: StepOfRun) =>
  digest(spanLength, 'step', run.workflowId, run.runId, path, attempt)
const callSpanOf = ({ run, path, attempt }: StepOfRun) =>
  digest(spanLength, 'call', run.workflowId, run.runId, path, attempt)

const ownAttributes = ({ runId, workflowId, connectionId, eventId }: TracedRun): Attributes => ({
  [own('run_id')]: runId,
  [own('workflow_id')]: workflowId,
  [own('connection_id')]: connectionId,
  [own('event_id')]: eventId,
})

const stepAttributes = ({ run, path, attempt }: StepOfRun): Attributes => ({
  ...ownAttributes(run),
  [own('step')]: path,
  [own('attempt')]: attempt,
})

const errorOf = (attempted: Attempted) => (attempted.ok ? null : attempted.error.code)

function definedOf(attributes: Attributes): Span['attributes'] {
  const defined: Record<string, string | number> = {}
  for (const [name, value] of Object.entries(attributes)) if (value != null) defined[name] = value
  return defined
}

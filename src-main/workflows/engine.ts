import type { Bus } from '#main/lib/bus.ts'
import { later } from '#main/lib/later.ts'
import type { Calls } from '#main/outbound/calls.ts'
import { keptConnection, type WorkflowRecord } from '#main/storage/config.ts'
import { goneConnectionIds } from '#main/storage/config-diff.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import {
  type ClaimedRun,
  type EndedRun,
  isFanOut,
  type NewRun,
  type NewRuns,
  type Run,
  type RunDetails,
  type RunEnd,
  type RunOwner,
  type RunStore,
  type Started,
} from '#main/storage/runs.ts'
import type { Sealing } from '#main/storage/sealing.ts'
import { ServiceError } from '#shared/errors.ts'
import type { WebhookEvent } from '#shared/model/platform/webhook-event.ts'
import type { TriggerPayload } from '#shared/model/trigger.ts'
import type { Environment, Scope } from '#shared/workflows/scope.ts'
import { announcementRuns, type ServiceEvent } from './announcement.ts'
import { decideAtOnce, failureOf, maxPayloadText, maxReadAtOnce } from './decide-at-once.ts'
import { withCondition } from './decides-first.ts'
import { createEventRuns, startedWorkflows } from './event-runs.ts'
import type { Failure } from './failed-run.ts'
import { hurryWaiting } from './held-wait.ts'
import { testLaneOf } from './matching.ts'
import type { RunSpans } from './run-spans.ts'
import { payloadOf, summaryOf, summaryText } from './run-view.ts'
import { createRunner, type RunnerParts } from './runner.ts'
import { createSteps, type StepParts } from './steps.ts'
import { createSubscriptions } from './subscriptions.ts'
import { anyWorkflow, deliveryOf, isForRemovedWebhook } from './webhook.ts'

export type WorkflowEngine = {
  /**
   * Returns the runs that an event starts; often none. Called for every event. A run without
   * outside effects is returned already ended, unless they are more than `maxRunsAtOnce`, or those of all events of its
   * request more than `maxRunsOfList`.
   *
   * @param data of the event's body, which is parsed once. @param events of its request; one by default.
   */
  runsFor(
    event: LoggedEvent,
    workspaceId: string,
    data: Readonly<Record<string, unknown>>,
    events?: number,
  ): NewRuns
  /** Called when the runs of an event are durable: begins those that are queued. */
  stored(runs: NewRuns, started: Started, event: LoggedEvent): void
  /**
   * Runs a workflow without waits and retries, enabled or not, and returns the ended run.
   *
   * @param data the body of an event: `{event, data}`.
   * @throws ServiceError `run_interrupted`, `storage_unavailable`.
   */
  test(workflow: WorkflowRecord, data: string, options: TestOptions): Promise<RunDetails>
  /**
   * Sends an event to the webhook of a workspace, if it has one that is on. The delivery is durable when this resolves.
   *
   * @throws ServiceError `unavailable`.
   */
  deliver(workspaceId: string, event: WebhookEvent): Promise<void>
  /**
   * Starts the workflows of a workspace that take an event of this service, and tells its webhook if that wants alerts. With
   * the same key again, it starts only what has not started yet. All is durable when this resolves.
   *
   * @throws ServiceError `unavailable`.
   */
  announce(workspaceId: string, event: ServiceEvent): Promise<void>
  /** @throws ServiceError `run_not_found`, `run_ended`. */
  cancel(runId: string): Promise<RunDetails>
  /** Continues a failed or cancelled run, or makes its next attempt now. @throws ServiceError `run_not_found`, `run_not_retriable`. */
  retry(runId: string): Promise<RunDetails>
  /** Makes the runs due that wait until a connection takes calls again. */
  goOn(connectionId: string): Promise<void>
  /** @throws ServiceError `run_not_found`. */
  get(runId: string): Promise<RunDetails>
  /** Publishes the id of each run that has changed; null for runs whose ids are not known here. */
  readonly changes: Bus<string | null>
  /** Returns how many runs are carried out here now. */
  underWay(): number
  /** Begins to run. */
  start(): void
  /** Leaves runs that have not begun to other nodes. */
  drain(): void
  stop(): Promise<void>
}

type TestOptions = {
  readonly eventName: string
  readonly connectionId: string | null
  readonly eventId: string | null
  readonly isDryRun: boolean
  /** Header fields of the event, for the condition of the trigger; none by default. */
  readonly headers?: Scope['headers']
}

export type FailureOfRun = Failure &
  Pick<ClaimedRun, 'runId' | 'workflowId' | 'connectionId' | 'data'> & {
    readonly workflowName: string
    readonly event: { readonly eventId: string | null; readonly eventName: string }
    readonly test: boolean
  }

export type EngineParts = {
  readonly store: Pick<ConfigStore, 'snapshot' | 'onChange'>
  readonly runs: RunStore
  readonly sealing: Sealing
  readonly calls: Calls
  /** Returns how many processes make calls of workflows, this one included; 1 by default. */
  readonly living?: () => number
  /** Returns the value of an environment variable; undefined if it is not set. */
  readonly variable: (name: string) => string | undefined
  /** Returns it for a step: null for a token, which `fetching` fetches. By default it is the same. */
  readonly stepVariable?: Environment
  readonly fetching?: StepParts['fetching']
  readonly notify: StepParts['notify']
  /** Called when a run has ended as failed, and that is durable. */
  readonly onFailed: (failure: FailureOfRun) => void
  /** Called when runs of an event are durable, with their workflows. Called for every event with runs. */
  readonly onStarted?: (event: LoggedEvent, workflowIds: readonly string[]) => void
  readonly onEnded?: (run: RunOwner | Run, state: RunEnd['state']) => void
  readonly onRetry?: RunnerParts['onRetry']
  readonly spans?: RunSpans | undefined
  readonly onError: (error: unknown) => void
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** From 0 to 1. */
  readonly chance?: () => number
  readonly after?: (delayMs: number, callback: () => void) => () => void
}

/** Milliseconds between two looks at a run that may end in another process. */
const pollMs = 1000

/** Creates the workflow engine: it decides which runs an event starts, and runs them. */
export function createWorkflowEngine(parts: EngineParts): WorkflowEngine {
  const {
    store,
    runs,
    sealing,
    calls,
    living = () => 1,
    variable,
    stepVariable = variable,
    fetching,
    notify,
    onFailed,
    onStarted,
    onEnded,
    onRetry,
    spans,
    onError,
    clock,
    chance = Math.random,
    after = later,
  } = parts
  const config = () => store.snapshot()
  const discards = ({ connectionId }: Pick<NewRun, 'connectionId'>) =>
    keptConnection(config(), connectionId ?? '')?.persistEvents === false
  let subscribersOf = createSubscriptions(config().workflows.values())
  let isStopped = false
  /** Called when the service stops. */
  const waiting = new Set<() => void>()
  const workflowOf = (run: ClaimedRun) =>
    isForRemovedWebhook(config(), run) ? undefined : anyWorkflow(config(), run.workflowId)
  const runner = createRunner({
    ...{ runs, sealing },
    workflowOf,
    payloadOf: ({ data, connectionId }) => payloadOf(data, connectionId),
    variable: stepVariable,
    decide,
    perform: createSteps({ config, calls, living, variable, fetching, notify, spans }),
    discards,
    modeOf: run => summaryOf(run).mode ?? 'normal',
    onFailed(run, failure) {
      const { eventName, mode } = summaryOf(run)
      announceFailed(run, { eventId: run.eventId, eventName }, mode !== undefined, failure)
    },
    onEnded: runEnded,
    ...(onRetry && { onRetry }),
    onError,
    clock,
    random: chance,
    after,
  })

  const runsFor = createEventRuns({
    subscribersOf: (workspaceId, event) => subscribersOf(workspaceId, event),
    ...{ discards, environment: stepVariable, onError },
  })

  const stopFollowing = store.onChange((next, _previous, diff) => {
    if (diff.workflows.length > 0) subscribersOf = createSubscriptions(next.workflows.values())
    for (const { id, after } of diff.workflows)
      if (after === undefined) void runs.forgetKeys(id).catch(onError)
    if (diff.workflows.length + diff.workspaces.length + diff.held.length > 0)
      endRunsOf(goneConnectionIds(next, diff))
  })

  function runEnded(run: Run, state: RunEnd['state']): void {
    onEnded?.(run, state)
    spans?.runEnded(run, state)
  }

  const stopCancelled = runs.cancelled.subscribe(cancelled =>
    // A later attempt goes on: the run was retried.
    runner.interrupt(
      ({ runId, claimNumber }) => runId === cancelled.runId && claimNumber <= cancelled.claimNumber,
    ),
  )

  /** Interrupts the runs of deleted workflows and connections, and begins those that may run now. */
  function endRunsOf(connectionIds: readonly string[]): void {
    const gone = new Set<string | null>(connectionIds)
    runner.interrupt(run => gone.has(run.connectionId) || workflowOf(run) === undefined)
    runner.wake()
  }

  /** The payload of the newest run that `decide` looked at: the runs of a fan-out share theirs. */
  let shared: {
    readonly data: string
    readonly connectionId: string | null
    payload: TriggerPayload | null
    /** Whether the runs must be executed, to find out whether the event fits. */
    isUndecided: boolean
  } = {
    data: '',
    connectionId: null,
    payload: null,
    isUndecided: false,
  }

  /** Ends the run of a fan-out that decides everything by itself, or whose workflow is gone. Returns null for others. */
  function decide(run: ClaimedRun): EndedRun | null {
    const { data, connectionId } = run
    const workflow = workflowOf(run)
    const now = run.startedAt ?? clock()
    const discard = discards(run)
    if (workflow === undefined || run.isCancelled === true)
      return { state: 'cancelled', endedAt: now, error: null, discard, steps: [] }
    if (data.length > maxPayloadText) return null
    if (data !== shared.data || connectionId !== shared.connectionId)
      shared = {
        ...{ data, connectionId, payload: payloadOf(data, connectionId) },
        isUndecided: summaryOf(run).undecided === true,
      }
    const { payload, isUndecided } = shared
    if (payload === null || isUndecided) return null
    const budget = { left: maxReadAtOnce }
    return decideAtOnce(workflow, payload, { now, discard, environment: stepVariable, budget })
  }

  function announceFailed(
    {
      runId,
      workflowId,
      connectionId,
      data,
    }: Pick<ClaimedRun, 'runId' | 'workflowId' | 'connectionId' | 'data'>,
    event: FailureOfRun['event'],
    test: boolean,
    failure: Failure,
  ): void {
    const workflowName = anyWorkflow(config(), workflowId)?.name ?? workflowId
    try {
      onFailed({ ...failure, runId, workflowId, workflowName, connectionId, event, test, data })
    } catch (error) {
      // The run is durable, and so is its event, whose sender must get 200.
      onError(error)
    }
  }

  async function get(runId: string): Promise<RunDetails> {
    const run = await runs.get(runId)
    if (run === null) throw new ServiceError('run_not_found')
    return run
  }

  /**
   * Waits until a run has ended, here or in another process. @throws ServiceError `run_interrupted` when the service
   * stops first.
   */
  async function endOf(runId: string): Promise<RunDetails> {
    for (;;) {
      const next = Promise.withResolvers<void>()
      // Before the run is read, so that no change is missed.
      const unsubscribe = runs.changes.subscribe(id => {
        if (id === runId) next.resolve()
      })
      const cancelPoll = after(pollMs, next.resolve)
      waiting.add(next.resolve)
      try {
        const run = await get(runId)
        if (run.endedAt !== null) return run
        if (isStopped) throw new ServiceError('run_interrupted')
        await next.promise
      } finally {
        unsubscribe()
        cancelPoll()
        waiting.delete(next.resolve)
      }
    }
  }

  /** Tells of the runs of an event that had ended when they were stored, and begins the others. */
  function ended(runs: NewRuns, { ids, duplicates }: Started, event: FailureOfRun['event']): void {
    for (const [index, run] of runs.entries()) {
      if (isFanOut(run) || duplicates.has(index) || run.ended === undefined) continue
      onEnded?.(run, run.ended.state)
      const failure = failureOf(run.ended)
      if (failure !== null) announceFailed({ ...run, runId: ids[index] ?? '' }, event, false, failure)
    }
    if (runs.some(run => isFanOut(run) || run.ended === undefined)) runner.wake()
  }

  function stored(runs: NewRuns, started: Started, event: LoggedEvent): void {
    const { eventId, eventName } = event
    spans?.eventStored(event, runs, started)
    onStarted?.(event, startedWorkflows(runs, started))
    ended(runs, started, { eventId, eventName })
  }

  return {
    runsFor,
    stored,
    async announce(workspaceId, event) {
      const started = announcementRuns(config().workspaces.get(workspaceId), event, runsFor)
      if (started.length === 0) return
      ended(started, await runs.start(started, null), { eventId: null, eventName: event.eventName })
    },
    async test(workflow, data, { eventName, connectionId, eventId, isDryRun, headers = {} }) {
      const { workflowId, workspaceId } = workflow
      // A lane of its own: a disabled or busy workflow can be tested too.
      const run = {
        workflowId,
        workspaceId,
        connectionId,
        lane: testLaneOf(workflowId),
        queuedAt: clock(),
        ...withCondition(workflow, { data, connectionId }, headers, {
          ...{ eventName, mode: isDryRun ? 'dry' : 'test' },
        }),
      }
      const {
        ids: [runId = ''],
      } = await runs.start([run], eventId)
      runner.wake()
      return endOf(runId)
    },
    async deliver(workspaceId, event) {
      const workspace = config().workspaces.get(workspaceId)
      const run = workspace && deliveryOf(workspace, event, clock())
      if (!run) return
      await runs.start([run], null)
      runner.wake()
    },
    async cancel(runId) {
      const run = await get(runId)
      if (!(await runs.cancel(runId, { endedAt: clock(), discard: discards(run) })))
        throw new ServiceError('run_ended')
      runEnded(run, 'cancelled')
      return get(runId)
    },
    async retry(runId) {
      const run = await get(runId)
      const summary = summaryText({ ...summaryOf(run), retriedAt: clock() })
      if (isForRemovedWebhook(config(), run) || !(await runs.reopen(runId, summary)))
        throw new ServiceError('run_not_retriable')
      runner.wake()
      return get(runId)
    },
    async goOn(connectionId) {
      if (await hurryWaiting(runs, connectionId, () => isStopped)) runner.wake()
    },
    get,
    changes: runs.changes,
    underWay: runner.underWay,
    start: runner.wake,
    drain: runner.drain,
    async stop() {
      stopFollowing()
      await runner.stop()
      stopCancelled()
      isStopped = true
      for (const wake of waiting) wake()
    },
  }
}

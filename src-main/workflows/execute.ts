import { z } from 'zod'
import type { TimeSlices } from '#main/lib/time-slices.ts'
import type { Initiator } from '#main/outbound/outbound-request.ts'
import { retryAfterMs } from '#main/outbound/retry-after.ts'
import type { ClaimedRun, Run, RunEnd, RunStep, RunStore } from '#main/storage/runs.ts'
import type { Sealing } from '#main/storage/sealing.ts'
import { isUnavailable } from '#main/storage/unavailable.ts'
import { dayMs } from '#shared/durations.ts'
import type { RunErrorCode } from '#shared/errors/run.ts'
import { serviceErrors } from '#shared/errors.ts'
import { mask } from '#shared/model/environment.ts'
import type { TriggerPayload } from '#shared/model/trigger.ts'
import type { Workflow } from '#shared/model/workflow.ts'
import { callsReadIn } from '#shared/workflows/call-facts.ts'
import {
  interpret,
  knownOutcome,
  type Outcome,
  type Request,
  type Unfetched,
} from '#shared/workflows/interpreter.ts'
import type { Environment } from '#shared/workflows/scope.ts'
import { type Effect, walkSteps } from '#shared/workflows/steps/kinds.ts'
import type { End, FailurePolicy, StepError } from '#shared/workflows/steps/step-kind.ts'
import { stopped } from '#shared/workflows/steps/stop.ts'
import {
  type Attempted,
  begun,
  callRead,
  createTextLimit,
  ended,
  failure,
  hideComputed,
  masked,
  success,
} from './attempt-records.ts'
import { type Ended, endOfUndecided } from './decides-first.ts'
import { type Failure, failedPath } from './failed-run.ts'
import { errorWithWait, heldWait } from './held-wait.ts'
import { createPrivateValues, type PrivateValues } from './private-values.ts'
import { retryDelay } from './retry.ts'
import { runFacts } from './run-facts.ts'

/** An error with a code of `errors/run.ts`. */
type CodedError = StepError & { readonly code: RunErrorCode }

/** The run and the step that an effect belongs to. */
export type EffectContext = {
  readonly run: ClaimedRun
  readonly path: string
  /** From 1. */
  readonly attempt: number
  readonly isDryRun: boolean
  /** Whether the run can wait until its connection takes calls again. */
  readonly comesAgain: boolean
  /** Whether nothing of the payload may be kept. */
  readonly discard: boolean
  /** Whether nothing of the step is shown. */
  readonly isPrivate: boolean
  /** Returns what records keep of its calls; undefined for everything. */
  readonly kept: Initiator['kept']
  /** Set if values have to be fetched first. */
  readonly unfetched?: Unfetched | undefined
  readonly signal: AbortSignal
}

/** The effects that reach beyond the run. */
export type OuterEffect = Exclude<Effect, { kind: 'wait' | 'decided' | 'failed' }>

export type ExecutionParts = {
  readonly runs: RunStore
  readonly sealing: Sealing
  /** Returns the workflow of a run as it is now; undefined if it was deleted. */
  readonly workflowOf: (run: ClaimedRun) => Workflow | undefined
  /** Returns the payload that started a run; null if the stored payload cannot be read. */
  readonly payloadOf: (run: ClaimedRun) => TriggerPayload | null
  readonly variable: Environment
  readonly perform: (effect: OuterEffect, context: EffectContext) => Promise<Attempted>
  /** Returns whether the payload of a run is deleted once it has ended. */
  readonly discards: (run: ClaimedRun) => boolean
  /** A test neither waits nor retries; a dry run calls nothing either. */
  readonly modeOf: (run: ClaimedRun) => 'normal' | 'test' | 'dry'
  readonly onError: (error: unknown) => void
  /** Called when a run has ended as failed. */
  readonly onFailed: (run: ClaimedRun, failure: Failure) => void
  /** Called when a run has ended in whatever way, and that is durable. */
  readonly onEnded?: (run: Run, state: RunEnd['state']) => void
  /** Called when a step has failed and will be attempted again. */
  readonly onRetry?: () => void
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** From 0 to 1. */
  readonly random: () => number
}

/** Abandons a run that was interrupted or claimed elsewhere. It must not write to the run again. */
export class RunLeft extends Error {}

export type Control = {
  /** Interrupts the effect under way. */
  readonly signal: AbortSignal
  /** Whether no further step may begin. */
  readonly isStopping: () => boolean
  /** In which all runs compute. */
  readonly slices: TimeSlices
}

/** Maximum number of UTF-16 units of values that wait to be written. */
const maxUnwrittenText = 1024 * 1024
/** A step waits for at most a year. */
const maxWaitMs = 366 * dayMs
/** Part of the output of a step that had nothing to wait for. */
const passed = { note: 'The time had already passed, so the run went on at once.' }

/** An error as it is stored with an attempt. `isFinal` is set if no further attempt follows automatically. */
type StoredError = StepError & { readonly isFinal?: true | undefined }

/**
 * Carries out a claimed run until it ends or has to wait. The outcome of each effect is stored before the next begins.
 *
 * @throws RunLeft
 */
export async function execute(parts: ExecutionParts, run: ClaimedRun, control: Control): Promise<void> {
  try {
    await carryOut(parts, run, control)
  } catch (error) {
    // A run that was interrupted because its workflow was deleted would only be claimed again to be cancelled.
    if (!(error instanceof RunLeft) || parts.workflowOf(run) !== undefined) throw error
    await cancel(parts, run)
  }
}

async function cancel({ runs, clock, discards, onEnded }: ExecutionParts, run: ClaimedRun): Promise<void> {
  const end = {
    ...({ state: 'cancelled', endedAt: clock(), error: null } as const),
    ...{ discard: discards(run), unseal: true },
  }
  if (await runs.finish(run, end, [])) onEnded?.(run, end.state)
}

async function carryOut(parts: ExecutionParts, run: ClaimedRun, control: Control): Promise<void> {
  const { runs, clock, random } = parts
  const { signal, slices } = control
  const discard = parts.discards(run)
  const mode = parts.modeOf(run)
  const earlier = attemptsByPath(run.claimNumber > 1 ? ((await runs.get(run.runId))?.steps ?? []) : [])
  // Read last, so that the first effect is that of the workflow as it is now.
  const workflow = parts.workflowOf(run)
  if (workflow === undefined || run.isCancelled === true) return cancel(parts, run)
  const privates = createPrivateValues(run.runId, parts.sealing)
  let unseal = [...earlier.values()].flat().some(({ sealed }) => sealed != null)
  let failedCall: string | null = null
  /** The step carried out last, and its call if that failed. */
  let last: { path: string; ok: boolean; callId: string | null } | null = null
  const payload = await slices.run(() => parts.payloadOf(run))
  if (payload === null) {
    const unreadable: CodedError = { code: 'damaged_payload', message: 'The stored payload cannot be read.' }
    return finish({ status: 'failed', error: unreadable }, [])
  }
  // With a step, it was decided before.
  const early = earlier.size > 0 ? null : await slices.run(() => endOfUndecided(run, payload, workflow))
  // A test goes on, and says whether its event fits.
  if (early !== null && (early.status === 'failed' || mode === 'normal')) return finish(early, [])
  const policies = policiesOf(workflow)
  const read = callsReadIn(workflow.steps)
  const limit = createTextLimit([...earlier.values()].flat())
  /** Attempts without an effect outside the run. They are written together with the next one that has an effect. */
  let unwritten: RunStep[] = []
  let unwrittenText = 0

  async function finish({ status, error: cause }: Ended, steps: readonly RunStep[]): Promise<void> {
    const endedAt = clock()
    const error = cause && { code: cause.code, message: privates.text(cause.message) }
    const end = { state: status, endedAt, error: error && JSON.stringify(error), discard, unseal }
    if (!(await runs.finish(run, end, steps))) return
    parts.onEnded?.(run, status)
    if (status !== 'failed' || error === null) return
    const path = last && failedPath(error, last)
    parts.onFailed(run, { error, endedAt, path, callId: last?.callId ?? null, discard })
  }

  async function write(...more: RunStep[]): Promise<void> {
    const steps = [...unwritten, ...more]
    unwritten = []
    unwrittenText = 0
    if (!(await runs.record(run, steps))) throw new RunLeft()
  }

  async function writeLater(step: RunStep): Promise<void> {
    unwritten.push(step)
    unwrittenText += (step.input?.length ?? 0) + (step.output?.length ?? 0)
    if (unwrittenText > maxUnwrittenText) await write()
  }

  /** Gives the run back to the queue until it is due again. Returns null for the caller to return. */
  async function giveBack(dueAt: number, error: StepError | null, step: RunStep): Promise<null> {
    const isStored = await runs.retryAt(run, dueAt, error && JSON.stringify(error), [...unwritten, step])
    if (isStored && error !== null) parts.onRetry?.()
    return null
  }

  const begin = (request: Request, attempt: number) => begun(request, attempt, clock(), limit, privates)
  const end = (step: RunStep, outcome: Outcome & Partial<Attempted>) =>
    ended(step, outcome, clock(), privates)

  /** Returns the outcome of a step; null if the run was given back to the queue until it is due again. */
  async function outcomeOf(request: Request): Promise<Outcome | null> {
    const { effect, key, path } = request
    const attempts = earlier.get(path) ?? []
    const last = attempts.at(-1)
    const known = knownOutcome(effect)
    if (known !== null) {
      hideComputed(request.isPrivate, known, privates)
      if (last === undefined) await writeLater(limit.apply(end(begin(request, 1), known)))
      return known
    }
    if (effect.kind === 'wait') return waitFor(request, effect, last)
    if (effect.kind === 'decided' || effect.kind === 'failed') return known
    const policy = policies.get(key) ?? 'retry'
    const settled = last === undefined ? null : outcomeOfStored(last, policy, effect, privates)
    return settled ?? attempt(request, effect, attempts, policy)
  }

  async function attempt(
    request: Request,
    effect: OuterEffect,
    earlier: readonly RunStep[],
    policy: FailurePolicy,
  ): Promise<Outcome | null> {
    const { path, isPrivate, unfetched } = request
    const step = begin(request, earlier.length + 1)
    const comesAgain = mode === 'normal'
    const own = { run, path, attempt: step.attempt }
    const context = { ...own, isDryRun: mode === 'dry', comesAgain, discard, isPrivate, unfetched, signal }
    const shown = effect.kind === 'notify' ? { ...effect, message: privates.text(effect.message) } : effect
    const attempted = masked(
      await parts.perform(shown, { ...context, kept: privates.kept(isPrivate) }).catch(unexpected),
      privates,
    )
    if (signal.aborted) throw new RunLeft()
    const done = limit.apply(end(step, { ...attempted, call: callRead(attempted, read.get(request.key)) }))
    unseal ||= done.sealed != null
    if (attempted.ok) {
      await write(done)
      return success(done, privates)
    }
    const { error, isRetriable, response = null } = attempted
    const mayRetry = isRetriable && mode === 'normal' && policy !== 'stop'
    const now = clock()
    const wait = heldWait(run, path, attempted, policy, now, random())
    if (wait !== null) {
      await runs.retryAt(run, wait.dueAt, JSON.stringify(wait.error), unwritten)
      return null
    }
    const failed = attemptsInTurn(earlier) + 1
    const delay = mayRetry ? retryDelay(failed, random(), retryAfterMs(response, now)) : null
    if (delay !== null) return giveBack(now + delay, errorWithWait(run, path, error), done)
    const stored: StoredError = { ...error, isFinal: true }
    const final = { ...done, error: JSON.stringify(stored) }
    failedCall = done.callId
    if (policy === 'continue') await write(final)
    // Written together with the end of the run, so that a crash between the two cannot cause another attempt.
    else unwritten.push(final)
    return failure(final, error, privates)
  }

  async function waitFor(
    request: Request,
    effect: Extract<Effect, { kind: 'wait' }>,
    stored: RunStep | undefined,
  ): Promise<Outcome | null> {
    const now = clock()
    const step = stored ?? begin(request, 1)
    const until = 'until' in effect ? effect.until : step.startedAt + effect.forMs
    const isOver = until <= now || mode !== 'normal'
    const outcome: Outcome =
      until - step.startedAt > maxWaitMs
        ? { ok: false, error: { code: 'invalid_time', message: 'A step can wait for at most a year.' } }
        : {
            ok: true,
            output: { until: new Date(until).toISOString(), ...(until < step.startedAt && passed) },
          }
    if (outcome.ok && !isOver) return giveBack(until, null, step)
    if (stored?.endedAt == null) unwritten.push(end(step, outcome))
    return outcome
  }

  function unexpected(error: unknown): Attempted {
    // The run goes on at a node that may make its calls.
    if (signal.aborted || isUnavailable(error)) throw new RunLeft()
    parts.onError(error)
    return {
      ok: false,
      error: { code: 'internal_error', message: serviceErrors.internal_error.message },
      isRetriable: false,
      callId: null,
    }
  }

  const interpretation = interpret(workflow.steps, payload, parts.variable, undefined, runFacts(run))
  let next = await slices.run(() => interpretation.next())
  while (next.done !== true) {
    if (control.isStopping() || signal.aborted) throw new RunLeft()
    const request = privates.isFull() ? { ...next.value, isPrivate: true } : next.value
    const { path } = request
    failedCall = null
    const outcome = await outcomeOf(request)
    if (outcome === null) return
    last = { path, ok: outcome.ok, callId: failedCall }
    next = await slices.run(() => interpretation.next(outcome))
  }
  await finish(discard ? withoutValues(next.value) : next.value, unwritten)
}

/** Removes inserted payload values from the end of a run. */
export function withoutValues(end: End): End {
  return end.error?.code === stopped.code ? { status: 'failed', error: stopped } : end
}

function policiesOf({ steps }: Workflow): Map<string, FailurePolicy> {
  return new Map(Array.from(walkSteps(steps), ({ step }) => [step.key, step.onFailure ?? 'retry']))
}

function attemptsByPath(steps: readonly RunStep[]): Map<string, RunStep[]> {
  const byPath = new Map<string, RunStep[]>()
  for (const step of steps) {
    const attempts = byPath.get(step.path)
    if (attempts === undefined) byPath.set(step.path, [step])
    else attempts.push(step)
  }
  return byPath
}

/** Returns the stored outcome; null if another attempt follows, also because the sealed output is not there any more. */
function outcomeOfStored(
  last: RunStep,
  policy: FailurePolicy,
  effect: OuterEffect,
  privates: PrivateValues,
): Outcome | null {
  const error = storedError(last)
  if (error === null) {
    if (last.sealed === undefined || privates.open(last) !== null) return success(last, privates)
    // A message is not shown twice.
    return effect.kind === 'notify' ? { ok: true, output: { message: effect.message }, shown: mask } : null
  }
  // A run with a final failure is here again because its policy is `continue`, or because somebody retried it.
  const isDeleted = last.sealed !== undefined && privates.open(last) === null
  return error.isFinal && policy === 'continue' && !isDeleted ? failure(last, error, privates) : null
}

/** Returns how many attempts have failed since somebody last retried the run. */
function attemptsInTurn(attempts: readonly RunStep[]): number {
  const isLast = (error: StoredError | null) => error === null || error.isFinal === true
  return attempts.length - 1 - attempts.findLastIndex(step => isLast(storedError(step)))
}

const StoredErrorJson = z.object({
  code: z.string(),
  message: z.string(),
  isFinal: z.literal(true).optional(),
})

function storedError({ error }: RunStep): StoredError | null {
  return error === null ? null : StoredErrorJson.parse(JSON.parse(error))
}

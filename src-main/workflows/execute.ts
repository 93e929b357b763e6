import { z } from 'zod'
import type { TimeSlices } from '#main/lib/time-slices.ts'
import { type ClaimedRun, maxStepText, type RunStep, type RunStore } from '#main/storage/runs.ts'
import { isUnavailable } from '#main/storage/unavailable.ts'
import { dayMs } from '#shared/durations.ts'
import type { RunErrorCode } from '#shared/errors/run.ts'
import { serviceErrors } from '#shared/errors.ts'
import { parseExact } from '#shared/json/exact-json.ts'
import { stringifyUpTo } from '#shared/json/stringify-up-to.ts'
import type { TriggerPayload } from '#shared/model/trigger.ts'
import type { Workflow } from '#shared/model/workflow.ts'
import { interpret, knownOutcome, type Outcome, type Request } from '#shared/workflows/interpreter.ts'
import { doesOf, type Effect, walkSteps } from '#shared/workflows/steps/kinds.ts'
import type { End, FailurePolicy, StepError } from '#shared/workflows/steps/step-kind.ts'
import { stopped } from '#shared/workflows/steps/stop.ts'
import { type Failure, failedPath } from './failed-run.ts'
import { type RetryHint, retryAfterMs, retryDelay } from './retry.ts'

/** An error with a code of `errors/run.ts`. */
type CodedError = StepError & { readonly code: RunErrorCode }

/** The result of an attempt at a step. */
export type Attempted = (
  | { readonly ok: true; readonly output: unknown }
  | {
      readonly ok: false
      readonly error: StepError
      readonly isRetriable: boolean
      /** Says when to retry; absent without a response. */
      readonly response?: RetryHint | null
    }
) & {
  readonly callId: string | null
  /** The input that was sent; absent if it is the input of the request. */
  readonly input?: unknown
}

/** The run and the step that an effect belongs to. */
export type EffectContext = {
  readonly run: ClaimedRun
  readonly path: string
  readonly isDryRun: boolean
  /** Whether nothing of the payload may be kept. */
  readonly discard: boolean
  readonly signal: AbortSignal
}

/** The effects that reach beyond the run. */
export type OuterEffect = Exclude<Effect, { kind: 'wait' | 'decided' | 'failed' }>

export type ExecutionParts = {
  readonly runs: RunStore
  /** Returns the workflow of a run as it is now; undefined if it was deleted. */
  readonly workflowOf: (run: ClaimedRun) => Workflow | undefined
  /** Returns the payload that started a run; null if the stored payload cannot be read. */
  readonly payloadOf: (run: ClaimedRun) => TriggerPayload | null
  /** Returns the value of an environment variable; undefined if it is not set. */
  readonly variable: (name: string) => string | undefined
  readonly perform: (effect: OuterEffect, context: EffectContext) => Promise<Attempted>
  /** Returns whether the payload of a run is deleted once it has ended. */
  readonly discards: (run: ClaimedRun) => boolean
  /** A test neither waits nor retries; a dry run calls nothing either. */
  readonly modeOf: (run: ClaimedRun) => 'normal' | 'test' | 'dry'
  readonly onError: (error: unknown) => void
  /** Called when a run has ended as failed. */
  readonly onFailed: (run: ClaimedRun, failure: Failure) => void
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

/** Maximum number of UTF-16 units of inputs, and of outputs, that one run stores. Further ones are left out. */
export const maxRunText = 16 * 1024 * 1024
/** The same of inputs of branches and loops alone. */
export const maxComputedText = 2 * 1024 * 1024
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

async function cancel({ runs, clock, discards }: ExecutionParts, run: ClaimedRun): Promise<void> {
  const end = { state: 'cancelled', endedAt: clock(), error: null, discard: discards(run) } as const
  await runs.finish(run, end, [])
}

async function carryOut(parts: ExecutionParts, run: ClaimedRun, control: Control): Promise<void> {
  const { runs, clock, random } = parts
  const { signal, slices } = control
  const discard = parts.discards(run)
  const mode = parts.modeOf(run)
  const earlier = attemptsByPath(run.attempt > 1 ? ((await runs.get(run.runId))?.steps ?? []) : [])
  // Read last, so that the first effect is that of the workflow as it is now.
  const workflow = parts.workflowOf(run)
  if (workflow === undefined || run.isCancelled === true) return cancel(parts, run)
  let failedCall: string | null = null
  /** The step carried out last, and its call if that failed. */
  let last: { path: string; ok: boolean; callId: string | null } | null = null
  const payload = await slices.run(() => parts.payloadOf(run))
  if (payload === null) {
    const unreadable: CodedError = { code: 'damaged_payload', message: 'The stored payload cannot be read.' }
    return finish({ status: 'failed', error: unreadable }, [])
  }
  const policies = policiesOf(workflow)
  const limit = createTextLimit([...earlier.values()].flat())
  /** Attempts without an effect outside the run. They are written together with the next one that has an effect. */
  let unwritten: RunStep[] = []
  let unwrittenText = 0

  async function finish({ status, error }: End, steps: readonly RunStep[]): Promise<void> {
    const endedAt = clock()
    const end = { state: status, endedAt, error: error && JSON.stringify(error), discard }
    if (!(await runs.finish(run, end, steps)) || status !== 'failed' || error === null) return
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
    await runs.retryAt(run, dueAt, error && JSON.stringify(error), [...unwritten, step])
    return null
  }

  /** Returns the outcome of a step; null if the run was given back to the queue until it is due again. */
  async function outcomeOf(request: Request): Promise<Outcome | null> {
    const { effect, key, path } = request
    const attempts = earlier.get(path) ?? []
    const last = attempts.at(-1)
    const known = knownOutcome(effect)
    if (known !== null) {
      if (last === undefined)
        await writeLater(limit.apply(ended(begun(request, 1, clock(), limit), known, clock())))
      return known
    }
    if (effect.kind === 'wait') return waitFor(request, effect, last)
    if (effect.kind === 'decided' || effect.kind === 'failed') return known
    const policy = policies.get(key) ?? 'retry'
    const settled = last === undefined ? null : outcomeOfStored(last, policy)
    return settled ?? attempt(request, effect, attempts, policy)
  }

  async function attempt(
    request: Request,
    effect: OuterEffect,
    earlier: readonly RunStep[],
    policy: FailurePolicy,
  ): Promise<Outcome | null> {
    const step = begun(request, earlier.length + 1, clock(), limit)
    const attempted = await parts
      .perform(effect, { run, path: request.path, isDryRun: mode === 'dry', discard, signal })
      .catch(unexpected)
    if (signal.aborted) throw new RunLeft()
    const done = limit.apply(ended(step, attempted, clock()))
    if (attempted.ok) {
      await write(done)
      return { ok: true, output: outputOf(done) }
    }
    const { error, isRetriable, response = null } = attempted
    const mayRetry = isRetriable && mode === 'normal' && policy !== 'stop'
    const now = clock()
    const failed = attemptsInTurn(earlier) + 1
    const delay = mayRetry ? retryDelay(failed, random(), retryAfterMs(response, now)) : null
    if (delay !== null) return giveBack(now + delay, error, done)
    const stored: StoredError = { ...error, isFinal: true }
    const final = { ...done, error: JSON.stringify(stored) }
    failedCall = done.callId
    if (policy === 'continue') await write(final)
    // Written together with the end of the run, so that a crash between the two cannot cause another attempt.
    else unwritten.push(final)
    return { ok: false, error }
  }

  async function waitFor(
    request: Request,
    effect: Extract<Effect, { kind: 'wait' }>,
    stored: RunStep | undefined,
  ): Promise<Outcome | null> {
    const now = clock()
    const step = stored ?? begun(request, 1, now, limit)
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
    if (stored?.endedAt == null) unwritten.push(ended(step, outcome, now))
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

  const interpretation = interpret(workflow.steps, payload, parts.variable)
  let next = await slices.run(() => interpretation.next())
  while (next.done !== true) {
    if (control.isStopping() || signal.aborted) throw new RunLeft()
    const { path } = next.value
    failedCall = null
    const outcome = await outcomeOf(next.value)
    if (outcome === null) return
    last = { path, ok: outcome.ok, callId: failedCall }
    next = await slices.run(() => interpretation.next(outcome))
  }
  await finish(discard ? withoutValues(next.value) : next.value, unwritten)
}

type TextLimit = ReturnType<typeof createTextLimit>

/** Returns whether a stored step only decides: its input is the values that conditions read. */
const isComputed = (type: string) => doesOf(type) === 'decide'

/**
 * Leaves out the input or the output of an attempt once the run has stored `maxRunText` of them, or `maxComputedText` of
 * steps that only compute. Otherwise an event could fill the memory and the disk: a loop can insert the same large field
 * into each step.
 *
 * @param stored the attempts that are stored already.
 */
function createTextLimit(stored: readonly RunStep[]) {
  const sizeOf = (text: string | null) => Math.min(text?.length ?? 0, maxStepText)
  const inputs = { all: 0, computed: 0 }
  let outputs = 0
  for (const step of stored) add(step)

  function mayKeepInput(type: string, size: number): boolean {
    const more = Math.min(size, maxStepText)
    if (isComputed(type) && inputs.computed + more > maxComputedText) return false
    return inputs.all + more <= maxRunText
  }

  function add({ type, input, output }: RunStep): void {
    inputs.all += sizeOf(input)
    if (isComputed(type)) inputs.computed += sizeOf(input)
    outputs += sizeOf(output)
  }

  return {
    /** Returns whether the input of a step may be kept that has at least `size` UTF-16 units. */
    mayKeepInput,
    apply(step: RunStep): RunStep {
      const keepsInput = mayKeepInput(step.type, sizeOf(step.input))
      const keepsOutput = outputs + sizeOf(step.output) <= maxRunText
      const { input, output } = step
      const kept: RunStep =
        keepsInput && keepsOutput
          ? step
          : { ...step, input: keepsInput ? input : null, output: keepsOutput ? output : null, isCut: true }
      add(kept)
      return kept
    },
  }
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

/** Returns the stored outcome; null if another attempt follows. */
function outcomeOfStored(last: RunStep, policy: FailurePolicy): Outcome | null {
  const error = storedError(last)
  if (error === null) return { ok: true, output: outputOf(last) }
  // A run with a final failure is here again because its policy is `continue`, or because somebody retried it.
  return error.isFinal && policy === 'continue' ? { ok: false, error } : null
}

/** Returns how many attempts have failed since somebody last retried the run. */
function attemptsInTurn(attempts: readonly RunStep[]): number {
  return attempts.length - 1 - attempts.findLastIndex(step => storedError(step)?.isFinal === true)
}

const StoredErrorJson = z.object({
  code: z.string(),
  message: z.string(),
  isFinal: z.literal(true).optional(),
})

function storedError({ error }: RunStep): StoredError | null {
  return error === null ? null : StoredErrorJson.parse(JSON.parse(error))
}

/** Returns an attempt as it is recorded when it begins. */
function begun(
  { path, type, input, inputSize, absent }: Request,
  attempt: number,
  startedAt: number,
  limit: TextLimit,
): RunStep {
  const nothing = { endedAt: null, output: null, error: null, callId: null }
  const step = { path, type, attempt, startedAt, absent, ...nothing }
  // Not even written as JSON, which takes as long as a comparison.
  if (!limit.mayKeepInput(type, inputSize)) return { ...step, input: null, isCut: true }
  return { ...step, input: inputSize < maxStepText ? JSON.stringify(input) : textOf(input) }
}

/** Returns an attempt as it is recorded when it has ended. */
function ended(step: RunStep, outcome: Outcome & Partial<Attempted>, endedAt: number): RunStep {
  const { callId = null, input } = outcome
  const sent = input === undefined ? step.input : textOf(input)
  const result = outcome.ok
    ? { output: textOf(outcome.output ?? null), error: null }
    : { output: null, error: JSON.stringify(outcome.error) }
  return { ...step, ...result, input: sent, callId, endedAt }
}

/** Returns an input or output as JSON. The store cuts longer ones, so no more of one is written. */
const textOf = (value: unknown) => stringifyUpTo(value, maxStepText)

/** Returns a step's output for later steps; null if it is too long to be stored as a whole. */
function outputOf({ output }: RunStep): unknown {
  if (output === null || output.length >= maxStepText) return null
  return parseExact(output)
}

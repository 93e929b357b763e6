import type { EndedRun } from '#main/storage/runs.ts'
import type { TriggerPayload } from '#shared/model/trigger.ts'
import type { Workflow } from '#shared/model/workflow.ts'
import { interpret, knownOutcome, tooMuchWork } from '#shared/workflows/interpreter.ts'
import { NoRunYet } from '#shared/workflows/renderer.ts'
import type { Budget, Environment } from '#shared/workflows/scope.ts'
import { kindOf } from '#shared/workflows/steps/kinds.ts'
import type { StepError } from '#shared/workflows/steps/step-kind.ts'
import { withoutValues } from './execute.ts'
import { type Failure, failedPath } from './failed-run.ts'

/** Bounds of what happens while the event's sender waits; a run beyond any of them is queued. The last is for all runs. */
export const maxRunsAtOnce = 16
export const maxStepsAtOnce = 50
export const maxPayloadText = 16 * 1024
const maxText = 256 * 1024
/** Runs of the events of one list. Beyond it, the runs of several workflows are a fan-out, as beyond `maxRunsAtOnce`. */
export const maxRunsOfList = 1000
/** UTF-16 units of templates and values, which conditions compare. */
export const maxReadAtOnce = 32 * 1024

type Circumstances = {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Whether nothing of the payload may be kept. */
  readonly discard: boolean
  readonly environment: Environment
  /** Shared by all runs that the event starts; `maxReadAtOnce` at first. */
  readonly budget: Budget
}

/**
 * Interprets a run that decides everything by itself: only branches, loops, stops and steps that cannot be carried out
 * are on its way. Returns null for a run that has to be queued: one that comes to another step, is too much work, or
 * reads its own id. It
 * ends as it would in the queue, since both interpret its steps with the same values.
 */
export function decideAtOnce(...parts: Parameters<typeof decided>): EndedRun | null {
  try {
    return decided(...parts)
  } catch (error) {
    if (error instanceof NoRunYet) return null
    throw error
  }
}

function decided(
  { steps, ordered }: Workflow,
  payload: TriggerPayload,
  { now, discard, environment, budget }: Circumstances,
): EndedRun | null {
  const [first] = steps
  // The most common first step is an action. An ordered run must not overtake those before it.
  if (ordered || first === undefined || kindOf(first).does !== 'decide') return null
  if (budget.left <= 0) return null
  const taken = []
  let text = 0
  const interpretation = interpret(steps, payload, environment, budget)
  let next = interpretation.next()
  while (next.done !== true) {
    const outcome = knownOutcome(next.value.effect)
    if (outcome === null || taken.length === maxStepsAtOnce) return null
    const { path, type, absent, isPrivate } = next.value
    // The queue masks private values wherever the run has them.
    if (type === 'set' && outcome.ok && (isPrivate || outcome.shown !== undefined)) return null
    const input = isPrivate ? '' : JSON.stringify(next.value.input)
    const [output, error] = outcome.ok
      ? [JSON.stringify(outcome.output), null]
      : [null, JSON.stringify(outcome.error)]
    text += input.length + (output?.length ?? 0)
    if (text > maxText) return null
    taken.push({
      path,
      type,
      attempt: 1,
      startedAt: now,
      endedAt: now,
      ...(isPrivate ? ({ input: null, output: null, isPrivate } as const) : { input, output }),
      error,
      callId: null,
      absent,
    })
    next = interpretation.next(outcome)
  }
  if (next.value === tooMuchWork) return null
  const { status, error } = discard ? withoutValues(next.value) : next.value
  return { state: status, endedAt: now, error: error && JSON.stringify(error), discard, steps: taken }
}

/** Returns how a run failed that was decided at once; null for one that did not. */
export function failureOf({ state, endedAt, error: text, discard, steps }: EndedRun): Failure | null {
  if (state !== 'failed' || text === null) return null
  const error: StepError = JSON.parse(text)
  const last = steps.at(-1)
  const path = last === undefined ? null : failedPath(error, { path: last.path, ok: last.error === null })
  return { error, endedAt, path, callId: null, discard }
}

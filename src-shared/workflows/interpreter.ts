import { mask } from '../model/environment.ts'
import { type CallFacts, factsOfError } from './call-facts.ts'
import {
  createRenderer,
  InvalidVariable,
  MissingEnvironmentVariable,
  MissingValue,
  NoRunYet,
  RenderedTooLarge,
  type Renderer,
} from './renderer.ts'
import {
  type Budget,
  BudgetSpent,
  costOfItem,
  costOfStep,
  type Environment,
  type RunFacts,
  type Scope,
  spend,
} from './scope.ts'
import { environmentOf, isPrivate } from './step-environment.ts'
import { type Effect, kindOf, type Step } from './steps/kinds.ts'
import { type End, failed, impossible, type Prepared, type StepError } from './steps/step-kind.ts'

/** Maximum number of steps of one run. Steps in a loop count once for each item. */
export const maxRunSteps = 10_000

/** UTF-16 units that the templates and conditions of one run may read. About a second of computing. */
export const maxWork = 128 * 1024 * 1024

export type Request = {
  readonly key: string
  readonly type: Step['type']
  /** Names the step in its run: its key, after the key and the index of each loop around it. */
  readonly path: string
  /** Whether nothing of the step is shown. */
  readonly isPrivate: boolean
  /** As it is shown: with masks for private values. */
  readonly input: unknown
  /** How many UTF-16 units its variables have inserted. */
  readonly inputSize: number
  /** Variables that had no value. */
  readonly absent: readonly string[]
  readonly effect: Effect
  /** Set if values have to be fetched before the effect can be carried out. */
  readonly unfetched?: Unfetched
}

/** The environment variables that a step needs and that have to be fetched. */
export type Unfetched = {
  readonly names: readonly string[]
  /** Returns the effect with their values, by name. */
  withValues(values: ReadonlyMap<string, string>): Effect
}

/** How a step ended after all its attempts. */
export type Outcome =
  | ({
      readonly ok: true
      readonly output: unknown
      /** The output as it is shown; absent if that is as it is. */
      readonly shown?: unknown
    } & OfCall)
  | ({ readonly ok: false; readonly error: StepError } & OfCall)

/** The parts of a call that later steps can read. */
type OfCall = {
  readonly call?: CallFacts | undefined
  /** The same as it is shown; absent if that is as it is. */
  readonly shownCall?: unknown
}

const succeeded: End = { status: 'succeeded', error: null }
/** The end of a run whose budget is spent. */
export const tooMuchWork = failed(
  'too_much_work',
  'The conditions and texts of the run have read more than 128 MiB. Compare shorter values, or fewer in a loop.',
)

export type Interpretation<Result = End> = Generator<Request, Result, Outcome>

type RunScope = Scope & {
  readonly environment: Environment
  /** Outputs by key. Each item of a loop has its own copy; a branch shares the copy of the steps around it. */
  readonly steps: Map<string, unknown>
  readonly shown: Map<string, unknown>
  /** As `steps`. */
  readonly calls: Map<string, unknown>
  readonly shownCalls: Map<string, unknown>
  /** How many steps the run has begun. */
  readonly count: { begun: number }
}

/**
 * Interprets the steps of a workflow: yields one request after the other, receives the outcome of each, and returns
 * how the run ends. The same outcomes always lead to the same requests. To continue an interrupted run, start a new
 * interpretation and pass it the stored outcomes.
 *
 * @param environment of headers. Required: without a variable that is set, a step would fail that has to be carried out.
 * @param run absent while it has no id: then a variable of it throws NoRunYet.
 * @param budget of all its steps. When it is spent, the run fails with `too_much_work`.
 */
export function* interpret(
  steps: readonly Step[],
  payload: Scope['payload'],
  environment: Environment,
  budget: Budget = { left: maxWork },
  run?: RunFacts,
): Interpretation {
  const scope = {
    ...(run !== undefined && { run }),
    payload,
    ...emptyMaps(),
    count: { begun: 0 },
    environment,
    budget,
  }
  try {
    return (yield* runSteps(steps, scope, '')) ?? succeeded
  } catch (error) {
    if (error instanceof BudgetSpent) return tooMuchWork
    throw error
  }
}

// Not inside `interpret`: creating a generator function costs as much as a step.
/** Returns null if all steps ran without ending the run. */
function* runSteps(list: readonly Step[], scope: RunScope, prefix: string): Interpretation<End | null> {
  for (const step of list) {
    if (++scope.count.begun > maxRunSteps)
      return failed('too_many_steps', `A run has at most ${maxRunSteps} steps.`)
    const end = yield* runStep(step, scope, prefix)
    if (end !== null) return end
  }
  return null
}

function* runStep(step: Step, scope: RunScope, prefix: string): Interpretation<End | null> {
  spend(scope.budget, costOfStep)
  const path = prefix + step.key
  const { key, type } = step
  const isHidden = isPrivate(step)
  const own = environmentOf(step).length > 0 ? { ...scope, usesEnvironment: true as const } : scope
  const render = createRenderer(own)
  const { effect, input, end, next } = prepare(step, render)
  const answer = yield {
    key,
    type,
    path,
    isPrivate: isHidden,
    input,
    inputSize: render.size(),
    absent: [...render.absent],
    effect,
    ...(render.unfetched.size > 0 && { unfetched: unfetchedOf(step, own, render) }),
  }
  const outcome = knownOutcome(effect) ?? answer
  if (kindOf(step).does === 'call') {
    scope.calls.set(key, outcome.call ?? (outcome.ok ? {} : factsOfError(outcome.error)))
    if (isHidden) scope.shownCalls.set(key, mask)
    else if (outcome.shownCall !== undefined) scope.shownCalls.set(key, outcome.shownCall)
  }
  if (!outcome.ok) return step.onFailure === 'continue' ? null : { status: 'failed', error: outcome.error }
  scope.steps.set(key, outcome.output)
  if (isHidden) scope.shown.set(key, mask)
  else if (outcome.shown !== undefined) scope.shown.set(key, outcome.shown)
  if (end !== undefined) return end
  if (next === undefined) return null
  if (next.items === undefined) return yield* runSteps(next.steps, scope, prefix)
  for (const [index, item] of next.items.entries()) {
    spend(scope.budget, costOfItem)
    const shown = isHidden ? mask : shownItem(next.shownItems, index)
    const loop = { item, index, ...(shown !== undefined && { shown }) }
    const { steps, shown: masked, calls, shownCalls } = scope
    const own = {
      steps: new Map(steps),
      shown: new Map(masked),
      calls: new Map(calls),
      shownCalls: new Map(shownCalls),
    }
    const inside = { ...scope, ...own, loop }
    const ended = yield* runSteps(next.steps, inside, `${path}.${index}.`)
    if (ended !== null) return ended
  }
  return null
}

const emptyMaps = () => ({ steps: new Map(), shown: new Map(), calls: new Map(), shownCalls: new Map() })

function shownItem(items: unknown, index: number): unknown {
  if (items === undefined) return undefined
  return Array.isArray(items) ? items[index] : mask
}

function unfetchedOf(step: Step, { budget: _, ...scope }: RunScope, { unfetched }: Renderer): Unfetched {
  return {
    names: [...unfetched],
    withValues(values) {
      const environment: Environment = name => values.get(name) ?? scope.environment(name)
      return prepare(step, createRenderer({ ...scope, environment })).effect
    },
  }
}

/** Returns the outcome of an effect that only has to be recorded; null for one that must be carried out. */
export function knownOutcome(effect: Effect): Outcome | null {
  if (effect.kind === 'decided') {
    const { output, shown } = effect
    return shown === undefined ? { ok: true, output } : { ok: true, output, shown }
  }
  return effect.kind === 'failed' ? { ok: false, error: effect.error } : null
}

function prepare(step: Step, render: Renderer): Prepared<Effect, Step> {
  try {
    return kindOf(step).prepare(step, render)
  } catch (error) {
    if (error instanceof NoRunYet) throw error
    if (error instanceof InvalidVariable)
      return impossible(null, 'invalid_variable', `${error.message} The step was not carried out.`)
    if (error instanceof MissingEnvironmentVariable)
      return impossible(null, 'missing_environment_variable', error.message)
    if (error instanceof MissingValue) return impossible(null, 'missing_value', error.message)
    if (!(error instanceof RenderedTooLarge)) throw error
    return impossible(null, 'input_too_large', 'The values of the step are larger than 1 MiB together.')
  }
}

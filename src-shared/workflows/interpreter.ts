import type { RunErrorCode } from '#shared/errors/run.ts'
import { takesQuery } from '#shared/model/action-url.ts'
import type { ActionStep, HttpStep, Step } from '#shared/model/workflow.ts'
import { parseTime } from '#shared/time.ts'
import { evaluate } from '#shared/workflows/conditions.ts'
import { type BodyEncoding, contentTypeOf, encodingOf, renderBody } from '#shared/workflows/http-body.ts'
import { renderUrl } from '#shared/workflows/http-url.ts'
import {
  type Budget,
  BudgetSpent,
  costOfItem,
  costOfStep,
  createRenderer,
  InvalidVariable,
  MissingValue,
  RenderedTooLarge,
  type Renderer,
  type Scope,
  spend,
} from '#shared/workflows/templates.ts'

/** Maximum number of items of one loop. */
export const maxItems = 1000
/** Maximum number of steps of one run. Steps in a loop count once for each item. */
export const maxRunSteps = 10_000

/** UTF-16 units that the templates and conditions of one run may read. About a second of computing. */
export const maxWork = 128 * 1024 * 1024

/** Maximum number of characters of a stop step's message, which lists of runs show. */
export const maxMessage = 2000

export type StepError = { readonly code: string; readonly message: string }

/** The work of a step, with every template replaced. */
export type Effect =
  | { readonly kind: 'action'; readonly step: ActionStep; readonly arguments: Record<string, unknown> }
  | {
      readonly kind: 'http'
      readonly step: HttpStep
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      /** Replace the headers with environment variables wherever the request is shown. */
      readonly maskedHeaders: Readonly<Record<string, string>>
      /** Empty for a request without a body. */
      readonly body: string
      readonly encoding: BodyEncoding
    }
  /** `until` in milliseconds since 1970, `forMs` from the step's start. */
  | { readonly kind: 'wait'; readonly until: number }
  | { readonly kind: 'wait'; readonly forMs: number }
  | { readonly kind: 'notify'; readonly message: string }
  /** A branch, a loop or a stop: it only has to be recorded. */
  | { readonly kind: 'decided'; readonly output: unknown }
  /** The step cannot be carried out, which only has to be recorded. */
  | { readonly kind: 'failed'; readonly error: StepError }

export type Request = {
  readonly key: string
  readonly type: Step['type']
  /** Names the step in its run: its key, after the key and the index of each loop around it. */
  readonly path: string
  readonly input: unknown
  /** How many UTF-16 units its variables have inserted. */
  readonly inputSize: number
  /** Variables that had no value. */
  readonly absent: readonly string[]
  readonly effect: Effect
}

/** How a step ended after all its attempts. */
export type Outcome =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly error: StepError }

export type End =
  | { readonly status: 'succeeded'; readonly error: null }
  | { readonly status: 'failed'; readonly error: StepError }

/** Why a stop step ends a run that says nothing else. */
export const stopped = { code: 'stopped', message: 'A stop step ended the run.' } as const
const succeeded: End = { status: 'succeeded', error: null }
/** The end of a run whose budget is spent. */
export const tooMuchWork = failed(
  'too_much_work',
  'The conditions and texts of the run have read more than 128 MiB. Compare shorter values, or fewer in a loop.',
)

export type Interpretation<Result = End> = Generator<Request, Result, Outcome>

type Prepared = {
  readonly effect: Effect
  readonly input: unknown
  /** The steps that a branch has chosen. */
  readonly chosen?: readonly Step[]
  /** The items of a loop. */
  readonly items?: readonly unknown[]
  /** Set if the step ends the run. */
  readonly end?: End
}

type RunScope = Scope & {
  /** Outputs by key. Each item of a loop has its own copy; a branch shares the copy of the steps around it. */
  readonly steps: Map<string, unknown>
  /** How many steps the run has begun. */
  readonly count: { begun: number }
}

/**
 * Interprets the steps of a workflow: yields one request after the other, receives the outcome of each, and returns
 * how the run ends. The same outcomes always lead to the same requests. To continue an interrupted run, start a new
 * interpretation and pass it the stored outcomes.
 *
 * @param budget of all its steps. When it is spent, the run fails with `too_much_work`.
 * @param environment returns the value of an environment variable; undefined if it is not set.
 */
export function* interpret(
  steps: readonly Step[],
  payload: Scope['payload'],
  budget: Budget = { left: maxWork },
  environment?: Scope['environment'],
): Interpretation {
  const scope = {
    ...{ payload, steps: new Map(), count: { begun: 0 }, budget },
    ...(environment && { environment }),
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
  const render = createRenderer(scope)
  const { effect, input, end, chosen, items } = prepare(step, render)
  const answer = yield {
    key,
    type,
    path,
    input,
    inputSize: render.size(),
    absent: [...render.absent],
    effect,
  }
  const outcome = knownOutcome(effect) ?? answer
  if (!outcome.ok) return step.onFailure === 'continue' ? null : { status: 'failed', error: outcome.error }
  scope.steps.set(key, outcome.output)
  if (end !== undefined) return end
  if (chosen !== undefined) return yield* runSteps(chosen, scope, prefix)
  if (step.type !== 'each') return null
  for (const [index, item] of (items ?? []).entries()) {
    spend(scope.budget, costOfItem)
    const inside = { ...scope, steps: new Map(scope.steps), loop: { item, index } }
    const ended = yield* runSteps(step.steps, inside, `${path}.${index}.`)
    if (ended !== null) return ended
  }
  return null
}

/** Returns the outcome of an effect that only has to be recorded; null for one that must be carried out. */
export function knownOutcome(effect: Effect): Outcome | null {
  if (effect.kind === 'decided') return { ok: true, output: effect.output }
  return effect.kind === 'failed' ? { ok: false, error: effect.error } : null
}

function prepare(step: Step, render: Renderer): Prepared {
  try {
    return prepared(step, render)
  } catch (error) {
    if (error instanceof InvalidVariable)
      return impossible(null, 'invalid_variable', `${error.message} The step was not carried out.`)
    if (error instanceof MissingValue) return impossible(null, 'missing_value', error.message)
    if (!(error instanceof RenderedTooLarge)) throw error
    return impossible(null, 'input_too_large', 'The values of the step are larger than 1 MiB together.')
  }
}

function prepared(step: Step, render: Renderer): Prepared {
  switch (step.type) {
    case 'action': {
      const given = render.givenFields(step.arguments)
      return { input: given, effect: { kind: 'action', step, arguments: given } }
    }
    case 'http': {
      const { url, problem } = renderUrl(step.url, render)
      if (problem !== null) return impossible({ method: step.method, url }, 'invalid_path', problem)
      const headers: Record<string, string> = {}
      const maskedHeaders: Record<string, string> = {}
      for (const [name, template] of Object.entries(step.headers ?? {})) {
        const { value, shown } = render.header(name, template)
        headers[name] = value
        if (shown !== null) maskedHeaders[name] = shown
      }
      const contentType = contentTypeOf(headers)
      const hasBody = step.body !== undefined && !takesQuery(step.method)
      const body = hasBody ? renderBody(step.body, contentType, render) : null
      const shownHeaders = { ...headers, ...maskedHeaders }
      const input = {
        method: step.method,
        url,
        headers: shownHeaders,
        ...(body !== null && { body: body.value }),
      }
      const text = body?.text ?? ''
      const encoding = encodingOf(text, contentType)
      if (encoding === null)
        return impossible(
          input,
          'invalid_body',
          'The body cannot be sent in the charset of its Content-Type. Use UTF-8.',
        )
      const type = contentType === '' && body !== null && text !== '' ? { 'Content-Type': body.type } : {}
      return {
        input,
        effect: {
          kind: 'http',
          step,
          url,
          headers: { ...type, ...headers },
          maskedHeaders,
          body: text,
          encoding,
        },
      }
    }
    case 'branch': {
      const evaluated = []
      for (const [index, { when, steps }] of step.cases.entries()) {
        const condition = evaluate(when, render)
        evaluated.push(condition)
        if (condition.holds) return { input: evaluated, effect: decided({ case: index }), chosen: steps }
      }
      return { input: evaluated, effect: decided({ case: null }), chosen: step.otherwise }
    }
    case 'each': {
      const items = render.value(step.items)
      if (!Array.isArray(items)) return impossible(null, 'not_a_list', `${step.items} is not a list.`)
      if (items.length > maxItems)
        return impossible(
          null,
          'too_many_items',
          `A loop has at most ${maxItems} items, not ${items.length}.`,
        )
      return { input: null, effect: decided({ items: items.length }), items }
    }
    case 'wait': {
      if (step.seconds !== undefined)
        return { input: { seconds: step.seconds }, effect: { kind: 'wait', forMs: step.seconds * 1000 } }
      const text = render.required(step.until ?? '', 'the time to wait for')
      const time = parseTime(text)
      const input = { until: text }
      if (time.problem !== null) return impossible(input, 'invalid_time', time.problem)
      return { input, effect: { kind: 'wait', until: time.ms } }
    }
    case 'notify': {
      const message = render.text(step.message)
      return { input: { message }, effect: { kind: 'notify', message } }
    }
    case 'stop': {
      const message = render.text(step.message ?? '').slice(0, maxMessage)
      const end = step.outcome === 'succeeded' ? succeeded : failed(stopped.code, message || stopped.message)
      return { input: null, effect: decided({ message }), end }
    }
  }
}

function decided(output: unknown): Effect {
  return { kind: 'decided', output }
}

function impossible(input: unknown, code: RunErrorCode, message: string): Prepared {
  return { input, effect: { kind: 'failed', error: { code, message } } }
}

function failed(code: RunErrorCode, message: string): End {
  return { status: 'failed', error: { code, message } }
}

import type { RetryHint } from '#main/outbound/retry-after.ts'
import { splitCall, withCall } from '#main/storage/call-text.ts'
import { maxStepText, type RunStep } from '#main/storage/runs.ts'
import { isObject, parseExact } from '#shared/json/exact-json.ts'
import { stringifyUpTo } from '#shared/json/stringify-up-to.ts'
import { mask } from '#shared/model/environment.ts'
import { type CallFacts, type CallParts, factsOfError } from '#shared/workflows/call-facts.ts'
import type { Outcome, Request } from '#shared/workflows/interpreter.ts'
import { linksOf } from '#shared/workflows/links.ts'
import { doesOf } from '#shared/workflows/steps/kinds.ts'
import type { StepError } from '#shared/workflows/steps/step-kind.ts'
import type { PrivateValues } from './private-values.ts'

/** A connection that takes no calls. */
type HeldBack = {
  readonly connectionId: string
  /** Milliseconds since 1970. */
  readonly until: number
  /** Whether it is paused, so that many wait for the same time. */
  readonly isPaused: boolean
}

/** The result of an attempt at a step. */
export type Attempted = (
  | { readonly ok: true; readonly output: unknown }
  | {
      readonly ok: false
      readonly error: StepError
      readonly isRetriable: boolean
      /** Says when to retry; absent without a response. */
      readonly response?: RetryHint | null
      /** Set if the connection takes no calls until a time. This may not count as an attempt then. */
      readonly held?: HeldBack | undefined
    }
) & {
  readonly callId: string | null
  /** The parts of its call that later steps may read. */
  readonly answer?: CallFacts | undefined
  /** The input that was sent; absent if it is the input of the request. */
  readonly input?: unknown
}

/** Maximum number of UTF-16 units of inputs, and of outputs, that one run stores. Further ones are left out. */
export const maxRunText = 16 * 1024 * 1024
/** The same of inputs of branches and loops alone. */
export const maxComputedText = 2 * 1024 * 1024
export type TextLimit = ReturnType<typeof createTextLimit>

/** Returns whether a stored step only decides: its input is the values that conditions read. */
const isComputed = (type: string) => doesOf(type) === 'decide'

/**
 * Leaves out the input or the output of an attempt once the run has stored `maxRunText` of them, or `maxComputedText` of
 * steps that only compute. Otherwise an event could fill the memory and the disk: a loop can insert the same large field
 * into each step.
 *
 * @param stored the attempts that are stored already.
 */
export function createTextLimit(stored: readonly RunStep[]) {
  const sizeOf = (text: string | null | undefined) => Math.min(text?.length ?? 0, maxStepText)
  const outputSize = ({ output, sealed, call }: RunStep) => sizeOf(output) + sizeOf(sealed) + sizeOf(call)
  const inputs = { all: 0, computed: 0 }
  let outputs = 0
  for (const step of stored) add(step)

  function mayKeepInput(type: string, size: number): boolean {
    const more = Math.min(size, maxStepText)
    if (isComputed(type) && inputs.computed + more > maxComputedText) return false
    return inputs.all + more <= maxRunText
  }

  function add(step: RunStep): void {
    inputs.all += sizeOf(step.input)
    if (isComputed(step.type)) inputs.computed += sizeOf(step.input)
    outputs += outputSize(step)
  }

  return {
    /** Returns whether the input of a step may be kept that has at least `size` UTF-16 units. */
    mayKeepInput,
    apply(step: RunStep): RunStep {
      const keepsInput = mayKeepInput(step.type, sizeOf(step.input))
      const keepsOutput = outputs + outputSize(step) <= maxRunText
      const { sealed: _, call: _call, ...rest } = step
      const withOutput: RunStep = keepsOutput ? step : { ...rest, output: null, isCut: true }
      const kept: RunStep = keepsInput ? withOutput : { ...withOutput, input: null, isCut: true }
      add(kept)
      return kept
    },
  }
}

/** Returns an attempt as it is recorded when it begins. */
export function begun(
  { path, type, isPrivate, input: given, inputSize, absent }: Request,
  attempt: number,
  startedAt: number,
  limit: TextLimit,
  privates: PrivateValues,
): RunStep {
  const nothing = { endedAt: null, output: null, error: null, callId: null }
  const step = { path, type, attempt, startedAt, absent, ...nothing }
  if (isPrivate) return { ...step, input: null, isPrivate }
  // Not even written as JSON, which takes as long as a comparison.
  if (!limit.mayKeepInput(type, inputSize)) return { ...step, input: null, isCut: true }
  const input = privates.tree(given)
  return { ...step, input: inputSize < maxStepText ? JSON.stringify(input) : textOf(input) }
}

/** Returns an attempt as it is recorded when it has ended. */
export function ended(
  step: RunStep,
  outcome: Outcome & Partial<Attempted>,
  endedAt: number,
  privates: PrivateValues,
): RunStep {
  const { callId = null, input } = outcome
  const sent = input === undefined || step.isPrivate ? step.input : textOf(privates.tree(input))
  const error = outcome.ok ? null : JSON.stringify(outcome.error)
  const result = { ...outputsOf(step, outcome, privates), error }
  return { ...step, ...result, input: sent, callId, endedAt }
}

/** Returns the output of an attempt as it is shown, and sealed if that is not as it is. */
function outputsOf(
  step: RunStep,
  outcome: Outcome,
  privates: PrivateValues,
): Pick<RunStep, 'output' | 'call' | 'sealed' | 'isCut'> {
  const { call } = outcome
  if (!outcome.ok && call === undefined) return { output: null }
  const output = outcome.ok ? (outcome.output ?? null) : null
  const real = { output: outcome.ok ? textOf(output) : null, ...(call && { call: JSON.stringify(call) }) }
  const given = outcome.ok ? (outcome.shown ?? output) : null
  const shown = step.isPrivate ? null : privates.tree(given)
  const shownCall = step.isPrivate ? undefined : privates.tree(call)
  if (!step.isPrivate && shown === output && shownCall === call) return real
  const kept = {
    output: step.isPrivate || !outcome.ok ? null : textOf(shown),
    ...(shownCall !== undefined && { call: JSON.stringify(shownCall) }),
  }
  // What a step decides is decided again.
  if (isComputed(step.type) || doesOf(step.type) === 'wait') return kept
  const isLong = (real.output?.length ?? 0) >= maxStepText
  return isLong ? { ...kept, isCut: true } : { ...kept, sealed: privates.seal(step, withCall(real) ?? '') }
}

/** Returns the result of an attempt with masked values in its error. */
export function masked(attempted: Attempted, privates: PrivateValues): Attempted {
  if (attempted.ok) return attempted
  const { code, message } = attempted.error
  return { ...attempted, error: { code, message: privates.text(message) } }
}

/** Returns what is kept of a call for later steps. @param parts the large parts that they read; undefined for nothing. */
export function callRead(attempted: Attempted, parts: CallParts | undefined): CallFacts | undefined {
  if (parts === undefined) return undefined
  const { answer } = attempted
  if (answer === undefined) return attempted.ok ? undefined : factsOfError(attempted.error)
  const { headers, bodyText = '', ...facts } = answer
  return {
    ...facts,
    ...(parts.headers && { headers }),
    ...(parts.links && { links: linksOf(headers?.link) }),
    ...(parts.bodyText && bodyText.length < maxStepText && { bodyText }),
  }
}

/** Hides the values of a step that computes them, wherever the run has them. */
export function hideComputed(isPrivate: boolean, outcome: Outcome, privates: PrivateValues): void {
  if (!outcome.ok) return
  if (isPrivate) privates.add(outcome.output)
  else if (isObject(outcome.output) && isObject(outcome.shown))
    for (const [name, value] of Object.entries(outcome.output))
      if (outcome.shown[name] === mask) privates.add(value)
}

/** Returns the outcome of an attempt that succeeded. */
export function success(step: RunStep, privates: PrivateValues): Outcome {
  const { text, ofCall } = opened(step, privates)
  const output = storedValue(text)
  if (step.isPrivate) privates.add(output)
  if (step.isPrivate) return { ok: true, output, shown: mask, ...ofCall }
  return {
    ok: true,
    output,
    ...ofCall,
    ...(step.sealed !== undefined && { shown: storedValue(step.output) }),
  }
}

/** Returns the outcome of an attempt that was the last and failed. */
export function failure(step: RunStep, { code, message }: StepError, privates: PrivateValues): Outcome {
  return { ok: false, error: { code, message }, ...opened(step, privates).ofCall }
}

/** Returns the text of the output of an attempt, and what later steps read of its call. */
function opened(
  step: RunStep,
  privates: PrivateValues,
): { readonly text: string | null; readonly ofCall: Pick<Outcome, 'call' | 'shownCall'> } {
  const { output: text, call } = step.sealed === undefined ? step : splitCall(privates.open(step))
  if (call === undefined) return { text, ofCall: {} }
  const facts: CallFacts = JSON.parse(call)
  if (step.isPrivate) privates.add({ ...facts, headers: tellingHeaders(facts) })
  const isShown = step.sealed === undefined || step.isPrivate
  return { text, ofCall: { call: facts, ...(!isShown && { shownCall: JSON.parse(step.call ?? 'null') }) } }
}

/** Values of headers that most answers have, in a form without room for a secret. */
const plainValues: ReadonlyMap<string, RegExp> = new Map([
  ['connection', /^(keep-alive|close)$/i],
  ['keep-alive', /^timeout=\d{1,3}(, ?max=\d{1,4})?$/i],
  ['date', /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/],
  ['content-type', /^(application\/json|text\/(plain|html))(; ?charset=utf-8)?$/i],
])

/** Returns the headers of a call that may have a secret. To mask the others would hide the same ones of later calls. */
function tellingHeaders({ headers = {} }: CallFacts): CallFacts['headers'] {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => typeof value !== 'string' || plainValues.get(name)?.test(value) !== true,
    ),
  )
}

/** Returns an input or output as JSON. The store cuts longer ones, so no more of one is written. */
const textOf = (value: unknown) => stringifyUpTo(value, maxStepText)

/** Returns a stored output for later steps; null if it is too long to be stored as a whole. */
function storedValue(output: string | null): unknown {
  return output === null || output.length >= maxStepText ? null : parseExact(output)
}

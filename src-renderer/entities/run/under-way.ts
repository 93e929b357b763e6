import { isObject } from '#shared/json/exact-json.ts'
import { mask } from '#shared/model/environment.ts'
import type { RunDetails, RunStep } from '#shared/model/run.ts'
import { interpret, knownOutcome, type Outcome } from '#shared/workflows/interpreter.ts'
import { type Step, walkSteps } from '#shared/workflows/steps/kinds.ts'

/** A decision that is not stored yet, and what it was made with. */
export type Decision = { readonly step: RunStep; readonly input: unknown }

export type UnderWay = {
  /** The step that the run carries out. */
  readonly path: string
  readonly decisions: readonly Decision[]
}

/**
 * Returns where a running run is. The service stores a step when it has ended, and a branch or a loop together with the
 * next step, so the workflow is interpreted up to the first step that is not stored.
 *
 * @returns null for a run that is not running, or whose payload is not kept.
 */
export function underWayOf(run: RunDetails, steps: readonly Step[]): UnderWay | null {
  if (run.status !== 'running' || !isObject(run.payload)) return null
  const stored = new Map(run.steps.map(step => [step.path, step]))
  const lenient = new Set(
    Array.from(walkSteps(steps), ({ step }) => (step.onFailure === 'continue' ? step.key : null)),
  )
  const decisions: Decision[] = []
  const { runId: id, queuedAt, eventId } = run
  const facts = { id, queuedAt, eventId, uuid: mask }
  const interpretation = interpret(steps, run.payload, () => mask, undefined, facts)
  let next = interpretation.next()
  while (next.done !== true) {
    const { key, path, type, effect, input } = next.value
    const step = stored.get(path)
    const known = knownOutcome(effect)
    if (known !== null && step === undefined) {
      const status = known.ok ? 'succeeded' : 'failed'
      const output = known.ok ? known.output : null
      decisions.push({ step: { key, path, type, status, output, attempts: [] }, input })
    }
    const outcome = known ?? outcomeOf(step, lenient.has(key))
    if (outcome === null) return { path, decisions }
    next = interpretation.next(outcome)
  }
  return null
}

/** Returns how a stored step ended; null for one that is carried out now, for the first time or again. */
function outcomeOf(step: RunStep | undefined, isLenient: boolean): Outcome | null {
  if (step?.status === 'succeeded') return { ok: true, output: step.output }
  const error = step?.attempts.at(-1)?.error ?? null
  return isLenient && error !== null ? { ok: false, error } : null
}

import type { Workflow } from '#shared/model/workflow.ts'
import { kindOf, type Step } from '#shared/workflows/steps/kinds.ts'
import { pathKey, placedSteps, stepNumbers } from '../../../entities/workflow/step-paths.ts'
import { changeLabels, changeOf, draftOf, type WorkflowDraft } from './draft.ts'

/** A version of the workflow that somebody else saved, with other values for what was changed here. */
export type Conflict = {
  readonly saved: Workflow
  /** Names the fields that were changed both here and there: “steps, name”. */
  readonly fields: string
  /** The steps before and after the other change; null if the steps are not in conflict. */
  readonly steps: { readonly before: readonly Step[]; readonly after: readonly Step[] } | null
}

/**
 * Returns the conflict between a draft and what was saved elsewhere since; null if no field was changed on both sides.
 *
 * @param base the saved workflow that the draft was made from.
 */
export function conflictOf(draft: WorkflowDraft, base: WorkflowDraft, saved: Workflow): Conflict | null {
  const theirs = draftOf(saved)
  const changedThere = changeOf(base, theirs)
  const changedHere = changeOf(base, draft)
  const both = Object.fromEntries(
    Object.entries(changeOf(theirs, draft)).filter(
      ([name]) => Object.hasOwn(changedThere, name) && Object.hasOwn(changedHere, name),
    ),
  )
  if (Object.keys(both).length === 0) return null
  const steps = 'steps' in both ? { before: base.steps, after: theirs.steps } : null
  return { saved, fields: changeLabels(both), steps }
}

/** Returns what changed between two lists of steps, by their keys: “Added Notify 2”. */
export function stepChanges(
  before: readonly Step[],
  after: readonly Step[],
  titleOf: (step: Step) => string,
): string[] {
  const [was, is] = [byKey(before), byKey(after)]
  const name = ({ step, number }: Placed) => `${titleOf(step)} ${number}`
  const changes: string[] = []
  for (const [key, placed] of is) {
    const earlier = was.get(key)
    if (earlier === undefined) changes.push(`Added ${name(placed)}`)
    else if (earlier.own !== placed.own) changes.push(`Changed ${name(placed)}`)
    else if (earlier.number !== placed.number) changes.push(`Moved ${name(earlier)} to ${placed.number}`)
  }
  for (const [key, placed] of was) if (!is.has(key)) changes.push(`Removed ${name(placed)}`)
  return changes
}

type Placed = { readonly step: Step; readonly number: string; readonly own: string }

function byKey(steps: readonly Step[]): ReadonlyMap<string, Placed> {
  const numbers = stepNumbers(steps)
  return new Map(
    placedSteps(steps).map(({ step, path }) => [
      step.key,
      { step, number: numbers.get(pathKey(path)) ?? '', own: JSON.stringify(withoutInner(step)) },
    ]),
  )
}

/** Returns a step without the steps inside it, which are compared on their own. */
function withoutInner(step: Step): unknown {
  return kindOf(step).inside?.change(step, () => []) ?? step
}

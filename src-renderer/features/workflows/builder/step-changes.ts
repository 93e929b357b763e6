import { kindOf, type Step } from '#shared/workflows/steps/kinds.ts'
import { pathKey, placedSteps, stepNumbers } from '../../../entities/workflow/step-paths.ts'
import { stepTitle } from '../../../entities/workflow/steps/views.ts'

/** Returns what changed between two lists of steps, by their keys: “Added Notify 2”. */
export function stepChanges(before: readonly Step[], after: readonly Step[]): string[] {
  const [was, is] = [byKey(before), byKey(after)]
  const name = ({ step, number }: Placed) => `${stepTitle(step, () => null)} ${number}`
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

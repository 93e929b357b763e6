import { InvalidVariable, RenderedTooLarge } from '#shared/workflows/renderer.ts'
import { BudgetSpent } from '#shared/workflows/scope.ts'
import { type EventValues, type Fits, maxReadOfEvent, maxReadOfTrigger } from './trigger-condition.ts'

/**
 * Returns which triggers an event fits, and which are too much work to decide at once or wrong. Never throws.
 *
 * @param choosy each with its condition; null for none.
 */
export function choose<Choosy extends { readonly fits: Fits | null }>(
  choosy: readonly Choosy[],
  values: EventValues,
  onError: (error: unknown) => void,
) {
  const fitting: Choosy[] = []
  const undecided: Choosy[] = []
  const budget = { left: 0 }
  let left = maxReadOfEvent
  for (const one of choosy) {
    const { fits } = one
    if (fits === null) fitting.push(one)
    else if (left <= 0) undecided.push(one)
    else {
      const share = Math.min(maxReadOfTrigger, left)
      budget.left = share
      try {
        if (fits(values, budget)) fitting.push(one)
      } catch (error) {
        if (!isOfTrigger(error)) onError(error)
        undecided.push(one)
      }
      left -= share - Math.max(budget.left, 0)
    }
  }
  return { fitting, undecided }
}

/** Returns whether an error says that a condition is too much work, or wrong: its run then fails, and says so. */
function isOfTrigger(error: unknown): boolean {
  return error instanceof BudgetSpent || error instanceof InvalidVariable || error instanceof RenderedTooLarge
}

import type { Step, StepType } from '#shared/workflows/steps/kinds.ts'
import type { ActionsOf } from '#shared/workflows/steps/step-kind.ts'
import { action } from './action.tsx'
import { branch } from './branch.tsx'
import { each } from './each.tsx'
import { http } from './http.tsx'
import { notify } from './notify.tsx'
import { set } from './set.tsx'
import type { NamedAction, Ran, StepView } from './step-view.ts'
import { stop } from './stop.tsx'
import { wait } from './wait.tsx'

/** How the dashboard shows the types of steps. */
const stepViews: { readonly [Type in StepType]: StepView<Extract<Step, { type: Type }>> } = {
  action,
  http,
  set,
  branch,
  each,
  wait,
  notify,
  stop,
}

// The methods of a view take steps of its type, and are called with no others.
const views: Readonly<Record<StepType, StepView<Step>>> = stepViews

/** Returns the view of a step. */
export function viewOf({ type }: Pick<Step, 'type'>): StepView<Step> {
  return views[type]
}

/** Returns the title of a step: the name of its action, or its type. */
export function stepTitle(step: Step, actionsOf: ActionsOf<NamedAction>): string {
  return viewOf(step).title(step, actionsOf)
}

/** Returns one line about what a step did; null where it says nothing. @param step as the workflow has it now. */
export function outcomeOf(step: Step | null, type: StepType, ran: Ran): string | null {
  return views[type].outcome(step?.type === type ? step : null, ran)
}

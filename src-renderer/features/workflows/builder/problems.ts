import type { z } from 'zod'
import { WorkflowFields } from '#shared/model/workflow.ts'
import { type Known, workflowIssues } from '#shared/workflows/references.ts'
import { type Step, stepLists } from '#shared/workflows/steps/kinds.ts'
import { type Path, pathKey, placedSteps } from '../../../entities/workflow/step-paths.ts'
import { type Problem, problemsIn } from '../../../entities/workflow/steps/step-view.ts'
import { viewOf } from '../../../entities/workflow/steps/views.ts'
import type { WorkflowDraft } from './draft.ts'

/**
 * Returns what is wrong with a draft, in the order of its steps.
 *
 * @param known null while the connections are not known: references are then not checked.
 */
export function problemsOf(draft: WorkflowDraft, known: Known | null): Problem[] {
  const { error } = WorkflowFields.safeParse(draft)
  const unsaved = [...(error?.issues ?? []).flatMap(issue => flat(issue, [])), ...ownOfSteps(draft)]
  const references = known === null ? [] : workflowIssues(draft, known)
  return [
    ...unsaved,
    ...references
      .filter(({ path }) => !unsaved.some(problem => problem.path === path))
      .map(({ path, message, severity, nearest }) => ({ path, message, severity, nearest, blocks: false })),
  ]
}

/** Returns what the views of the steps find wrong. */
function ownOfSteps({ steps }: WorkflowDraft): Problem[] {
  return placedSteps(steps).flatMap(({ step, path }) =>
    viewOf(step)
      .problems(step)
      .map(({ path: to, message }) => blocking([...path, ...to], message)),
  )
}

const blocking = (path: Path, message: string): Problem => ({
  ...{ path: pathKey(path), message },
  ...{ severity: 'error', nearest: null, blocks: true },
})

/** Returns the problems of a schema's issue; for a union, only those of the form that fits best. */
function flat(issue: z.core.$ZodIssue, before: Path): Problem[] {
  const path: Path = [...before, ...issue.path.filter(part => typeof part !== 'symbol')]
  if (issue.code === 'invalid_union') {
    const found = issue.errors.map(part => part.flatMap(inner => flat(inner, path)))
    // The form that is meant has problems inside its fields, the others of the fields themselves.
    const depth = (problems: Problem[]) =>
      Math.max(0, ...problems.map(problem => problem.path.split('.').length))
    const best = found.toSorted((one, other) => depth(other) - depth(one) || one.length - other.length)[0]
    if (best !== undefined && best.length > 0) return best
  }
  const message =
    path.at(-1) === 'connectionId' || path.at(-1) === 'toolName' ? 'Choose an action.' : issue.message
  return [blocking(path, message)]
}

/** Returns the problems of a step, or of the trigger, without those of the steps inside it. */
export function ownProblems(problems: readonly Problem[], path: Path, step: Step | null): Problem[] {
  const inside = step === null ? [] : stepLists(step).map(list => pathKey([...path, ...list.path]))
  return problemsIn(problems, path).filter(
    problem =>
      !inside.some(list => /^\.\d/.test(problem.path.slice(list.length)) && problem.path.startsWith(list)),
  )
}

/**
 * Returns an id of a field that stays when its step moves: the key of the step and the path in it, `notify#message`.
 * The id of a step is its key with `#`, and that of a field of the workflow is its path.
 */
export function fieldId(steps: readonly Step[], path: string): string {
  const owner = placedSteps(steps).findLast(
    placed => path === pathKey(placed.path) || path.startsWith(`${pathKey(placed.path)}.`),
  )
  return owner === undefined ? path : `${owner.step.key}#${path.slice(pathKey(owner.path).length + 1)}`
}

/**
 * Returns the problems to show while a draft is edited: those of the fields that were left, and those that the saved
 * workflow has too.
 *
 * @param left ids of fields, of parts of them or of whole steps.
 */
export function shownProblems(
  problems: readonly Problem[],
  { steps }: Pick<WorkflowDraft, 'steps'>,
  left: ReadonlySet<string>,
  saved: { readonly steps: readonly Step[]; readonly problems: readonly Problem[] } | null,
): Problem[] {
  const known = new Set(
    saved?.problems.map(({ path, message }) => `${fieldId(saved.steps, path)} ${message}`),
  )
  return problems.filter(({ path, message }) => {
    const id = fieldId(steps, path)
    return known.has(`${id} ${message}`) || [...left].some(one => isWithin(id, one))
  })
}

function isWithin(id: string, outer: string): boolean {
  return id === outer || id.startsWith(outer.endsWith('#') ? outer : `${outer}.`)
}

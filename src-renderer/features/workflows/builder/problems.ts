import type { z } from 'zod'
import { WorkflowFields } from '#shared/model/workflow.ts'
import { bodyKindOf, contentTypeOf, jsonIn } from '#shared/workflows/http-body.ts'
import { type Known, workflowIssues } from '#shared/workflows/references.ts'
import type { Step } from '#shared/workflows/steps/kinds.ts'
import { soleVariable } from '#shared/workflows/templates.ts'
import { type Path, pathKey, placedSteps } from '../../../entities/workflow/step-paths.ts'
import type { WorkflowDraft } from './draft.ts'

/** Something wrong with a draft. */
export type Problem = {
  /** Path of the field, its parts separated by dots. */
  readonly path: string
  readonly message: string
  readonly severity: 'error' | 'warning'
  /** A text that may be used instead. */
  readonly nearest: string | null
  /** Whether the workflow cannot be saved with it. */
  readonly blocks: boolean
}

/**
 * Returns what is wrong with a draft, in the order of its steps.
 *
 * @param known null while the connections are not known: references are then not checked.
 */
export function problemsOf(draft: WorkflowDraft, known: Known | null): Problem[] {
  const { error } = WorkflowFields.safeParse(draft)
  const blocking = [...(error?.issues ?? []).flatMap(issue => flat(issue, [])), ...brokenBodies(draft)]
  const references = known === null ? [] : workflowIssues(draft, known)
  return [
    ...blocking,
    ...references
      .filter(({ path }) => !blocking.some(problem => problem.path === path))
      .map(({ path, message, severity, nearest }) => ({ path, message, severity, nearest, blocks: false })),
  ]
}

/** Finds bodies that are meant as JSON but are kept as text, because they cannot be parsed. */
function brokenBodies({ steps }: WorkflowDraft): Problem[] {
  return placedSteps(steps).flatMap(({ step, path }): Problem[] => {
    if (step.type !== 'http' || typeof step.body !== 'string' || soleVariable(step.body) !== null) return []
    if (bodyKindOf(contentTypeOf(step.headers ?? {})) !== 'json') return []
    if (!/^\s*[[{"]/.test(step.body) || jsonIn(step.body) !== undefined) return []
    const message =
      'The body is not valid JSON. Correct it, or add the header Content-Type, for example text/plain.'
    return [{ path: pathKey([...path, 'body']), message, severity: 'error', nearest: null, blocks: true }]
  })
}

/** Returns the problems of a schema's issue. Of a union only those of the form that fits best. */
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
  return [{ path: pathKey(path), message, severity: 'error', nearest: null, blocks: true }]
}

/** Returns the problems of a step or field and of what is in it. */
export function problemsIn(problems: readonly Problem[], path: Path): Problem[] {
  const key = pathKey(path)
  return problems.filter(problem => problem.path === key || problem.path.startsWith(`${key}.`))
}

/** Returns the problems of a step without those of the steps inside it. */
export function ownProblems(problems: readonly Problem[], path: Path): Problem[] {
  const start = pathKey(path).length + 1
  return problemsIn(problems, path).filter(
    problem => !/^(?:steps|otherwise|cases\.\d+\.steps)\.\d/.test(problem.path.slice(start)),
  )
}

/**
 * Returns an id of a field that stays when its step moves: the key of the step and the path in it, `notify#message`.
 * Of a step, its key with `#`; of a field of the workflow, its path.
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

import { parsePath } from '#shared/model/variable-path.ts'
import { nearestName } from '#shared/nearest-name.ts'
import {
  createRenderer,
  InvalidVariable,
  MissingEnvironmentVariable,
  MissingValue,
  RenderedTooLarge,
  type Renderer,
} from '#shared/workflows/renderer.ts'
import type { Scope } from '#shared/workflows/scope.ts'
import { soleVariable, variablesIn } from '#shared/workflows/templates.ts'

/** The result of a template with an event. */
export type Preview =
  | { readonly kind: 'value'; readonly value: unknown; readonly absent: readonly string[] }
  /** A text without quotes around it. */
  | { readonly kind: 'text'; readonly text: string }
  /** It reads the output of a step that has not run yet. */
  | { readonly kind: 'later'; readonly key: string }
  | { readonly kind: 'too-large' }
  /** The step would fail. */
  | { readonly kind: 'failed'; readonly why: string }

/** Returns what a JSON value with variables becomes. @param scope null if there is no event to try it with. */
export function previewOf(template: unknown, scope: Scope | null): Preview | null {
  return previewBy(scope, render => ({
    kind: 'value',
    value: render.given(template),
    absent: [...render.absent],
  }))
}

/** Returns what a template becomes. @param scope null if there is no event to try it with. */
export function previewBy(scope: Scope | null, previewed: (render: Renderer) => Preview): Preview | null {
  if (scope === null) return null
  const render = createRenderer(scope)
  const shown = render.shown ?? render
  const preview = attempted(() => previewed(shown))
  const key = laterStep(shown, scope)
  return key === undefined ? preview : { kind: 'later', key }
}

/** Returns the key of a step that has not run, and whose output was read; undefined if there is none. */
export function laterStep({ absent }: Renderer, scope: Scope): string | undefined {
  for (const path of absent) {
    const [root, key = ''] = parsePath(path) ?? []
    if (root === 'steps' && !scope.steps.has(key)) return key
    if (root === '$calls' && !scope.calls?.has(key)) return key
  }
  return undefined
}

function attempted(previewed: () => Preview): Preview {
  try {
    return previewed()
  } catch (error) {
    if (error instanceof RenderedTooLarge) return { kind: 'too-large' }
    if (error instanceof InvalidVariable) return { kind: 'failed', why: 'not a variable' }
    if (error instanceof MissingEnvironmentVariable) return { kind: 'failed', why: 'not set' }
    if (error instanceof MissingValue) return { kind: 'failed', why: 'no value in this event' }
    throw error
  }
}

/**
 * Returns a text with a wrong variable replaced by the nearest right one.
 *
 * @param nearest such as `{{order_id}}`; anything else replaces the whole text.
 */
export function withNearest(text: string, nearest: string, isKnown: (path: string) => boolean): string {
  const right = soleVariable(nearest)
  if (right === null) return nearest
  const wrong = variablesIn(text).filter(({ path }) => !isKnown(path))
  const name = nearestName(
    right,
    wrong.map(({ path }) => path),
  )
  const found = wrong.find(({ path }) => path === name) ?? wrong[0]
  return found === undefined ? text : text.slice(0, found.from) + nearest + text.slice(found.to)
}

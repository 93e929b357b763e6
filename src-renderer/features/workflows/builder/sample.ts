import { isObject, numberText, parseExact } from '#shared/json/exact-json.ts'
import { variablesOf } from '#shared/model/event-variables.ts'
import { parsePath, pathInside, pathText } from '#shared/model/variable-path.ts'
import { nearestName } from '#shared/nearest-name.ts'
import { renderBody } from '#shared/workflows/http-body.ts'
import { renderUrl } from '#shared/workflows/http-url.ts'
import { type Step, stepLists } from '#shared/workflows/steps/kinds.ts'
import {
  createRenderer,
  InvalidVariable,
  MissingValue,
  RenderedTooLarge,
  type Renderer,
  resolve,
  type Scope,
  soleVariable,
  variablesIn,
} from '#shared/workflows/templates.ts'
import type { Path } from '../../../entities/workflow/step-paths.ts'

export type Payload = Readonly<Record<string, unknown>>

/** An event that the builder tries the workflow with. */
export type SampleEvent = {
  /** The id of a stored event, `sample:` with the event type's id, or `typed`. */
  readonly id: string
  readonly kind: 'stored' | 'sample' | 'typed'
  readonly connectionId: string
  readonly eventName: string
  /** A short recognizable value, such as an order number. */
  readonly subject: string | null
  /** Null for an event that was not received. */
  readonly receivedAt: string | null
  /** The text of its `data`. */
  readonly dataText: string
}

/** Returns the fields of an event's data with the digits of its numbers; null if it is not a JSON object. */
export function dataOf(text: string): Payload | null {
  try {
    const data = parseExact(text)
    return isObject(data) ? data : null
  } catch {
    return null
  }
}

/** Returns what a workflow gets from an event; null if its data is not a JSON object. */
export function payloadOf(event: SampleEvent): Payload | null {
  const data = dataOf(event.dataText)
  return data && { ...data, eventName: event.eventName, connectionId: event.connectionId }
}

/** Returns the fields of all payloads together; those of the first take precedence. Null if there is none. */
export function mergePayloads(payloads: readonly Payload[]): Payload | null {
  const [first, ...rest] = payloads
  return first === undefined ? null : rest.reduce((all, next) => merge(all, next), first)
}

function merge(one: Payload, other: Payload): Payload {
  const all: Record<string, unknown> = { ...other, ...one }
  for (const [name, value] of Object.entries(one)) all[name] = mergeValue(value, other[name])
  return all
}

function mergeValue(one: unknown, other: unknown): unknown {
  if (one === null) return other ?? null
  if (isObject(one) && isObject(other)) return merge(one, other)
  if (Array.isArray(one) && Array.isArray(other)) return one.length === 0 ? other : one
  return one
}

/** A variable that can be inserted, with what is known of its value. */
export type Choice = {
  /** Without braces. */
  readonly path: string
  /** Its value, or where it comes from. */
  readonly detail: string
}

/** The values that the templates of a step can use. */
export type Around = {
  /** The steps before it whose outputs it can read. */
  readonly before: readonly Step[]
  /** The loops around it, outermost first. */
  readonly loops: readonly (Step & { readonly type: 'each' })[]
}

/** Returns the steps that run before the step at a path, and the loops around it. */
export function around(steps: readonly Step[], path: Path): Around {
  const before: Step[] = []
  const loops: (Step & { readonly type: 'each' })[] = []
  let list: readonly Step[] = steps
  let rest = path.slice(1)
  while (typeof rest[0] === 'number') {
    const [index, ...inside] = rest
    const step: Step | undefined = list[Number(index)]
    for (const earlier of list.slice(0, Number(index))) add(earlier)
    if (step === undefined || inside.length === 0) break
    before.push(step)
    if (step.type === 'each') loops.push(step)
    const lists = stepLists(step)
    const at = lists.findIndex(({ path: to }) => to.every((part, place) => part === inside[place]))
    // Of a branch, a step may also read the outputs of the cases before its own.
    for (const earlier of lists.slice(0, Math.max(0, at))) for (const one of earlier.steps) add(one)
    const next = lists[at]
    if (next === undefined) break
    list = next.steps
    rest = inside.slice(next.path.length)
  }
  return { before, loops }

  function add(step: Step): void {
    before.push(step)
    // The outputs of a loop's steps end with the loop.
    if (step.type === 'branch')
      for (const { steps: inside } of stepLists(step)) for (const one of inside) add(one)
  }
}

/** Returns what templates see at a step, as far as it is known. */
export function scopeAt(at: Around, payload: Payload, outputs: ReadonlyMap<string, unknown>): Scope {
  const keys = new Set(at.before.map(({ key }) => key))
  let scope: Scope = { payload, steps: new Map([...outputs].filter(([key]) => keys.has(key))) }
  for (const loop of at.loops) {
    const path = soleVariable(loop.items)
    const items = path === null ? undefined : resolve(path, scope)
    scope = { ...scope, loop: { item: Array.isArray(items) ? items[0] : undefined, index: 0 } }
  }
  return scope
}

/** Returns the variables that a step can use: of the loop around it, of the event, and of the steps before it. */
export function choicesAt(at: Around, known: Payload | null, scope: Scope, fields: OutputFields): Choice[] {
  const loop = at.loops.length === 0 ? [] : [...pathsOf('item', scope.loop?.item), 'index']
  const event = [...variablesOf(known), 'eventName', 'connectionId']
  const outputs = at.before.flatMap(step => {
    const output = scope.steps.get(step.key)
    const paths = fields(step)?.map(name => pathText([name])) ?? (isObject(output) ? variablesOf(output) : [])
    const key = `steps.${step.key}`
    return paths.length === 0 ? [key] : paths.map(path => pathInside(key, path))
  })
  return [...new Set([...loop, ...event, ...outputs])].map(path => {
    const value = resolve(path, scope)
    return { path, detail: value === undefined ? sourceOf(path) : shortText(value) }
  })
}

/** Returns the names of a step's output; null where they are not known before it runs. */
export type OutputFields = (step: Step) => readonly string[] | null

function pathsOf(name: string, value: unknown): string[] {
  return isObject(value) ? [name, ...variablesOf(value).map(path => pathInside(name, path))] : [name]
}

function sourceOf(path: string): string {
  return path.startsWith('steps.') ? 'known after the step runs' : 'not in this event'
}

const maxShort = 40

/** Returns a value as short JSON. */
function shortText(value: unknown): string {
  const text = numberText(value) ?? JSON.stringify(value) ?? ''
  return text.length > maxShort ? `${text.slice(0, maxShort)}…` : text
}

/** What a template becomes with an event. */
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

/** Returns the URL of an HTTP request as it is called. @param scope null if there is no event to try it with. */
export function previewOfUrl(template: string, scope: Scope | null): Preview | null {
  return previewBy(scope, render => {
    const { url, problem } = renderUrl(template, render)
    return problem === null ? { kind: 'value', value: url, absent: [] } : { kind: 'failed', why: problem }
  })
}

/** Returns the value of a header, with masked environment variables. @param scope null if there is no event to try it with. */
export function previewOfHeader(name: string, template: string, scope: Scope | null): Preview | null {
  return previewBy(scope, render => {
    const { value, shown } = render.header(name, template)
    return { kind: 'value', value: shown ?? value, absent: [...render.absent] }
  })
}

/** Returns the body of an HTTP request as it is sent. @param scope null if there is no event to try it with. */
export function previewOfBody(body: unknown, contentType: string, scope: Scope | null): Preview | null {
  return previewBy(scope, render => ({ kind: 'text', text: renderBody(body, contentType, render).text }))
}

function previewBy(scope: Scope | null, previewed: (render: Renderer) => Preview): Preview | null {
  if (scope === null) return null
  const render = createRenderer(scope)
  const preview = attempted(() => previewed(render))
  const key = laterStep(render, scope)
  return key === undefined ? preview : { kind: 'later', key }
}

/** Returns the key of a step that has not run, and whose output was read; undefined if there is none. */
export function laterStep({ absent }: Renderer, scope: Scope): string | undefined {
  for (const path of absent) {
    const [root, key = ''] = parsePath(path) ?? []
    if (root === 'steps' && !scope.steps.has(key)) return key
  }
  return undefined
}

function attempted(previewed: () => Preview): Preview {
  try {
    return previewed()
  } catch (error) {
    if (error instanceof RenderedTooLarge) return { kind: 'too-large' }
    if (error instanceof InvalidVariable) return { kind: 'failed', why: 'not a variable' }
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

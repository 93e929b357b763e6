import { isObject, numberText, parseExact } from '#shared/json/exact-json.ts'
import { variablesOf } from '#shared/model/event-variables.ts'
import { pathInside, pathText } from '#shared/model/variable-path.ts'
import {
  calledKeyIn,
  isOfService,
  type RunFacts,
  resolve,
  runNames,
  type Scope,
} from '#shared/workflows/scope.ts'
import { kindOf, type Step, stepLists } from '#shared/workflows/steps/kinds.ts'
import { soleVariable } from '#shared/workflows/templates.ts'
import type { Path } from '../../../entities/workflow/step-paths.ts'

export type Payload = Readonly<Record<string, unknown>>

/** An event that the builder tries the workflow with. */
export type SampleEvent = {
  /** The id of a received event, `sample:` with the event type's id, or `typed`. */
  readonly id: string
  readonly kind: 'stored' | 'memory' | 'sample' | 'typed'
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
  /** The template of the list of each loop around it, outermost first. */
  readonly loops: readonly string[]
}

/** Returns the steps that run before the step at a path, and the loops around it. */
export function around(steps: readonly Step[], path: Path): Around {
  const before: Step[] = []
  const loops: string[] = []
  let list: readonly Step[] = steps
  let rest = path.slice(1)
  while (typeof rest[0] === 'number') {
    const [index, ...inside] = rest
    const step: Step | undefined = list[Number(index)]
    for (const earlier of list.slice(0, Number(index))) add(earlier)
    if (step === undefined || inside.length === 0) break
    before.push(step)
    const items = itemsOf(step)
    if (items !== null) loops.push(items)
    const lists = stepLists(step)
    const at = lists.findIndex(({ path: to }) => to.every((part, place) => part === inside[place]))
    // A step of a branch may also read the outputs of the cases before its own.
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
    if (itemsOf(step) === null)
      for (const { steps: inside } of stepLists(step)) for (const one of inside) add(one)
  }
}

const itemsOf = (step: Step) => kindOf(step).inside?.itemsOf(step) ?? null

/** The parts of a call that are offered. */
const callChoices = ['status', 'headers', 'links.next', 'bodyText', 'error.code', 'error.message']

/** The values of `$run` in previews. */
const sampleRun: RunFacts = {
  id: 'run_0abc1def2gh',
  queuedAt: '2026-01-31T12:00:00.000Z',
  uuid: '00000000-0000-8000-8000-000000000000',
  eventId: 'evt_0abc1def2gh',
}

/** Returns what templates see at a step, as far as it is known. */
export function scopeAt(at: Around, payload: Payload, outputs: ReadonlyMap<string, unknown>): Scope {
  const keys = new Set(at.before.map(({ key }) => key))
  let scope: Scope = {
    payload,
    steps: new Map([...outputs].filter(([key]) => keys.has(key))),
    run: sampleRun,
  }
  for (const template of at.loops) {
    const path = soleVariable(template)
    const items = path === null ? undefined : resolve(path, scope)
    scope = { ...scope, loop: { item: Array.isArray(items) ? items[0] : undefined, index: 0 } }
  }
  return scope
}

/** Returns the variables that a step can use: those of the loop around it, the event, and the steps before it. */
export function choicesAt(at: Around, known: Payload | null, scope: Scope, fields: OutputFields): Choice[] {
  const loop = at.loops.length === 0 ? [] : [...pathsOf('item', scope.loop?.item), 'index']
  const event = [...variablesOf(known), 'eventName', 'connectionId']
  const outputs = at.before.flatMap(step => {
    const output = scope.steps.get(step.key)
    const paths = fields(step)?.map(name => pathText([name])) ?? (isObject(output) ? variablesOf(output) : [])
    const key = `steps.${step.key}`
    return paths.length === 0 ? [key] : paths.map(path => pathInside(key, path))
  })
  const calls = at.before
    .filter(step => kindOf(step).does === 'call')
    .flatMap(({ key }) => callChoices.map(name => `$calls.${key}.${name}`))
  const ofRun = runNames.map(name => `$run.${name}`)
  return [
    ...new Set([...loop, ...event, ...outputs].flatMap(path => withLength(path, scope)).concat(calls, ofRun)),
  ].map(path => {
    const value = resolve(path, scope)
    if (isOfService(path))
      return { path, detail: calledKeyIn(path) === null ? 'of the run' : 'known after the step runs' }
    return { path, detail: value === undefined ? sourceOf(path) : shortText(value) }
  })
}

/** Returns a path, and the length of the list that is at it. */
function withLength(path: string, scope: Scope): string[] {
  return Array.isArray(resolve(path, scope)) ? [path, `${path}.$length`] : [path]
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

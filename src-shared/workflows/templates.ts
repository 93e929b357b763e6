import { isObject, numberText } from '../json/exact-json.ts'
import { parseDotPath, valueAt } from '../model/response-mapping.ts'

/** The values that templates can use. */
export type Scope = {
  /** Fields of the trigger payload, `eventName` and `connectionId` among them. */
  readonly payload: Readonly<Record<string, unknown>>
  /** Outputs of the steps that have ended, by their keys. */
  readonly steps: ReadonlyMap<string, unknown>
  /** Inside a loop only. */
  readonly loop?: { readonly item: unknown; readonly index: number }
}

/** UTF-16 units of all that the templates of one step may render to. */
export const maxRendered = 1024 * 1024

/** A variable of a template: `path` without braces, and where it stands in the text. */
export type Variable = { readonly path: string; readonly from: number; readonly to: number }

/** A brace, a dot or white space cannot be part of a name, so the scan is linear. */
const variable = /\{\{[^\S\n]*([^\s.{}]+(?:\.[^\s.{}]+)*)[^\S\n]*\}\}/g

/** Returns the variables of a text in their order. Braces that do not enclose a path are text. */
export function variablesIn(text: string): Variable[] {
  if (!text.includes('{{')) return []
  return Array.from(text.matchAll(variable), match => ({
    path: match[1] ?? '',
    from: match.index,
    to: match.index + match[0].length,
  }))
}

/** Returns the variable that is the whole of a text; null where there is other text beside it. */
export function soleVariable(text: string): string | null {
  const [first] = variablesIn(text)
  return first !== undefined && first.from === 0 && first.to === text.length ? first.path : null
}

/** Returns the value of a variable; `undefined` where there is none. Only own fields count. */
export function resolve(path: string, scope: Scope): unknown {
  const [root = '', ...rest] = parseDotPath(path) ?? []
  if (root === 'steps') {
    const [key = '', ...inside] = rest
    return valueAt(scope.steps.get(key), inside)
  }
  if (root === 'event') return valueAt(scope.payload, rest)
  if (scope.loop !== undefined && (root === 'item' || root === 'index'))
    return valueAt(scope.loop[root], rest)
  return valueAt(scope.payload, [root, ...rest])
}

/** Returns a value as text: exact digits, JSON for lists and objects, empty for null. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  return numberText(value) ?? (typeof value === 'boolean' ? String(value) : JSON.stringify(value))
}

/** Thrown by a renderer whose results have become larger than `maxRendered`. */
export class RenderedTooLarge extends Error {}

export type Renderer = {
  /** Returns a text with its variables replaced. A variable alone keeps the type of its value. */
  value(template: string): unknown
  /** Returns the same as text, each value changed by `encode`. */
  text(template: string, encode?: (value: string) => string): string
  /** Returns a JSON value with the variables of all its texts replaced; keys stay as they are. */
  json(value: unknown): unknown
  /** Returns an object with the variables of its values replaced. */
  fields(template: Readonly<Record<string, unknown>>): Record<string, unknown>
  /** The paths of the variables that had no value, each once. */
  readonly absent: ReadonlySet<string>
}

/**
 * Creates a renderer for the templates of one step (decisions: Workflows, variables). It only reads values: nothing in
 * a template or a payload runs. A variable without a value becomes an empty text.
 *
 * @throws RenderedTooLarge from its functions.
 */
export function createRenderer(scope: Scope): Renderer {
  const missing = new Set<string>()
  let size = 0

  function count(text: string): string {
    size += text.length
    if (size > maxRendered) throw new RenderedTooLarge()
    return text
  }

  function lookUp(path: string): unknown {
    const value = resolve(path, scope)
    if (value !== undefined) return value
    missing.add(path)
    return ''
  }

  function text(template: string, encode = (value: string) => value): string {
    let result = ''
    let from = 0
    for (const found of variablesIn(template)) {
      result += template.slice(from, found.from) + count(encode(textOf(lookUp(found.path))))
      from = found.to
    }
    return result + template.slice(from)
  }

  function value(template: string): unknown {
    const path = soleVariable(template)
    if (path === null) return text(template)
    const found = lookUp(path)
    // Only what takes room is measured.
    if (typeof found === 'string') count(found)
    else if (typeof found === 'object' && found !== null) count(JSON.stringify(found))
    return found
  }

  function json(template: unknown): unknown {
    if (typeof template === 'string') return value(template)
    if (Array.isArray(template)) return template.map(json)
    if (!isObject(template)) return template
    return fields(template)
  }

  function fields(template: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return Object.fromEntries(Object.entries(template).map(([name, part]) => [name, json(part)]))
  }

  return { value, text, json, fields, absent: missing }
}

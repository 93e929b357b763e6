import { isObject, numberText } from '../json/exact-json.ts'
import { valueAt } from '../json/value-at.ts'
import { EnvironmentName, mask } from '../model/environment.ts'
import { isOddPath, parsePath, variablePattern } from '../model/variable-path.ts'

/** The values that templates can use. */
export type Scope = {
  /** Fields of the trigger payload, `eventName` and `connectionId` among them. */
  readonly payload: Readonly<Record<string, unknown>>
  /** Outputs of the steps that have ended, by their keys. */
  readonly steps: ReadonlyMap<string, unknown>
  /** Outputs that are shown otherwise than they are, by their keys: a mask, or with masks in them. */
  readonly shown?: ReadonlyMap<string, unknown>
  /** Inside a loop only. `shown`: the item, if it is shown otherwise than it is. */
  readonly loop?: { readonly item: unknown; readonly index: number; readonly shown?: unknown }
  /** Header fields of the event by their names in lower case, for the key of a trigger only. */
  readonly headers?: Readonly<Record<string, string>>
  /** Returns the value of an environment variable, for headers; undefined if it is not set. */
  readonly environment?: (name: string) => string | undefined
  /** The work that the run may still do; absent for any amount. All its steps take from it. */
  readonly budget?: Budget
}

/** How many UTF-16 units of templates and values may be read. A unit takes about 5 ns. */
export type Budget = { left: number }

/** The cost of each, besides the texts that it reads: it takes time, even if these are empty. */
export const costOfStep = 200
export const costOfItem = 100
export const costOfTemplate = 100
export const costOfVariable = 20

/** @throws BudgetSpent */
export function spend(budget: Budget | undefined, units: number): void {
  if (budget === undefined) return
  budget.left -= units
  if (budget.left < 0) throw new BudgetSpent()
}

/** Maximum number of UTF-16 units that the variables of one step may insert in total. */
export const maxRendered = 1024 * 1024

/** A variable of a template: `path` without braces, and its offsets in the template. */
export type Variable = { readonly path: string; readonly from: number; readonly to: number }

const variable = new RegExp(variablePattern, 'g')

/** Returns the variables of a string in their order. */
export function variablesIn(text: string): Variable[] {
  if (!text.includes('{{')) return []
  return Array.from(text.matchAll(variable), match => ({
    path: match[1] ?? '',
    from: match.index,
    to: match.index + match[0].length,
  }))
}

/** Matches double braces up to the closing ones, or else up to the next opening ones. */
const unclosed = /\{\{(?:[^{}]|\{(?!\{)|\}(?!\}))*(?:\}\})?/g

/** Returns the parts of a string that begin like a variable and are none: `{{total * 2}}`, `{{name`. */
export function wrongVariablesIn(text: string): string[] {
  if (!text.includes('{{')) return []
  const wrong: string[] = []
  let from = 0
  for (const { from: end, to } of [...variablesIn(text), { from: text.length, to: text.length }]) {
    const between = text.slice(from, end)
    for (const [source] of between.matchAll(unclosed)) wrong.push(source.trim())
    from = to
  }
  return wrong
}

/** Maximum number of texts that are remembered, and UTF-16 units of one. */
const mostRemembered = 1000
const longestRemembered = 200

/** Returns a function that remembers the results of `parse`: workflows use the same few templates again and again. */
function remembering<Result>(parse: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>()
  return text => {
    const before = known.get(text)
    if (before !== undefined) return before
    const result = parse(text)
    if (known.size === mostRemembered) known.clear()
    if (text.length <= longestRemembered) known.set(text, result)
    return result
  }
}

const variablesOf = remembering<readonly Variable[]>(variablesIn)
/** Does what `wrongVariablesIn` does, and remembers it. */
export const wrongOf = remembering<readonly string[]>(wrongVariablesIn)
const stepsOf = remembering<readonly string[]>(path => parsePath(path) ?? [''])

/** Returns a string with each variable replaced by what `replacement` returns for its path and its source. */
export function replaceVariables(
  text: string,
  replacement: (path: string, source: string) => string,
): string {
  let result = ''
  let from = 0
  for (const found of variablesOf(text)) {
    result += text.slice(from, found.from) + replacement(found.path, text.slice(found.from, found.to))
    from = found.to
  }
  return result + text.slice(from)
}

/** Returns the variable of a string that consists of a single variable; null for any other string. */
export function soleVariable(text: string): string | null {
  const [first] = variablesOf(text)
  return first !== undefined && first.from === 0 && first.to === text.length ? first.path : null
}

/** Variables of the run, whatever environment variables there are. */
const ofRun = new Set(['eventName', 'connectionId', 'event', 'steps', 'item', 'index'])

/** Returns whether a variable in a header can be an environment variable. */
export function mayBeEnvironment(path: string): boolean {
  return !ofRun.has(path) && EnvironmentName.safeParse(path).success
}

/** Returns the value of a variable; `undefined` if it has none. Inherited properties are ignored. */
export function resolve(path: string, scope: Scope): unknown {
  const [root = '', ...rest] = stepsOf(path)
  if (root === 'steps') {
    const [key = '', ...inside] = rest
    return valueAt(scope.steps.get(key), inside)
  }
  if (root === 'event') return valueAt(scope.payload, rest)
  if (scope.headers !== undefined && root === 'headers') return valueAt(scope.headers, rest)
  if (scope.loop !== undefined && (root === 'item' || root === 'index'))
    return valueAt(scope.loop[root], rest)
  return valueAt(scope.payload, stepsOf(path))
}

/** Returns the value of a variable as it is shown: a mask in place of a private value. */
function resolveShown(path: string, scope: Scope): unknown {
  const value = resolve(path, scope)
  if (value === undefined) return undefined
  const [root = '', ...rest] = stepsOf(path)
  const { shown, loop } = scope
  if (root === 'steps') {
    const [key = '', ...inside] = rest
    return shown?.has(key) ? partShown(shown.get(key), inside) : value
  }
  return root === 'item' && loop?.shown !== undefined ? partShown(loop.shown, rest) : value
}

/** Returns a part of a value that is shown. Masks can be in place of the names that lead to it, too. */
function partShown(shown: unknown, inside: readonly string[]): unknown {
  const found = shown === mask ? mask : valueAt(shown, inside)
  return found === undefined ? mask : found
}

/** Returns a value as a string: numbers with their exact digits, lists and objects as JSON, null as an empty string. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  return numberText(value) ?? (typeof value === 'boolean' ? String(value) : JSON.stringify(value))
}

/** Thrown by a renderer whose results have become larger than `maxRendered`. */
export class RenderedTooLarge extends Error {}

/** Thrown for text in double braces that is not a variable, because it must not be sent as it is. */
export class InvalidVariable extends Error {}

const maxShown = 80
const shortened = (text: string) => (text.length > maxShown ? `${text.slice(0, maxShown)}…` : text)

/** Returns why a field cannot have such a name. */
export function wrongName(name: string): string {
  return `The name of a field cannot have variables: ${shortened(name)}.`
}

/** Returns why text in double braces is not a variable. */
export function wrongVariable(source: string): string {
  return `${shortened(source)} is not a variable. A variable is a path, such as {{customer.name}} or {{customer["odd key"]}}; there are no operators, filters or functions.`
}

/** Thrown for a variable without a value where the step needs one. */
export class MissingValue extends Error {
  readonly path: string

  /** @param place what needs the value: `the path of the URL`. */
  constructor(path: string, place: string, hint = '') {
    super(`{{${path}}} has no value, and ${place} needs one. The step was not carried out.${hint}`)
    this.path = path
  }
}

/** Thrown by a renderer when the budget of its run is spent. */
export class BudgetSpent extends Error {}

export type Header = {
  readonly value: string
  /** The same with masked environment variables; null without them. */
  readonly shown: string | null
}

export type Renderer = {
  /** Renders the same with `••••` for each private value. Null if the templates can use none. */
  readonly shown: Renderer | null
  /** Returns a string with its variables replaced. A single variable keeps the type of its value. */
  value(template: string): unknown
  /** Returns a string with its variables replaced, each value encoded with `encode`. */
  text(template: string, encode?: (value: string) => string): string
  /**
   * The same for a place where a variable without a value, or with the value null, would change what the step does.
   *
   * @param place names it: `the path of the URL`.
   * @throws MissingValue
   */
  required(template: string, place: string, encode?: (value: string) => string): string
  /**
   * Returns the value of a header with its variables replaced. An environment variable takes precedence over a field of
   * the event.
   *
   * @throws MissingValue
   */
  header(name: string, template: string): Header
  /** Returns a JSON value with the variables of all its strings replaced. Keys stay as they are. */
  json(value: unknown): unknown
  /**
   * The same, but a string that is a single variable without a value becomes `undefined`: a field of an object is left
   * out, and an item of a list is null.
   */
  given(value: unknown): unknown
  /** Returns the given fields of an object. */
  givenFields(template: Readonly<Record<string, unknown>>): Record<string, unknown>
  /** The paths of the variables that had no value, each once. */
  readonly absent: ReadonlySet<string>
  /** Returns how many UTF-16 units the variables have inserted. */
  size(): number
}

/** The lengths of lists and objects as JSON. A loop inserts the same large ones again and again. */
const lengths = new WeakMap<object, number>()

/** Returns the number of UTF-16 units of a value as JSON. */
export function jsonLength(value: object): number {
  const known = lengths.get(value)
  if (known !== undefined) return known
  const { length } = JSON.stringify(value)
  lengths.set(value, length)
  return length
}

/**
 * Creates a renderer for the templates of one step. It only reads values, and never executes anything in a template or a
 * payload. Unless a function says otherwise, a variable without a value becomes an empty string. See docs/workflows.md.
 *
 * @throws InvalidVariable, RenderedTooLarge and BudgetSpent from its functions.
 */
export function createRenderer(scope: Scope): Renderer {
  const hides = (scope.shown?.size ?? 0) > 0 || scope.loop?.shown !== undefined
  // What is shown is at most a few times larger, so it needs no limits of its own.
  const { budget: _, ...unlimited } = scope
  return rendererOf(scope, hides ? rendererOf(unlimited, null, resolveShown, Number.POSITIVE_INFINITY) : null)
}

function rendererOf(scope: Scope, shown: Renderer | null, find = resolve, most = maxRendered): Renderer {
  const { budget } = scope
  const missing = new Set<string>()
  let size = 0

  function count(length: number): void {
    spend(budget, length)
    size += length
    if (size > most) throw new RenderedTooLarge()
  }

  /** Counts the work of a template, which must not have anything else than variables in double braces. */
  function begin(template: string): void {
    spend(budget, costOfTemplate + template.length)
    const [wrong] = wrongOf(template)
    if (wrong !== undefined) throw new InvalidVariable(wrongVariable(wrong))
  }

  /** A name of a field is sent as it is, so it cannot have variables. */
  function checkName(name: string): void {
    if (name.includes('{{')) throw new InvalidVariable(wrongName(name))
  }

  function counted(text: string): string {
    count(text.length)
    return text
  }

  function lookUp(path: string): unknown {
    spend(budget, costOfVariable)
    const value = find(path, scope)
    if (value !== undefined) return value
    if (isOddPath(path)) throw new InvalidVariable(wrongVariable(`{{${path}}}`))
    missing.add(path)
    return undefined
  }

  /** A mask is shown as it is, also in a URL. */
  const encoded = (value: string, encode: (value: string) => string) =>
    find === resolveShown && value === mask ? mask : encode(value)

  function text(template: string, encode = (value: string) => value): string {
    begin(template)
    return replaceVariables(template, path => counted(encoded(textOf(lookUp(path)), encode)))
  }

  function required(template: string, place: string, encode = (value: string) => value): string {
    begin(template)
    return replaceVariables(template, path => counted(encoded(requiredText(path, place), encode)))
  }

  function requiredText(path: string, place: string, hint?: string): string {
    const value = lookUp(path)
    if (value === undefined || value === null) throw new MissingValue(path, place, hint)
    return textOf(value)
  }

  function header(name: string, template: string): Header {
    begin(template)
    const requiredIn = (path: string) =>
      requiredText(
        path,
        `the header ${name}`,
        mayBeEnvironment(path) ? ` It is not the name of an environment variable that is set, either.` : '',
      )
    const secretOf = (path: string) => (mayBeEnvironment(path) ? scope.environment?.(path) : undefined)
    const value = replaceVariables(template, path => counted(secretOf(path) ?? requiredIn(path)))
    if (variablesOf(template).every(({ path }) => secretOf(path) === undefined)) return { value, shown: null }
    const shown = replaceVariables(template, path => (secretOf(path) === undefined ? requiredIn(path) : mask))
    return { value, shown }
  }

  function value(template: string): unknown {
    const found = present(template)
    return found === undefined ? '' : found
  }

  function present(template: string): unknown {
    const path = soleVariable(template)
    if (path === null) return text(template)
    begin(template)
    const found = lookUp(path)
    // Only strings, lists and objects count towards the limit; other values are small.
    if (typeof found === 'string') count(found.length)
    else if (typeof found === 'object' && found !== null) count(jsonLength(found))
    return found
  }

  function json(template: unknown): unknown {
    if (typeof template === 'string') return value(template)
    spend(budget, costOfTemplate)
    if (Array.isArray(template)) return template.map(json)
    if (!isObject(template)) return template
    return Object.fromEntries(
      Object.entries(template).map(([name, part]) => {
        checkName(name)
        return [name, json(part)]
      }),
    )
  }

  function given(template: unknown): unknown {
    if (typeof template === 'string') return present(template)
    spend(budget, costOfTemplate)
    if (Array.isArray(template)) return template.map(part => given(part) ?? null)
    return isObject(template) ? givenFields(template) : template
  }

  function givenFields(template: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const parts = Object.entries(template).map(([name, part]) => {
      checkName(name)
      return [name, given(part)] as const
    })
    return Object.fromEntries(parts.filter(([, part]) => part !== undefined))
  }

  return { shown, value, text, required, header, json, given, givenFields, absent: missing, size: () => size }
}

import { isObject } from '../json/exact-json.ts'
import { mask } from '../model/environment.ts'
import { isOddPath } from '../model/variable-path.ts'
import {
  costOfTemplate,
  costOfVariable,
  environmentNameIn,
  isOfService,
  mayBeEnvironment,
  resolve,
  resolveShown,
  type Scope,
  serviceProblem,
  spend,
} from './scope.ts'
import {
  noRunYet,
  noSecretHere,
  replaceVariables,
  soleVariable,
  textOf,
  variablesOf,
  wrongName,
  wrongOf,
  wrongVariable,
} from './templates.ts'

/** Maximum number of UTF-16 units that the variables of one step may insert in total. */
export const maxRendered = 1024 * 1024

/** Thrown by a renderer whose results have become larger than `maxRendered`. */
export class RenderedTooLarge extends Error {}

/** Thrown for text in double braces that is not a variable, because it must not be sent as it is. */
export class InvalidVariable extends Error {}

/** Thrown for a variable of a run that has no id yet. */
export class NoRunYet extends InvalidVariable {}

/** Thrown for an environment variable that is not set. */
export class MissingEnvironmentVariable extends Error {
  constructor(name: string) {
    super(`The environment variable ${name} is not set. The step was not carried out.`)
  }
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
  /** The environment variables that have to be fetched: in their place is a text that must not be sent. */
  readonly unfetched: ReadonlySet<string>
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
 * @throws InvalidVariable, MissingEnvironmentVariable, RenderedTooLarge and BudgetSpent from its functions.
 */
export function createRenderer(scope: Scope): Renderer {
  const { shown, shownCalls, loop, usesEnvironment = false } = scope
  const hidden = (shown?.size ?? 0) + (shownCalls?.size ?? 0)
  if (!usesEnvironment && hidden === 0 && loop?.shown === undefined) return rendererOf(scope, null)
  // What is shown is at most a few times larger, so it needs no limits of its own.
  const { budget: _, ...unlimited } = scope
  return rendererOf(scope, rendererOf(unlimited, null, resolveShown, Number.POSITIVE_INFINITY))
}

function rendererOf(scope: Scope, shown: Renderer | null, find = resolve, most = maxRendered): Renderer {
  const { budget } = scope
  const missing = new Set<string>()
  const unfetched = new Set<string>()
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
    if (isOfService(path)) return ofService(path)
    const value = find(path, scope)
    if (value !== undefined) return value
    if (isOddPath(path)) throw new InvalidVariable(wrongVariable(`{{${path}}}`))
    missing.add(path)
    return undefined
  }

  function ofService(path: string): unknown {
    const problem = serviceProblem(path)
    if (problem !== null) throw new InvalidVariable(problem.message)
    const name = environmentNameIn(path)
    if (name === null) {
      if (scope.run === undefined) throw new NoRunYet(noRunYet(path))
      const value = find(path, scope)
      if (value === undefined) missing.add(path)
      return value
    }
    if (scope.usesEnvironment !== true) throw new InvalidVariable(noSecretHere(path))
    if (find === resolveShown) return mask
    const value = environmentValue(name)
    if (value === undefined) throw new MissingEnvironmentVariable(name)
    return value
  }

  function environmentValue(name: string): string | undefined {
    const value = scope.environment?.(name)
    if (value !== null) return value
    unfetched.add(name)
    return 'unfetched'
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
    const secretOf = (path: string) => {
      if (environmentNameIn(path) !== null) return textOf(lookUp(path))
      return mayBeEnvironment(path) ? environmentValue(path) : undefined
    }
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

  const found = { absent: missing, unfetched, size: () => size }
  return { shown, value, text, required, header, json, given, givenFields, ...found }
}

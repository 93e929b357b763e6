import { numberText } from '../json/exact-json.ts'
import { parsePath, variablePattern } from '../model/variable-path.ts'

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

/** Does what `variablesIn` does, and remembers it. */
export const variablesOf = remembering<readonly Variable[]>(variablesIn)
/** Does what `wrongVariablesIn` does, and remembers it. */
export const wrongOf = remembering<readonly string[]>(wrongVariablesIn)
/** Returns the steps of the path of a variable, and remembers them. */
export const stepsOf = remembering<readonly string[]>(path => parsePath(path) ?? [''])

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

/** Returns a value as a string: numbers with their exact digits, lists and objects as JSON, null as an empty string. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  return numberText(value) ?? (typeof value === 'boolean' ? String(value) : JSON.stringify(value))
}

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

/** Returns why a variable cannot be used in a step that has no place for secrets. */
export function noSecretHere(path: string): string {
  return `{{${path}}} is a secret, so it can only be inserted in http and set steps and in arguments of actions.`
}

/** Returns why a variable of a run cannot be used where there is no run yet. */
export function noRunYet(path: string): string {
  return `{{${path}}} has no value before the run has started.`
}

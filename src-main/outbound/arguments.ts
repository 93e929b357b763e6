import { isExactNumber, isObject } from '#shared/json/exact-json.ts'
import type { Issue } from '#shared/model/issue.ts'
import type { Parameter, ParameterType } from '#shared/model/parameter.ts'

export type Arguments = Readonly<Record<string, unknown>>

/** Levels of nesting that an argument may have, as many as an event may (decisions: depth). */
const maxDepth = 1000

/**
 * What is wrong with the arguments of a call; none for good ones (decisions: arguments). Nothing is coerced:
 * `"5"` is not a number, but a number of a payload that keeps its text is one. An argument that is `undefined` counts as left out. Inherited fields are not looked at.
 */
export function argumentIssues(parameters: readonly Parameter[], given: Arguments): Issue[] {
  const issues: Issue[] = []
  let known = 0
  for (const { name, type, required } of parameters) {
    const there = Object.hasOwn(given, name)
    if (there) known++
    const value = there ? given[name] : undefined
    if (value === undefined) {
      if (required) issues.push({ path: name, message: `${name} is required.` })
      continue
    }
    const problem = typeProblem(type, value)
    if (problem !== null) issues.push({ path: name, message: `${name} ${problem}` })
  }
  const names = Object.keys(given)
  if (names.length === known) return issues
  const declared = new Set(parameters.map(({ name }) => name))
  for (const name of names)
    if (!declared.has(name))
      issues.push({ path: name, message: `The action has no parameter ${quoted(name)}.` })
  return issues
}

function typeProblem(type: ParameterType, value: unknown): string | null {
  if (type === 'object') {
    if (!isObject(value)) return `must be an object, not ${described(value)}.`
    return isTooDeep(value, maxDepth) ? `is nested deeper than ${maxDepth} levels.` : null
  }
  if (type === 'number' && isExactNumber(value)) return null
  if (typeof value !== type) return `must be a ${type}, not ${described(value)}.`
  if (type === 'number' && !Number.isFinite(value)) return `must be a finite number, not ${String(value)}.`
  return null
}

function described(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (isExactNumber(value)) return 'a number'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** A name that a model made up may be of any length. */
function quoted(name: string): string {
  return JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name)
}

function isTooDeep(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some(part => isTooDeep(part, levels - 1))
}

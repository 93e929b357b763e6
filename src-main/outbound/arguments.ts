import type { Issue } from '#shared/model/issue.ts'
import type { Parameter } from '#shared/model/parameter.ts'
import { parameterKinds } from '#shared/model/parameter-kinds.ts'

export type Arguments = Readonly<Record<string, unknown>>

/** A language model can invent any number of arguments, with names of any length. */
const maxIssues = 100

/**
 * Returns the first 100 issues of a call's arguments; none if they are valid. Coerces nothing: `"5"` is not a number, but an exact
 * number is. An argument that is `undefined` counts as missing, and so does null for an optional parameter, which many
 * clients and models send. Ignores inherited fields.
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
    } else if (required || value !== null) {
      const problem = parameterKinds[type].problem(value)
      if (problem !== null) issues.push({ path: name, message: `${name} ${problem}` })
    }
    if (issues.length === maxIssues) return issues
  }
  const names = Object.keys(given)
  if (names.length === known) return issues
  const declared = new Set(parameters.map(({ name }) => name))
  for (const name of names) {
    if (declared.has(name)) continue
    const path = shortened(name)
    issues.push({ path, message: `The action has no parameter ${JSON.stringify(path)}.` })
    if (issues.length === maxIssues) break
  }
  return issues
}

function shortened(name: string): string {
  return name.length > 64 ? `${name.slice(0, 64)}…` : name
}

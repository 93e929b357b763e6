import type { z } from 'zod'
import type { JsonPath } from './json-path.ts'
import { type Problem, problem } from './problem.ts'

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a schema finds wrong with `value`, which is at `path`, in plain sentences. */
export function zodProblems(error: z.ZodError, path: JsonPath, value: unknown): Problem[] {
  return error.issues.map(issue => {
    const steps = issue.path.map(step => (typeof step === 'symbol' ? String(step) : step))
    return problem([...path, ...steps], sentence(issue, steps, value))
  })
}

const nouns: Readonly<Record<string, string>> = {
  string: 'a text in double quotes',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

function sentence(issue: z.core.$ZodIssue, steps: JsonPath, value: unknown): string {
  const last = steps.at(-1)
  const isMissing = valueAt(value, steps) === undefined
  if (
    isMissing &&
    typeof last === 'string' &&
    (issue.code === 'invalid_type' || issue.code === 'invalid_value')
  )
    return `The field "${last}" is missing.`
  if (issue.code === 'invalid_type') return `This must be ${nouns[issue.expected] ?? issue.expected}.`
  if (issue.code === 'invalid_value')
    return `This must be one of ${issue.values.map(one => JSON.stringify(one)).join(', ')}.`
  if (issue.code === 'too_big' && issue.origin === 'string')
    return withDefault(issue, `This has at most ${issue.maximum} characters.`)
  if (issue.code === 'too_big' && issue.origin === 'array')
    return `This has at most ${issue.maximum} entries.`
  return issue.message
}

/** A sentence of the model wins over the one made here. */
function withDefault(issue: z.core.$ZodIssue, made: string): string {
  return /^(Too big|Too small|Invalid)/.test(issue.message) ? made : issue.message
}

function valueAt(value: unknown, steps: JsonPath): unknown {
  let current = value
  for (const step of steps) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) return undefined
    current = Reflect.get(current, step)
  }
  return current
}

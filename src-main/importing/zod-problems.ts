import type { z } from 'zod'
// Words the issues.
import { codeOf } from '#shared/model/issue.ts'
import '#shared/model/issue-sentences.ts'
import type { JsonPath } from './json-path.ts'
import { type Problem, problem } from './problem.ts'

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns what a schema finds wrong with the value at `path`, in plain sentences. */
export function zodProblems(error: z.ZodError, path: JsonPath): Problem[] {
  return error.issues.map(issue => {
    const steps = issue.path.map(step => (typeof step === 'symbol' ? String(step) : step))
    return { ...problem([...path, ...steps], issue.message), ...codeOf(issue) }
  })
}

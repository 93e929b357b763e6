import { parseExact } from '#shared/json/exact-json.ts'
import type { RunDetails } from '#shared/model/run.ts'

/** The form in which the dashboard asks for runs, because parsing an answer loses digits. */
export const asText = { contents: 'text' } as const

/**
 * Returns a run with the digits of its numbers, from an answer with `asText`. Keep the answer and not the result in the
 * query cache: it copies objects, and a copy of an exact number is not a number.
 */
export function exactRun(run: RunDetails): RunDetails {
  return {
    ...run,
    payload: parsed(run.payload),
    steps: run.steps.map(step => ({
      ...step,
      output: parsed(step.output),
      attempts: step.attempts.map(attempt => ({
        ...attempt,
        input: parsed(attempt.input),
        output: parsed(attempt.output),
      })),
    })),
  }
}

const parsed = (text: unknown): unknown => (typeof text === 'string' ? parseExact(text) : null)

import { ORPCError } from '@orpc/client'
import { z } from 'zod'
import { type ErrorCode, errorCatalogue } from '#shared/errors.ts'
import { Issue } from '#shared/model/issue.ts'

const Data = z.object({ issues: z.array(Issue) })

/** What went wrong, as people are told: one sentence, a stable code, and what is wrong with each field. */
export type Problem = {
  readonly code: string
  readonly message: string
  /** Path of a field, such as `parameters.0.name`, and what is wrong with it. */
  readonly issues: readonly Issue[]
}

/** @param error whatever a call of the service, or anything else, threw. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ORPCError) {
    const data = Data.safeParse(error.data)
    return { code: error.code, message: error.message, issues: data.success ? data.data.issues : [] }
  }
  if (error instanceof TypeError)
    return {
      code: 'service_unreachable' satisfies ErrorCode,
      message: errorCatalogue.service_unreachable.message,
      issues: [],
    }
  return {
    code: 'internal_error',
    message: error instanceof Error ? error.message : String(error),
    issues: [],
  }
}

/** Returns what is wrong by field, for a form; nothing without an error. An issue of no field is under the empty path. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (error === null) return {}
  return Object.fromEntries(problemOf(error).issues.map(({ path, message }) => [path, message]))
}

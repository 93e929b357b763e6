import { ORPCError } from '@orpc/client'
import { z } from 'zod'
import { type ErrorCode, errorCatalogue } from '#shared/errors.ts'
import { Issue } from '#shared/model/issue.ts'

const Data = z.object({ issues: z.array(Issue), current: z.unknown().optional() })

/** An error for the user: one sentence, a stable code, and the issue of each field. */
export type Problem = {
  readonly code: string
  readonly message: string
  readonly issues: readonly Issue[]
  /** For a change of an older version: the record as it is now. */
  readonly current?: unknown
}

/** Whether a proxy has answered, because it reaches no service. */
const isOfProxy = ({ code, status }: { readonly code: string; readonly status: number }) =>
  status >= 502 && status <= 504 && !Object.hasOwn(errorCatalogue, code)

/** @param error anything thrown, usually by a call of the service. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ORPCError && !isOfProxy(error)) {
    const { issues = [], current } = Data.safeParse(error.data).data ?? {}
    return { code: error.code, message: error.message, issues, current }
  }
  if (error instanceof TypeError || error instanceof ORPCError)
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

/** Returns the issues of a form by field path. An issue of the whole form has the empty path. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (error === null) return {}
  return Object.fromEntries(problemOf(error).issues.map(({ path, message }) => [path, message]))
}

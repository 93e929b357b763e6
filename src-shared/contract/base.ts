import { oc } from '@orpc/contract'
import { z } from 'zod'
// Configures the messages of all schemas.
import '../model/issue-sentences.ts'
import { type ErrorCode, errorCatalogue, serviceStatus } from '../errors.ts'
import { Issue } from '../model/issue.ts'

/** The path prefix of the REST interface. */
export const restPrefix = '/api/v1'

const ErrorData = z.object({ issues: z.array(Issue) }).optional()

/** The body of every error over REST. */
export const ErrorBody = z.object({
  code: z.string().describe('Stable; `docs/errors.md` describes each.'),
  message: z.string().describe('One English sentence for the person reading.'),
  data: ErrorData,
})

type Declared<C extends ErrorCode> = { [K in C]: { status: number; message: string; data: typeof ErrorData } }

/** Declares error codes for a procedure; status and message come from the catalogue. */
function declare<const C extends ErrorCode>(...codes: C[]): Declared<C> {
  const entries = codes.map(code => [
    code,
    { status: serviceStatus(code), message: errorCatalogue[code].message, data: ErrorData },
  ])
  return Object.fromEntries(entries)
}

const base = oc.errors(declare('invalid_input', 'unauthorized', 'storage_unavailable', 'internal_error'))

/** Returns a route of the REST interface with its own errors besides those common to all routes. */
export function route<const C extends ErrorCode = never>(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT',
  path: `/${string}`,
  options: { summary: string; tag: string; errors?: C[]; successStatus?: number },
) {
  return base.errors(declare(...(options.errors ?? []))).route({
    method,
    path,
    summary: options.summary,
    tags: [options.tag],
    successStatus: options.successStatus ?? 200,
  })
}

/** The response of a deletion. */
export const Deleted = z.object({ deleted: z.int().describe('How many were deleted.') })

import { oc } from '@orpc/contract'
import { z } from 'zod'
// Words whatever the schemas below find wrong.
import '../model/issue-sentences.ts'
import { type ErrorCode, errorCatalogue, serviceStatus } from '../errors.ts'
import { Issue } from '../model/issue.ts'

/** Where REST begins. */
export const restPrefix = '/api/v1'

const ErrorData = z.object({ issues: z.array(Issue) }).optional()

/** The body of every error over REST. */
export const ErrorBody = z.object({
  code: z.string().describe('Stable; `docs/errors.md` describes each.'),
  message: z.string().describe('One English sentence for the person reading.'),
  data: ErrorData,
})

type Declared<C extends ErrorCode> = { [K in C]: { status: number; message: string; data: typeof ErrorData } }

/** Declares codes of the catalogue as errors of a procedure; status and sentence come from the catalogue. */
function declare<const C extends ErrorCode>(...codes: C[]): Declared<C> {
  const entries = codes.map(code => [
    code,
    { status: serviceStatus(code), message: errorCatalogue[code].message, data: ErrorData },
  ])
  return Object.fromEntries(entries)
}

const base = oc.errors(declare('invalid_input', 'unauthorized', 'storage_unavailable', 'internal_error'))

/** A route of the REST interface with the errors it may answer besides the ones common to all. */
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

/** What a deletion answers. */
export const Deleted = z.object({ deleted: z.int().describe('How many were deleted.') })

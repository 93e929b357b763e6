import { z } from 'zod'
import { placeOf } from '../request/write-request.ts'
import {
  headerNamed,
  headerNameProblem,
  headerValueProblem,
  placeholderProblem,
  variablesIn,
} from './action-headers.ts'
import { fixedQueryNames } from './action-path.ts'
import type { Method } from './method.ts'
import { type SentParameter, wireNameOf } from './parameter.ts'

/** How the calls of a connection sign in, as stored: one header or query parameter. It holds names of variables only. */
export const ConnectionAuthData = z.object({
  in: z.enum(['header', 'query']),
  name: z.string(),
  value: z.string(),
})

/** The same in a request or a document, with the rules for its texts. */
export const ConnectionAuth = z
  .object({
    ...ConnectionAuthData.shape,
    name: z.string().min(1).max(255),
    value: z
      .string()
      .max(8192)
      .describe('A text with at least one variable, such as `Bearer {{ACME_TOKEN}}`.'),
  })
  .superRefine((auth, context) => {
    const add = (path: 'name' | 'value', message: string | null) =>
      message !== null && context.addIssue({ code: 'custom', path: [path], message })
    add('name', auth.in === 'header' ? authHeaderProblem(auth.name) : queryNameProblem(auth.name))
    add('value', valueProblem(auth))
  })

export type ConnectionAuth = z.infer<typeof ConnectionAuthData>

function authHeaderProblem(name: string): string | null {
  if (name.toLowerCase() === 'content-type') return 'Content-Type says what a body is, so it cannot sign in.'
  return headerNameProblem(name)
}

function queryNameProblem(name: string): string | null {
  if (!name.isWellFormed() || /\p{Cc}/u.test(name))
    return 'The name of a query parameter must not contain control characters or half a character.'
  return null
}

function valueProblem({ in: place, value }: ConnectionAuth): string | null {
  const problem = place === 'header' ? headerValueProblem(value) : placeholderProblem(value)
  if (problem !== null) return problem
  return variablesIn(value).length > 0
    ? null
    : 'Write the secret as an environment variable: {{NAME}}. The value itself must not be here.'
}

type Queried = {
  readonly method: Method
  readonly path: string
  readonly parameters: readonly Pick<SentParameter, 'name' | 'wireName' | 'in'>[]
  readonly sendsBody?: boolean | undefined
}

/** Returns whether an action sends a query parameter of this name by itself: in its path, or from an argument. */
export function sendsQuery(action: Queried, name: string): boolean {
  if (fixedQueryNames(action.path).includes(name)) return true
  return action.parameters.some(one => placeOf(one, action) === 'query' && wireNameOf(one) === name)
}

/** Returns whether headers have one of this name, in any spelling. */
export function hasHeader(headers: Readonly<Record<string, string>> | null, name: string): boolean {
  return headerNamed(headers, name) !== undefined
}

/** Returns what a connection's sign-in adds to the calls of an action; null for nothing. A header of the action wins. */
export function authOf<Auth extends ConnectionAuth>(
  auth: Auth | null | undefined,
  headers: Readonly<Record<string, string>> | null,
): Auth | null {
  if (auth == null) return null
  return auth.in === 'header' && hasHeader(headers, auth.name) ? null : auth
}

import { headerNameProblem } from '#shared/model/action-headers.ts'
import { ConnectionAuth } from '#shared/model/connection-auth.ts'
import { OAuth2Variable } from '#shared/model/environment-variable.ts'
import type { SignInType } from '#shared/model/import-auth.ts'
import { hideSecrets } from '../problem.ts'
import { entriesOf, field, type Resolve, textField } from './json-value.ts'
import { cut, variablePart } from './texts.ts'

/** A scheme that a header or a query parameter carries, with the variable that has its secret. */
export type UsableScheme = {
  readonly type: SignInType
  readonly auth: ConnectionAuth
  readonly variable: string
  /** Says what to set the variable to. */
  readonly note: string
  /** Where tokens are fetched with client credentials; null for another flow. */
  readonly tokenUrl: string | null
  readonly scopes: readonly string[]
}

/** A security scheme, or why no call can carry it. */
export type Scheme = UsableScheme | { readonly type: SignInType; readonly reason: string }

const maxScopes = 100
const maxShown = 80
const maxScope = 200
const maxUrl = 200

/**
 * Reads a security scheme.
 *
 * @param prefix the start of the names of environment variables.
 * @param given the variable to use; null for one by the kind of the scheme.
 */
export function readScheme(
  name: string,
  declared: unknown,
  prefix: string,
  resolve: Resolve,
  given: string | null,
): Scheme {
  const resolved = resolve(declared)
  const shown = cut(hideSecrets(name), maxShown)
  if ('error' in resolved)
    return { type: 'other', reason: `the security scheme ${shown} cannot be read: ${resolved.error}` }
  const scheme = resolved.value
  const type = signInTypeOf(scheme)
  const made = authOf(scheme, type, prefix)
  if (typeof made === 'string') return { type, reason: `the security scheme ${shown} ${made}` }
  const { before, what, ...auth } = made
  const variable = given ?? made.variable
  const parsed = ConnectionAuth.safeParse({ in: auth.in, name: auth.name, value: `${before}{{${variable}}}` })
  if (!parsed.success) {
    const problem = parsed.error.issues[0]?.message.replace(/\.$/, '')
    return { type, reason: `the security scheme ${shown} cannot be used: ${problem}` }
  }
  return {
    ...{ type, auth: parsed.data, variable },
    note: `Set the environment variable ${variable} to ${what}.`,
    ...flowOf(scheme),
  }
}

/** Returns how a scheme signs in its callers. */
function signInTypeOf(scheme: unknown): SignInType {
  const type = textField(scheme, 'type')
  const http = textField(scheme, 'scheme')?.toLowerCase()
  if (type === 'http') return http === 'bearer' || http === 'basic' ? http : 'other'
  return type === 'apiKey' || type === 'oauth2' || type === 'openIdConnect' ? type : 'other'
}

type Made = Pick<ConnectionAuth, 'in' | 'name'> & {
  /** The text before the variable. */
  readonly before: string
  readonly variable: string
  /** The value that the variable must have. */
  readonly what: string
}

/** Returns what carries a scheme, or why nothing can. */
function authOf(scheme: unknown, type: SignInType, prefix: string): Made | string {
  const authorization = (before: string, suffix: string, what: string): Made => ({
    ...{ in: 'header', name: 'Authorization', before, variable: `${prefix}_${suffix}`, what },
  })
  switch (type) {
    case 'bearer':
      return authorization('Bearer ', 'TOKEN', 'the token')
    case 'basic':
      return authorization(
        'Basic ',
        'BASIC_AUTH',
        'the Base64 of user:password, or make it from a user name and a password',
      )
    case 'oauth2':
    case 'openIdConnect': {
      const { tokenUrl } = flowOf(scheme)
      const what =
        tokenUrl !== null
          ? `an access token, or make it with client credentials: the service then fetches tokens from ${cut(tokenUrl, maxUrl)}`
          : 'an access token; the service does not obtain or refresh tokens of this flow'
      return authorization('Bearer ', 'TOKEN', what)
    }
    case 'apiKey': {
      const name = textField(scheme, 'name') ?? ''
      const where = field(scheme, 'in')
      if (where !== 'header' && where !== 'query')
        return `(apiKey in ${String(where)}) cannot be used by calls`
      const problem = where === 'header' ? headerNameProblem(name) : null
      if (problem !== null) return `cannot be used: ${problem.replace(/\.$/, '')}`
      const variable = `${prefix}_${variablePart(name) || 'KEY'}`
      return { in: where, name, before: '', variable, what: `the key for ${name}` }
    }
    case 'other': {
      const given = textField(scheme, 'type')
      if (given === null) return 'is not declared'
      const about = `${given} ${textField(scheme, 'scheme')?.toLowerCase() ?? ''}`.trim()
      return `(${cut(about, maxShown)}) cannot be expressed as a header`
    }
  }
}

/** Returns the token URL of client credentials, and the scopes of the first flow. */
function flowOf(scheme: unknown): Pick<UsableScheme, 'tokenUrl' | 'scopes'> {
  const flows = field(scheme, 'flows')
  const client = field(flows, 'clientCredentials')
  const url = OAuth2Variable.shape.tokenUrl.safeParse(field(client, 'tokenUrl'))
  const first = client ?? entriesOf(flows)[0]?.[1]
  const scopes = entriesOf(field(first, 'scopes')).slice(0, maxScopes)
  return {
    tokenUrl: url.success ? hideSecrets(url.data) : null,
    scopes: scopes.map(([name]) => cut(hideSecrets(name), maxScope)),
  }
}

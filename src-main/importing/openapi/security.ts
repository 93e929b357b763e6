import type { JsonPath } from '#shared/json/locate.ts'
import { headerNameProblem } from '#shared/model/action-headers.ts'
import type { SignIn } from '#shared/model/import-preview.ts'
import { hideSecrets, warning } from '../problem.ts'
import { entriesOf, field, listField, oncePerObject, type Resolve, textField } from './json-value.ts'
import { cut, variablePart } from './texts.ts'

/** The headers that authorize a call, or why headers cannot express an operation's security. */
export type Secured = { readonly headers: Readonly<Record<string, string>> } | { readonly reason: string }

type Scheme =
  | { readonly header: string; readonly value: string; readonly variable: string; readonly note: string }
  | { readonly reason: string }

export type Security = ReturnType<typeof createSecurity>

/**
 * Reads the security schemes of a document. Each becomes a header with an environment variable.
 *
 * @param schemesAt where the text declares them.
 */
export function createSecurity(root: unknown, prefix: string, resolve: Resolve, schemesAt: JsonPath) {
  const declared = field(field(root, 'components'), 'securitySchemes')
  const schemes = new Map<string, Scheme>()
  const used = new Set<string>()
  let isOptional = false

  function schemeNamed(name: string): Scheme {
    const known = schemes.get(name) ?? readScheme(name, field(declared, name), prefix, resolve)
    schemes.set(name, known)
    return known
  }

  /** Returns the headers for all schemes of a requirement, which are needed together. */
  function headersFor(requirement: unknown): Secured {
    const headers = new Map<string, string>()
    for (const [name] of entriesOf(requirement)) {
      const scheme = schemeNamed(name)
      if ('reason' in scheme) return scheme
      if (headers.has(scheme.header)) return { reason: `two schemes need the header ${scheme.header}` }
      headers.set(scheme.header, scheme.value)
    }
    for (const [name] of entriesOf(requirement)) used.add(name)
    return { headers: Object.fromEntries(headers) }
  }

  const documentWide = listField(root, 'security')
  const choose = oncePerObject((given): Secured => {
    const alternatives: readonly unknown[] = Array.isArray(given) ? given.slice(0, maxAlternatives) : []
    // A header with a variable would demand the credentials.
    if (alternatives.some(isEmpty)) isOptional ||= alternatives.length > 1
    const [first, ...others] = alternatives.some(isEmpty) ? [] : alternatives
    if (first === undefined) return { headers: {} }
    const secured = headersFor(first)
    if ('headers' in secured) return secured
    for (const other of others) {
      const instead = headersFor(other)
      if ('headers' in instead) return instead
    }
    return secured
  })

  return {
    /** Returns the headers for an operation's own `security`, or else the document's. */
    of(operation: unknown) {
      const own = field(operation, 'security')
      return choose(Array.isArray(own) ? own : documentWide)
    },
    /** Returns how the API signs in its callers, by the schemes that it declares. */
    signIn: () =>
      entriesOf(declared)
        .slice(0, maxAlternatives)
        .map(([name]) => {
          const scheme = schemeNamed(name)
          return {
            type: typeOf(field(declared, name), resolve),
            name: cut(hideSecrets(name), maxShown),
            header: 'header' in scheme ? scheme.header : null,
          }
        }),
    /** Returns a note for each used scheme: which variable to set, and to what. Also says whether some are optional. */
    notes: () => [
      ...(isOptional ? [warning(schemesAt, optional)] : []),
      ...[...used].flatMap(name => {
        const scheme = schemes.get(name)
        return scheme === undefined || 'reason' in scheme
          ? []
          : [
              {
                ...warning([...schemesAt, name], scheme.note),
                atKey: true,
                variable: scheme.variable,
              },
            ]
      }),
    ],
  }
}

const optional =
  'Where credentials are optional, the actions send none. To send them, add a header to the action.'

const maxAlternatives = 20

const maxShown = 80

function typeOf(declared: unknown, resolve: Resolve): SignIn['type'] {
  const resolved = resolve(declared)
  const scheme = 'value' in resolved ? resolved.value : undefined
  const type = textField(scheme, 'type')
  const http = textField(scheme, 'scheme')?.toLowerCase()
  if (type === 'http') return http === 'bearer' || http === 'basic' ? http : 'other'
  return type === 'apiKey' || type === 'oauth2' || type === 'openIdConnect' ? type : 'other'
}

const isEmpty = (requirement: unknown) => entriesOf(requirement).length === 0

function readScheme(name: string, declared: unknown, prefix: string, resolve: Resolve): Scheme {
  const resolved = resolve(declared)
  if ('error' in resolved) return { reason: `the security scheme ${name} cannot be read: ${resolved.error}` }
  const scheme = resolved.value
  const type = textField(scheme, 'type')
  const http = textField(scheme, 'scheme')?.toLowerCase()
  if (type === 'apiKey' && field(scheme, 'in') === 'header') {
    const header = textField(scheme, 'name') ?? ''
    const problem = headerNameProblem(header)
    if (problem !== null)
      return { reason: `the security scheme ${name} cannot be used: ${problem.replace(/\.$/, '')}` }
    return keyed(header, '', `${prefix}_${variablePart(header)}`, `the key for ${header}`)
  }
  if ((type === 'http' && http === 'bearer') || type === 'oauth2' || type === 'openIdConnect') {
    const token =
      type === 'http' ? 'the token' : 'a long-lived token; the service does not obtain or refresh tokens'
    return keyed('Authorization', 'Bearer ', `${prefix}_TOKEN`, token)
  }
  if (type === 'http' && http === 'basic')
    return keyed('Authorization', 'Basic ', `${prefix}_BASIC_AUTH`, 'the Base64 of user:password')
  const where = type === 'apiKey' ? `in ${String(field(scheme, 'in'))}` : (http ?? '')
  return {
    reason:
      type === null
        ? `the security scheme ${name} is not declared`
        : `the security scheme ${name} (${`${type} ${where}`.trim()}) cannot be expressed as a header`,
  }
}

/** @param what the value that the variable must have. */
function keyed(header: string, before: string, variable: string, what: string): Scheme {
  const note = `Set the environment variable ${variable} to ${what}.`
  return { header, value: `${before}{{${variable}}}`, variable, note }
}

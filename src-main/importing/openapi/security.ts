import type { JsonPath } from '#shared/json/locate.ts'
import type { ConnectionAuth } from '#shared/model/connection-auth.ts'
import type { OfferedAuth } from '#shared/model/import-auth.ts'
import { hideSecrets, warning } from '../problem.ts'
import type { SignInMode } from '../sign-in.ts'
import { entriesOf, field, listField, oncePerObject, type Resolve } from './json-value.ts'
import { readScheme, type Scheme } from './security-schemes.ts'
import { cut } from './texts.ts'

/** The headers that authorize a call beside the connection, or why nothing can express an operation's security. */
export type Secured = { readonly headers: Readonly<Record<string, string>> } | { readonly reason: string }

export type Security = ReturnType<typeof createSecurity>

const maxAlternatives = 20
const maxShown = 80

/**
 * Reads the security schemes of a document. The connection signs in with one of them. Where operations need others, each
 * becomes a header of the action with an environment variable.
 *
 * @param schemesAt where the text declares them.
 * @param operations those of the connection, whose own `security` names schemes.
 */
export function createSecurity(
  root: unknown,
  prefix: string,
  resolve: Resolve,
  schemesAt: JsonPath,
  mode: SignInMode,
  operations: readonly { readonly operation: { readonly value: unknown } }[],
) {
  const declared = field(field(root, 'components'), 'securitySchemes')
  const schemes = new Map<string, Scheme>()
  const used = new Set<string>()
  let isOptional = false
  const documentWide = listField(root, 'security')

  function schemeNamed(name: string): Scheme {
    const given = mode.kind === 'connection' && mode.scheme === name ? mode.variable : null
    const known = schemes.get(name) ?? readScheme(name, field(declared, name), prefix, resolve, given)
    schemes.set(name, known)
    return known
  }
  const isUsable = (name: string) => 'auth' in schemeNamed(name)
  // Many operations can share a requirement.
  const firstUsable = oncePerObject(
    (requirement): string | null => entriesOf(requirement).find(([name]) => isUsable(name))?.[0] ?? null,
  )

  /** Returns the first scheme that the document requires, and that a connection can sign in with. */
  function firstRequired(): string | null {
    const seen = new Set<unknown>()
    for (const given of [documentWide, ...operations.map(one => field(one.operation.value, 'security'))]) {
      if (!Array.isArray(given) || seen.has(given)) continue
      seen.add(given)
      const alternatives = given.slice(0, maxAlternatives)
      if (alternatives.some(isEmpty)) continue
      for (const alternative of alternatives) {
        const name = firstUsable(Object(alternative))
        if (name !== null) return name
      }
    }
    return null
  }

  /**
   * Returns the scheme that operations require. Unlike at the base URL, what the document requires of all does not matter
   * where each operation says otherwise: no other host gets a secret that it does not ask for.
   *
   * @param preferred taken if it is one of theirs.
   */
  function requiredBy(preferred: string | null): string | null {
    const seen = new Set<unknown>()
    let first: string | null = null
    for (const { operation } of operations) {
      const own = field(operation.value, 'security')
      const given = Array.isArray(own) ? own : documentWide
      if (seen.has(given)) continue
      seen.add(given)
      const alternatives = given.slice(0, maxAlternatives)
      if (alternatives.some(isEmpty)) continue
      for (const alternative of alternatives) {
        if (preferred !== null && field(alternative, preferred) !== undefined && isUsable(preferred))
          return preferred
        first ??= firstUsable(Object(alternative))
      }
    }
    return first
  }

  const wanted =
    mode.kind === 'connection'
      ? (mode.scheme ?? firstRequired())
      : mode.kind === 'required'
        ? requiredBy(mode.preferred)
        : null
  const chosen =
    wanted !== null && Object.hasOwn(Object(declared), wanted) && isUsable(wanted) ? wanted : null
  const chosenScheme = chosen === null ? null : schemeNamed(chosen)
  /** The header or query parameter that each call of the connection carries. */
  const auth: ConnectionAuth | null =
    mode.kind === 'kept'
      ? mode.auth
      : chosenScheme !== null && 'auth' in chosenScheme
        ? chosenScheme.auth
        : null
  if (chosen !== null) used.add(chosen)

  /** Returns whether the connection signs in with a scheme, or with another one in its place. */
  function isCovered(name: string): boolean {
    if (name === chosen) return true
    const scheme = schemeNamed(name)
    return mode.kind === 'kept' && auth !== null && 'auth' in scheme && isSamePlace(scheme.auth, auth)
  }

  /** Returns the headers for all schemes of a requirement, which are needed together. */
  function headersFor(requirement: unknown): Secured {
    const headers = new Map<string, string>()
    const names = entriesOf(requirement).map(([name]) => name)
    for (const name of names) {
      if (isCovered(name)) continue
      const scheme = schemeNamed(name)
      if ('reason' in scheme) return scheme
      const { in: place, name: header, value } = scheme.auth
      if (place === 'query')
        return { reason: `only the connection can sign in with the query parameter ${header}` }
      if (headers.has(header)) return { reason: `two schemes need the header ${header}` }
      headers.set(header, value)
    }
    for (const name of names) if (!isCovered(name)) used.add(name)
    return { headers: Object.fromEntries(headers) }
  }

  const uncovered = oncePerObject(
    requirement => entriesOf(requirement).filter(([name]) => !isCovered(name)).length,
  )
  const choose = oncePerObject((given): Secured => {
    const all: readonly unknown[] = Array.isArray(given) ? given.slice(0, maxAlternatives) : []
    // A header with a variable would demand the credentials.
    if (all.some(isEmpty)) isOptional ||= all.length > 1
    const [first, ...others] = all.some(isEmpty)
      ? []
      : all.toSorted((one, other) => Math.sign(uncovered(Object(one))) - Math.sign(uncovered(Object(other))))
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
    /** The header or query parameter that each call of the connection carries by itself; null for none. */
    auth,
    /** The one that a new connection gets; null for none. */
    newAuth: mode.kind === 'connection' || mode.kind === 'required' ? auth : null,
    /** Returns the headers for an operation's own `security`, or else the document's, beside the connection. */
    of(operation: unknown): Secured {
      if (mode.kind === 'none') return { headers: {} }
      const own = field(operation, 'security')
      return choose(Array.isArray(own) ? own : documentWide)
    },
    /** Returns how the API signs in its callers, by the schemes that it declares. */
    signIn: () =>
      entriesOf(declared)
        .slice(0, maxAlternatives)
        .map(([name]) => {
          const scheme = schemeNamed(name)
          const header = 'auth' in scheme && scheme.auth.in === 'header' ? scheme.auth.name : null
          return { type: scheme.type, name: cut(hideSecrets(name), maxShown), header }
        }),
    /** Returns the schemes that the connection can sign in with. */
    offered: (): OfferedAuth[] =>
      entriesOf(declared)
        .slice(0, maxAlternatives)
        .flatMap(([name]) => {
          const scheme = schemeNamed(name)
          if ('reason' in scheme) return []
          const { type, variable, tokenUrl, scopes } = scheme
          return [
            {
              ...{ scheme: hideSecrets(name), type, ...scheme.auth, variable, chosen: name === chosen },
              ...{ tokenUrl, scopes: [...scopes] },
            },
          ]
        }),
    /** Returns a note for each used scheme: which variable to set, and to what. Also says whether some are optional. */
    notes: () => [
      ...(isOptional && auth === null ? [warning(schemesAt, optional)] : []),
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

const isEmpty = (requirement: unknown) => entriesOf(requirement).length === 0

function isSamePlace(one: ConnectionAuth, other: ConnectionAuth): boolean {
  if (one.in !== other.in) return false
  return one.in === 'query' ? one.name === other.name : one.name.toLowerCase() === other.name.toLowerCase()
}

import { fillVariables, variablesIn } from '#shared/model/action-headers.ts'
import { encodeText } from '#shared/model/action-url.ts'
import type { CallError } from '#shared/model/call.ts'
import { mask } from '#shared/model/environment.ts'
import { callError } from './failures.ts'
import { secretTexts } from './mask-text.ts'

/** The variables of the process and of the settings. */
export type Environment = {
  /** Returns the value; undefined if it is not set. */
  resolve(name: string): string | undefined
  /** Returns all secrets to mask in every outcome. Returns the same array until something changes. */
  secrets?(): readonly string[]
  /**
   * Returns null if no token has to be fetched for variables without a value. Else fetches these. Never rejects, except
   * for programming errors.
   */
  fetchMissing?(names: readonly string[]): Promise<MissingTokens> | null
  /** Forgets the tokens among values that another system has refused. */
  dropTokens?(values: Iterable<string | undefined>): void
}

/** The values of variables that were missing, by name, or why there is no token. */
export type MissingTokens = { readonly values: ReadonlyMap<string, string> } | { readonly error: CallError }

export type HeaderMap = Record<string, string>

/** A query parameter, whose variables `{{NAME}}` are filled in when it is sent. */
export type QueryTemplate = { readonly name: string; readonly value: string }

/** Headers of an action with their variables filled in. */
type FilledHeaders = {
  /** As sent, including secrets. */
  readonly headers: Readonly<HeaderMap>
  /** The masked form of headers with variables, for display: `Bearer ••••`. */
  readonly shown: Readonly<HeaderMap>
}

/** Matches a character that HTTP does not allow in a field value. */
const notAllowed = /[^\t\x20-\x7e\x80-\xff]/

/** In characters. Servers accept 8 to 16 KiB for all header fields together. */
const maxLength = 16_384

/** Headers of the connection between two hops, which an action cannot set. */
const hopHeaders = new Set(['keep-alive', 'upgrade', 'expect', 'te', 'trailer', 'proxy-connection'])

/** Returns the names of the environment variables in the headers and a query parameter, without duplicates. */
export function variablesOf(headers: Readonly<HeaderMap>, query?: QueryTemplate): string[] {
  const ofQuery = query === undefined ? [] : variablesIn(query.value)
  return [...new Set([...Object.values(headers).flatMap(variablesIn), ...ofQuery])]
}

/** A query parameter with its variables filled in: `name=value`, encoded. */
export type FilledQuery = {
  /** As sent, including secrets. */
  readonly text: string
  /** The same with masks, for display: `key=••••`. */
  readonly shown: string
}

/** @param values by name. The call is not made if one is missing. */
export function fillQuery(
  { name, value }: QueryTemplate,
  values: ReadonlyMap<string, string | undefined>,
): FilledQuery {
  const filled = (resolve: (variable: string) => string) => encodeText(fillVariables(value, resolve))
  const start = `${encodeText(name)}=`
  return {
    text: start + filled(variable => values.get(variable) ?? ''),
    shown: start + filled(() => mask).replaceAll(encodeText(mask), mask),
  }
}

/**
 * Fills the values of environment variables into headers. Error messages never contain a value.
 *
 * @param values by name; undefined for a variable that is not set.
 */
export function fillHeaders(
  templates: Readonly<HeaderMap>,
  values: ReadonlyMap<string, string | undefined>,
): FilledHeaders | { error: CallError } {
  const missing = [...values].flatMap(([name, value]) => (value === undefined ? [name] : []))
  if (missing.length > 0) {
    const ofHeaders = new Set(variablesOf(templates))
    const isInHeader = missing.some(name => ofHeaders.has(name))
    return { error: missingVariables(missing, isInHeader ? 'A header' : 'The sign-in') }
  }
  const headers: HeaderMap = {}
  const shown: HeaderMap = {}
  for (const [name, template] of Object.entries(templates)) {
    const used = variablesIn(template)
    const filled =
      used.length === 0 ? template : fillVariables(template, variable => values.get(variable) ?? '')
    const error = headerError(name, filled, used, values)
    if (error !== null) return { error }
    headers[name] = filled
    if (used.length === 0) continue
    shown[name] = fillVariables(template, () => mask)
  }
  return { headers, shown }
}

/** Returns why headers cannot be sent as they are; null if they can. */
export function headersError(headers: Readonly<HeaderMap>): CallError | null {
  for (const [name, value] of Object.entries(headers)) {
    const error = headerError(name, value, [], new Map())
    if (error !== null) return error
  }
  return null
}

/** Returns headers with others in the place of those with the same name, in any spelling. */
export function withHeaders(headers: Readonly<HeaderMap>, others: Readonly<HeaderMap>): Readonly<HeaderMap> {
  const replaced = new Set(Object.keys(others).map(name => name.toLowerCase()))
  const kept = Object.entries(headers).filter(([name]) => !replaced.has(name.toLowerCase()))
  return { ...Object.fromEntries(kept), ...others }
}

/**
 * Returns why a header cannot be sent; null if it can.
 *
 * @param used the environment variables in the value.
 */
function headerError(
  name: string,
  value: string,
  used: readonly string[],
  values: ReadonlyMap<string, string | undefined>,
): CallError | null {
  if (hopHeaders.has(name.toLowerCase()))
    return callError('invalid_header_value', `The header ${name} cannot be set by an action.`)
  if (notAllowed.test(value)) return invalidValue(name, used, values)
  if (value.length <= maxLength) return null
  return callError('invalid_header_value', `The header ${name} is longer than ${maxLength} characters.`)
}

/**
 * Returns everything to mask for a header: the values of its variables with the credentials in them, and the parts of
 * `Basic {{PAIR}}`.
 */
export function headerSecrets(template: string, values: ReadonlyMap<string, string | undefined>): string[] {
  const used = variablesIn(template).map(name => values.get(name) ?? '')
  const whole = /^Basic +\S*\{\{/i.test(template)
    ? [fillVariables(template, name => values.get(name) ?? '')]
    : []
  return [...used, ...whole].flatMap(secretTexts)
}

/** @param needer what needs the variables. */
export function missingVariables(
  names: readonly string[],
  needer: 'A header' | 'The sign-in' | 'The step',
): CallError {
  const which =
    names.length === 1
      ? `variable ${names[0]}, which is not set`
      : `variables ${names.join(', ')}, which are not set`
  return callError(
    'missing_environment_variable',
    `${needer} needs the environment ${which}. No request was sent.`,
    { environmentVariables: names },
  )
}

function invalidValue(
  header: string,
  used: readonly string[],
  values: ReadonlyMap<string, string | undefined>,
): CallError {
  const culprit = used.find(name => notAllowed.test(values.get(name) ?? ''))
  const text = culprit === undefined ? '' : (values.get(culprit) ?? '')
  const found = /[\r\n]/.test(text)
    ? 'a line break'
    : /[\u0100-\uffff]/.test(text)
      ? 'a character outside Latin-1'
      : 'a character that is not allowed in headers'
  const what = culprit === undefined ? 'its value' : `the environment variable ${culprit}`
  return callError('invalid_header_value', `The header ${header} cannot be sent: ${what} contains ${found}.`)
}

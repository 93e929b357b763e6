import { signedHeaders } from '#main/signing/sign.ts'
import type { SigningKey } from '#main/signing/signing-key.ts'
import type { ActionFields } from '#shared/model/action.ts'
import { type ActionUrl, joinUrl, takesQuery, withQuery } from '#shared/model/action-url.ts'
import type { CallError } from '#shared/model/call.ts'
import { type Arguments, argumentIssues } from './arguments.ts'
import { callError } from './failures.ts'
import { type FilledHeaders, fillHeaders, type HeaderMap, headerError, variablesOf } from './header-values.ts'

/** The fields of an action that determine its request. */
export type CallableAction = Pick<ActionFields, 'method' | 'path' | 'headers' | 'parameters'>

/** A request exactly as it is sent, signed. */
export type BuiltRequest = {
  readonly method: string
  /** Scheme, host and port. */
  readonly origin: string
  /** Path and query. */
  readonly target: string
  readonly headers: HeaderMap
  /** The signed text; empty for a GET. */
  readonly body: string
  /** The same as it is sent. */
  readonly bytes: Buffer
}

/** The number of issues in the message of an error. */
const maxNamed = 10

/** Additions of a workflow to a call. Their texts can come from an event, so they are sent unchanged. */
export type CallExtras = {
  /** Replace headers of the same name. */
  readonly headers?: Readonly<HeaderMap>
  /** Replace headers with secrets wherever the request is shown. */
  readonly maskedHeaders?: Readonly<HeaderMap>
  /** Replaces the body that the arguments give, and its Content-Type; a GET has none. */
  readonly body?: string
  /** How the body becomes bytes; UTF-8 by default. */
  readonly encoding?: 'utf8' | 'latin1'
  /** Replaces the target that the base URL and the path give, which has no more than one slash where they join. */
  readonly target?: string
  /** Whether the signature is left out. */
  readonly isUnsigned?: boolean
}

/** Returns why the headers cannot be sent; null if they can. */
export function extraHeadersError(headers: Readonly<HeaderMap>): CallError | null {
  for (const [name, value] of Object.entries(headers)) {
    const error = headerError(name, value, [], new Map())
    if (error !== null) return error
  }
  return null
}

/** Returns the names of the environment variables in an action's headers. */
export function variablesOfAction(action: CallableAction): string[] {
  return action.headers === null ? [] : variablesOf(action.headers)
}

/**
 * Returns the headers of an action, plus User-Agent, and Content-Type if there is a body, unless the action sets them.
 * The signature is added for each call.
 *
 * @param values of environment variables by name; undefined for one that is not set.
 * @param version of this program.
 */
export function requestHeaders(
  action: CallableAction,
  values: ReadonlyMap<string, string | undefined>,
  version: string,
): FilledHeaders | { error: CallError } {
  const filled = fillHeaders(action.headers ?? {}, values)
  if ('error' in filled) return filled
  const names = new Set(Object.keys(filled.headers).map(name => name.toLowerCase()))
  const ours: HeaderMap = {}
  if (!names.has('user-agent')) ours['User-Agent'] = `custom-connection/${version}`
  if (!takesQuery(action.method) && !names.has('content-type')) ours['Content-Type'] = 'application/json'
  return { ...filled, headers: { ...ours, ...filled.headers } }
}

/** Returns the URL of an action without its arguments; null if the base URL is not a URL. */
export function actionUrl(baseUrl: string, action: CallableAction): ActionUrl | null {
  return URL.canParse(baseUrl) ? joinUrl(baseUrl, action.path) : null
}

/** Returns `invalid_arguments` with the first 100 issues in `data.issues`; null if there are none. */
export function argumentError(action: CallableAction, given: Arguments): CallError | null {
  const issues = argumentIssues(action.parameters, given)
  if (issues.length === 0) return null
  const named = issues.slice(0, maxNamed).map(({ message }) => message)
  if (issues.length > maxNamed) named.push('More arguments are wrong.')
  return callError('invalid_arguments', `No request was sent. ${named.join(' ')}`, { issues })
}

/**
 * Builds the signed request of one call. The arguments must be valid.
 *
 * @param nowMs milliseconds since 1970.
 */
export function buildRequest(
  action: CallableAction,
  url: ActionUrl,
  headers: Readonly<HeaderMap>,
  given: Arguments,
  key: SigningKey,
  nowMs: number,
  extras: CallExtras = {},
): BuiltRequest {
  const query = takesQuery(action.method)
  const target = extras.target ?? url.target
  const body = query ? '' : (extras.body ?? bodyText(action, given))
  const bytes = Buffer.from(body, extras.encoding)
  return {
    method: action.method,
    origin: url.origin,
    target: query ? withQuery(target, action.parameters, given) : target,
    headers: {
      ...withExtras(headers, extras),
      ...(extras.isUnsigned ? {} : signedHeaders(key, Math.floor(nowMs), bytes)),
    },
    body,
    bytes,
  }
}

/** Adds headers in the place of those with the same name, in any spelling. */
function withExtras(headers: Readonly<HeaderMap>, { headers: more, body }: CallExtras): Readonly<HeaderMap> {
  if (more === undefined && body === undefined) return headers
  const replaced = new Set(Object.keys(more ?? {}).map(name => name.toLowerCase()))
  if (body !== undefined) replaced.add('content-type')
  const kept = Object.entries(headers).filter(([name]) => !replaced.has(name.toLowerCase()))
  return { ...Object.fromEntries(kept), ...more }
}

/** Writes the body field by field, without those that are not given, because an object would put names such as `7` first and lose `__proto__`. */
function bodyText({ parameters }: CallableAction, given: Arguments): string {
  let text = ''
  for (const { name } of parameters) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value === undefined || value === null) continue
    // Names of parameters contain no character that JSON escapes.
    text += `${text === '' ? '' : ','}"${name}":${jsonText(value)}`
  }
  return `{${text}}`
}

/** Returns a value as JSON. String() gives the same text for finite numbers and booleans, and is faster. */
function jsonText(value: unknown): string {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : JSON.stringify(value)
}

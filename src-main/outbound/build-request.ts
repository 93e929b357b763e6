import { signedHeaders } from '#main/signing/sign.ts'
import type { SigningKey } from '#main/signing/signing-key.ts'
import type { ActionFields } from '#shared/model/action.ts'
import { type ActionUrl, joinUrl, takesQuery, withQuery } from '#shared/model/action-url.ts'
import type { CallError } from '#shared/model/call.ts'
import { type Arguments, argumentIssues } from './arguments.ts'
import { callError } from './failures.ts'
import { type FilledHeaders, fillHeaders, type HeaderMap, variablesOf } from './header-values.ts'

/** The fields of an action that a request is made of. */
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
  /** The same in UTF-8. */
  readonly bytes: Buffer
}

/** Environment variables that an action's headers name. */
export function variablesOfAction(action: CallableAction): string[] {
  return action.headers === null ? [] : variablesOf(action.headers)
}

/**
 * The headers of an action with what each call needs beside the signature: User-Agent, and Content-Type
 * where there is a body, unless the action sets them itself in any spelling.
 *
 * @param values of environment variables by name, undefined for one that is not set.
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

/** The URL of an action before its arguments; null where the base URL is none. */
export function actionUrl(baseUrl: string, action: CallableAction): ActionUrl | null {
  return URL.canParse(baseUrl) ? joinUrl(baseUrl, action.path) : null
}

/** `invalid_arguments` with each issue in `data.issues`, or null (decisions: arguments). */
export function argumentError(action: CallableAction, given: Arguments): CallError | null {
  const issues = argumentIssues(action.parameters, given)
  if (issues.length === 0) return null
  const detail = `No request was made: ${issues.map(({ message }) => message).join(' ')}`
  return callError('invalid_arguments', detail, { issues })
}

/**
 * The request of one call (specification: E2, Signing scheme). Arguments are checked before.
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
): BuiltRequest {
  const query = takesQuery(action.method)
  const body = query ? '' : bodyText(action, given)
  const bytes = Buffer.from(body)
  return {
    method: action.method,
    origin: url.origin,
    target: query ? withQuery(url.target, action.parameters, given) : url.target,
    headers: { ...headers, ...signedHeaders(key, Math.floor(nowMs), bytes) },
    body,
    bytes,
  }
}

/** Written field by field, since an object would put names such as `7` first and lose `__proto__`. */
function bodyText({ parameters }: CallableAction, given: Arguments): string {
  let text = ''
  for (const { name } of parameters) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value === undefined) continue
    // The name of a parameter has no character that JSON would escape.
    text += `${text === '' ? '' : ','}"${name}":${jsonText(value)}`
  }
  return `{${text}}`
}

/** Finite numbers and booleans are written as JSON writes them anyhow. */
function jsonText(value: unknown): string {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : JSON.stringify(value)
}

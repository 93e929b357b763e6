import type { ActionRecord, ConnectionRecord } from '#main/storage/config.ts'
import { type ActionUrl, joinUrl, takesQuery, withQuery } from '#shared/model/action-url.ts'
import type { CallArguments, CallError } from '#shared/model/call.ts'
import { authOf } from '#shared/model/connection-auth.ts'
import { mask } from '#shared/model/environment.ts'
import { type Arguments, argumentIssues } from './arguments.ts'
import { callError } from './failures.ts'
import type { HeaderMap, QueryTemplate } from './header-values.ts'
import {
  type ImpossibleRequest,
  type Initiator,
  jsonHeaders,
  type OutboundRequest,
  type ShownRequest,
  signingKeyOf,
} from './outbound-request.ts'
import { signedIn } from './sign-in.ts'

/** The fields of a connection that determine a request. */
type CallableConnection = Pick<
  ConnectionRecord,
  'connectionId' | 'baseUrl' | 'signingSecret' | 'timeoutMs' | 'auth'
>

/** The fields of an action that determine a request. */
type CallableAction = Pick<
  ActionRecord,
  'actionId' | 'toolName' | 'method' | 'path' | 'headers' | 'parameters' | 'responseMapping'
>

/** The number of issues in the message of an error. */
const maxNamed = 10

/**
 * Returns the request of one call of an action, or why there is none.
 *
 * @param connection as `action`, an immutable record: what is the same for all calls is cached by it.
 */
export function actionRequest(
  connection: CallableConnection,
  action: CallableAction,
  given: CallArguments,
  initiator: Initiator,
): OutboundRequest | ImpossibleRequest {
  const { connectionId, timeoutMs } = connection
  const { actionId, toolName, method, parameters, responseMapping } = action
  const { url, headers, query } = prepared(action, connection)
  const asked = { ...initiator, connectionId, actionId, toolName, arguments: given, method, headers }
  if (url === null) return { ...asked, error: callError('no_base_url') }
  const error = argumentError(action, given)
  if (error !== null) return { ...asked, error }
  const inQuery = takesQuery(method)
  return {
    ...asked,
    origin: url.origin,
    target: inQuery ? withQuery(url.target, parameters, given) : url.target,
    ...(query !== null && { query }),
    body: inQuery ? '' : bodyText(parameters, given),
    encoding: 'utf8',
    key: signingKeyOf(connection),
    timeoutMs,
    responseMapping,
  }
}

/** Returns the request of an action as it is shown if its arguments are shown otherwise than they are. */
export function shownRequest(
  connection: CallableConnection,
  action: CallableAction,
  shown: CallArguments,
): ShownRequest {
  const { method, parameters } = action
  const { url } = prepared(action, connection)
  if (url === null) return {}
  if (!takesQuery(method)) return { body: bodyText(parameters, shown) }
  const target = withQuery(url.target, parameters, shown)
  return { url: url.origin + target.replaceAll(encodeURIComponent(mask), mask) }
}

/** The parts of a request that all calls of an action share. */
type Prepared = {
  readonly baseUrl: string | null
  readonly auth: ConnectionRecord['auth']
  /** Null without a usable base URL. */
  readonly url: ActionUrl | null
  readonly headers: Readonly<HeaderMap>
  readonly query: QueryTemplate | null
}

const kept = new WeakMap<CallableAction, Prepared>()

function prepared(action: CallableAction, { baseUrl, auth }: CallableConnection): Prepared {
  const before = kept.get(action)
  if (before?.baseUrl === baseUrl && before.auth === auth) return before
  const url = baseUrl !== null && URL.canParse(baseUrl) ? joinUrl(baseUrl, action.path) : null
  const made = { baseUrl, auth, url, ...signedIn(authOf(auth, action.headers), headersOf(action)) }
  kept.set(action, made)
  return made
}

/** Returns the headers of an action, plus Content-Type if there is a body, unless the action sets it. */
function headersOf({ method, headers }: CallableAction): Readonly<HeaderMap> {
  const hasType = Object.keys(headers ?? {}).some(name => name.toLowerCase() === 'content-type')
  return takesQuery(method) || hasType ? { ...headers } : { ...jsonHeaders, ...headers }
}

/** Returns `invalid_arguments` with the first 100 issues in `data.issues`; null if there are none. */
export function argumentError(
  { parameters }: Pick<CallableAction, 'parameters'>,
  given: Arguments,
): CallError | null {
  const issues = argumentIssues(parameters, given)
  if (issues.length === 0) return null
  const named = issues.slice(0, maxNamed).map(({ message }) => message)
  if (issues.length > maxNamed) named.push('More arguments are wrong.')
  return callError('invalid_arguments', `No request was sent. ${named.join(' ')}`, { issues })
}

/** Writes the body field by field, without those that are not given, because an object would put names such as `7` first and lose `__proto__`. */
function bodyText(parameters: CallableAction['parameters'], given: Arguments): string {
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

import type { ActionRecord, ConnectionRecord } from '#main/storage/config.ts'
import { isObject } from '#shared/json/exact-json.ts'
import { type ActionUrl, joinUrl, takesQuery, withQuery } from '#shared/model/action-url.ts'
import type { CallArguments, CallError } from '#shared/model/call.ts'
import { authOf } from '#shared/model/connection-auth.ts'
import { mask } from '#shared/model/environment.ts'
import type { Issue } from '#shared/model/issue.ts'
import { isConstant, wireNameOf } from '#shared/model/parameter.ts'
import {
  bodyFormOf,
  contentTypeOf,
  hasSendingFields,
  placeOf,
  writeRequest,
} from '#shared/request/write-request.ts'
import { type Arguments, argumentIssues } from './arguments.ts'
import { encodedBody } from './encoded-body.ts'
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
  'actionId' | 'toolName' | 'method' | 'path' | 'headers' | 'parameters' | 'sendsBody' | 'responseMapping'
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
  const { connectionId, baseUrl, timeoutMs } = connection
  const { actionId, toolName, method, parameters, responseMapping } = action
  const { url, headers, headersWithoutType, query, isExtended } = prepared(action, connection)
  const asked = { ...initiator, connectionId, actionId, toolName, arguments: given, method, headers }
  if (url === null || baseUrl === null) return { ...asked, error: callError('no_base_url') }
  const error = argumentError(action, given)
  if (error !== null) return { ...asked, error }
  const rest = {
    ...(query !== null && { query }),
    key: signingKeyOf(connection),
    timeoutMs,
    responseMapping,
  }
  if (isExtended) {
    const written = writeRequest(action, given, query?.name)
    if ('issues' in written) return { ...asked, error: issuesError(written.issues) }
    const body = encodedBody(written.body)
    return {
      ...asked,
      ...joinUrl(baseUrl, written.path),
      ...(written.body.kind === 'none' && { headers: headersWithoutType }),
      rawHeaders: { ...written.headers, ...body.headers },
      ...(body.shown !== null && { shown: { body: body.shown } }),
      body: body.text,
      encoding: body.encoding,
      ...rest,
    }
  }
  const inQuery = takesQuery(method)
  return {
    ...asked,
    origin: url.origin,
    target: inQuery ? withQuery(url.target, parameters, given) : url.target,
    body: inQuery ? '' : bodyText(parameters, given),
    encoding: 'utf8',
    ...rest,
  }
}

/** Returns the request of an action as it is shown if its arguments are shown otherwise than they are. */
export function shownRequest(
  connection: CallableConnection,
  action: CallableAction,
  given: CallArguments,
  shown: CallArguments,
): ShownRequest {
  const { method, parameters } = action
  const { url, isExtended } = prepared(action, connection)
  if (url === null || connection.baseUrl === null) return {}
  const masked = (text: string) => text.replaceAll(encodeURIComponent(mask), mask)
  if (isExtended) {
    const written = writeRequest(action, withoutMaskedHeaders(action, given, shown))
    // A mask may not fit its place.
    if ('issues' in written)
      return {
        url: `${url.origin}/${mask}`,
        headers: { ...maskedHeaders(action, given), ...typeOfParts(action) },
        body: mask,
      }
    const { origin, target } = joinUrl(connection.baseUrl, written.path)
    const body = encodedBody(written.body)
    // A boundary is a digest of the parts. A header that is not shown must not be seen as it is.
    const headers = { ...maskedHeaders(action, given), ...written.headers, ...body.headers }
    return { url: origin + masked(target), headers, body: masked(body.shown ?? body.text) }
  }
  if (!takesQuery(method)) return { body: bodyText(parameters, shown) }
  return { url: url.origin + masked(withQuery(url.target, parameters, shown)) }
}

/** The Content-Type of a multipart body without its boundary, which is a digest of the parts. */
function typeOfParts(action: CallableAction): HeaderMap {
  return bodyFormOf(contentTypeOf(action)) === 'multipart'
    ? { 'Content-Type': `multipart/form-data; boundary=${mask}` }
    : {}
}

/** Returns shown arguments without those in a header that are masked: no header can have a mask as its value. */
function withoutMaskedHeaders(action: CallableAction, given: CallArguments, shown: CallArguments) {
  const masked = action.parameters.filter(
    one =>
      placeOf(one, action) === 'header' &&
      JSON.stringify(shown[one.name]) !== JSON.stringify(given[one.name]),
  )
  const names = new Set(masked.map(({ name }) => name))
  return Object.fromEntries(Object.entries(shown).filter(([name]) => !names.has(name)))
}

/** Returns masks for the headers of a call's arguments. */
function maskedHeaders(action: CallableAction, given: CallArguments): HeaderMap {
  const inHeaders = action.parameters.filter(
    one => placeOf(one, action) === 'header' && !isConstant(one) && isGiven(given[one.name]),
  )
  return Object.fromEntries(inHeaders.map(one => [wireNameOf(one), mask]))
}

/** The parts of a request that all calls of an action share. */
type Prepared = {
  readonly baseUrl: string | null
  readonly auth: ConnectionRecord['auth']
  /** Null without a usable base URL. */
  readonly url: ActionUrl | null
  readonly headers: Readonly<HeaderMap>
  /** The headers of a call that turns out to have no body. */
  readonly headersWithoutType: Readonly<HeaderMap>
  readonly query: QueryTemplate | null
  /** Whether the action says itself how its calls are sent. */
  readonly isExtended: boolean
}

const kept = new WeakMap<CallableAction, Prepared>()

function prepared(action: CallableAction, { baseUrl, auth }: CallableConnection): Prepared {
  const before = kept.get(action)
  if (before?.baseUrl === baseUrl && before.auth === auth) return before
  const url = baseUrl !== null && URL.canParse(baseUrl) ? joinUrl(baseUrl, action.path) : null
  const added = authOf(auth, action.headers)
  const headers = headersOf(action)
  const made = {
    ...{ baseUrl, auth, url, isExtended: hasSendingFields(action) },
    ...signedIn(added, headers),
    // A GET has the type that its action says, as ever.
    headersWithoutType: signedIn(added, takesQuery(action.method) ? headers : withoutType(headers)).headers,
  }
  kept.set(action, made)
  return made
}

/** Returns whether an argument is sent in a header: an empty list or object is not. */
function isGiven(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return value != null && !(isObject(value) && Object.keys(value).length === 0)
}

function withoutType(headers: Readonly<HeaderMap>): Readonly<HeaderMap> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-type'))
}

/** Returns the headers of an action, plus Content-Type if there is a body, unless the action sets it. */
function headersOf({ method, headers, sendsBody }: CallableAction): Readonly<HeaderMap> {
  if (sendsBody === false) return withoutType({ ...headers })
  return takesQuery(method) || contentTypeOf({ headers }) !== null
    ? { ...headers }
    : { ...jsonHeaders, ...headers }
}

/** Returns `invalid_arguments` with the first 100 issues in `data.issues`; null if there are none. */
export function argumentError(
  { parameters }: Pick<CallableAction, 'parameters'>,
  given: Arguments,
): CallError | null {
  const issues = argumentIssues(parameters, given)
  return issues.length === 0 ? null : issuesError(issues)
}

function issuesError(issues: readonly Issue[]): CallError {
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

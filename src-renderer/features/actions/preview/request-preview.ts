import type { ActionFields } from '#shared/model/action.ts'
import { joinUrl, takesQuery } from '#shared/model/action-url.ts'
import { authOf, type ConnectionAuth } from '#shared/model/connection-auth.ts'
import type { Issue } from '#shared/model/issue.ts'
import type { Method } from '#shared/model/method.ts'
import { inputsOf } from '#shared/model/parameter.ts'
import {
  bodyFormOf,
  contentTypeOf,
  type FormPart,
  hasSendingFields,
  splitPath,
  type WrittenBody,
  writeRequest,
} from '#shared/request/write-request.ts'

type Pair = { readonly name: string; readonly value: string; readonly isLater?: boolean }

/** A request before it is sent. `{{NAME}}` is a variable, whose value the page does not know. */
export type RequestPreview = {
  readonly method: Method
  /** Without its query; null without a base URL. */
  readonly url: string | null
  /** As it is sent: percent-encoded. */
  readonly query: readonly Pair[]
  readonly headers: readonly Pair[]
  readonly body: ShownBody
  /** Inputs without an argument. */
  readonly leftOut: readonly string[]
  /** Arguments that cannot be written in their place. They are not in the request shown. */
  readonly issues: readonly Issue[]
}

type ShownBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string; readonly bytes: number }
  | { readonly kind: 'bytes'; readonly bytes: number }
  | { readonly kind: 'parts'; readonly parts: readonly Pair[] }

type Arguments = Readonly<Record<string, unknown>>

/** Returns the request of an action's call, written by what writes the call itself. */
export function previewOf(
  connection: { readonly baseUrl: string | null; readonly auth?: ConnectionAuth | null | undefined },
  action: ActionFields,
  given: Arguments,
): RequestPreview {
  const isExtended = hasSendingFields(action)
  // Without those fields, a body is JSON whatever its Content-Type.
  const written = writtenWithoutWrong(isExtended ? action : { ...action, headers: null }, given)
  const auth = authOf(connection.auth, action.headers)
  const signIn = auth === null ? [] : [{ name: auth.name, value: auth.value }]
  const { pathname, query } = splitPath(written.path)
  return {
    method: action.method,
    url: urlOf(connection.baseUrl, pathname),
    query: [...pairsOf(query), ...(auth?.in === 'query' ? signIn : [])],
    headers: [
      ...(auth?.in === 'header' ? signIn : []),
      ...headersOf(action, written.body),
      ...Object.entries(written.headers).map(([name, value]) => ({ name, value })),
      { name: 'x-service-timestamp', value: 'added when it is sent', isLater: true },
      { name: 'x-service-signature', value: 'added when it is sent, over the body', isLater: true },
    ],
    body: shownBody(written.body),
    leftOut: inputsOf(action.parameters)
      .filter(({ name }) => given[name] === undefined)
      .map(({ name }) => name),
    issues: written.issues,
  }
}

const nothing = { headers: {}, body: { kind: 'none' } } as const

/** Writes a request. If arguments cannot be written, the others are. */
function writtenWithoutWrong(action: ActionFields, given: Arguments) {
  const written = writeRequest(action, given)
  if (!('issues' in written)) return { ...written, issues: [] }
  const { issues } = written
  const wrong = new Set(issues.map(({ path }) => path))
  const others = writeRequest(
    action,
    Object.fromEntries(Object.entries(given).filter(([name]) => !wrong.has(name))),
  )
  return 'issues' in others ? { ...nothing, path: action.path, issues } : { ...others, issues }
}

function urlOf(baseUrl: string | null, pathname: string): string | null {
  if (baseUrl === null) return null
  try {
    const { origin, target } = joinUrl(baseUrl, pathname)
    // A placeholder that has no value yet is shown as it is.
    return origin + target.replaceAll('%7B', '{').replaceAll('%7D', '}')
  } catch {
    return null
  }
}

function pairsOf(query: string): Pair[] {
  const pairs = query.slice(1).split('&')
  return pairs.flatMap(pair => {
    const [name = '', ...value] = pair.split('=')
    return pair === '' ? [] : [{ name, value: value.join('=') }]
  })
}

/** Returns the headers of the action, with a Content-Type if there is a body. */
function headersOf(action: ActionFields, body: WrittenBody): Pair[] {
  const { method, headers } = action
  const isParts = bodyFormOf(contentTypeOf(action)) === 'multipart' && hasSendingFields(action)
  const own = Object.entries(headers ?? {}).map(([name, value]) =>
    isParts && name.toLowerCase() === 'content-type'
      ? { name, value: 'multipart/form-data; boundary=…' }
      : { name, value },
  )
  if (takesQuery(method)) return own
  if (body.kind === 'none') return own.filter(({ name }) => name.toLowerCase() !== 'content-type')
  return contentTypeOf(action) === null ? [{ name: 'Content-Type', value: 'application/json' }, ...own] : own
}

function shownBody(body: WrittenBody): ShownBody {
  switch (body.kind) {
    case 'none':
      return body
    case 'text':
      return { ...body, bytes: new TextEncoder().encode(body.text).length }
    case 'bytes':
      return { kind: 'bytes', bytes: sizeOf(body.base64) }
    case 'parts':
      return { kind: 'parts', parts: body.parts.map(partOf) }
  }
}

function partOf({ name, content }: FormPart): Pair {
  return { name, value: 'text' in content ? content.text : `(file of ${sizeOf(content.base64)} bytes)` }
}

/** Returns how many bytes a base64 text stands for. */
function sizeOf(base64: string): number {
  return Math.floor((base64.replace(/[^A-Za-z0-9+/_-]/g, '').length * 3) / 4)
}

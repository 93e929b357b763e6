import type { ActionFields } from '#shared/model/action.ts'
import { joinUrl, takesQuery, withQuery } from '#shared/model/action-url.ts'
import { wireNameOf } from '#shared/model/parameter.ts'
import {
  contentTypeOf,
  hasSendingFields,
  placeOf,
  type SendingAction,
  writeRequest,
} from '#shared/request/write-request.ts'

type CalledUrl = {
  /** Base URL, path and fixed query, with the placeholders of the path as they are written. */
  readonly fixed: string
  /** The query that arguments add, with `…` for each value. */
  readonly query: string
}

type Arguments = Readonly<Record<string, unknown>>

/** Returns the URL that an action calls, or null if the base URL and the path do not make a URL. */
export function calledUrl(baseUrl: string, action: Omit<SendingAction, 'headers'>): CalledUrl | null {
  const url = join(baseUrl, action.path)
  if (url === null) return null
  const named = action.parameters.filter(one => one.name !== '' && placeOf(one, action) === 'query')
  const blank = Object.fromEntries(named.map(one => [wireNameOf(one), '']))
  const target = withQuery(
    url.target,
    named.map(one => ({ name: wireNameOf(one) })),
    blank,
  )
  return {
    fixed: url.origin + url.target.replaceAll('%7B', '{').replaceAll('%7D', '}'),
    query: target.slice(url.target.length).replace(/=(?=&|$)/g, '=…'),
  }
}

/** Returns the URL of one call, with its arguments; null if there is none. */
export function urlOfCall(baseUrl: string, action: SendingAction, given: Arguments): string | null {
  if (hasSendingFields(action)) {
    const written = writeRequest(action, given)
    const url = join(baseUrl, 'issues' in written ? action.path : written.path)
    return url === null ? null : url.origin + url.target
  }
  const url = join(baseUrl, action.path)
  if (url === null) return null
  return (
    url.origin + (takesQuery(action.method) ? withQuery(url.target, action.parameters, given) : url.target)
  )
}

/** Returns the headers and the body of one call, as a curl command can show them: without the bytes of files. */
export function partsOfCall(
  action: SendingAction,
  given: Arguments,
): { readonly headers: NonNullable<ActionFields['headers']>; readonly body: string } {
  const own = { ...action.headers }
  if (!hasSendingFields(action))
    return { headers: own, body: takesQuery(action.method) ? '' : JSON.stringify(given) }
  const written = writeRequest(action, given)
  if ('issues' in written) return { headers: own, body: '' }
  const { body, headers } = written
  const text = body.kind === 'text' ? body.text : ''
  const isJson = body.kind === 'text' && contentTypeOf(action) === null
  return {
    headers: { ...own, ...(isJson && { 'Content-Type': 'application/json' }), ...headers },
    body: text,
  }
}

function join(baseUrl: string, path: string): ReturnType<typeof joinUrl> | null {
  try {
    return joinUrl(baseUrl, path)
  } catch {
    return null
  }
}

import type { Method } from '#shared/model/action.ts'
import { joinUrl, takesQuery, withQuery } from '#shared/model/action-url.ts'
import type { Parameter } from '#shared/model/parameter.ts'

export type CalledUrl = {
  /** Base URL, path and fixed query, as they are called. */
  readonly fixed: string
  /** What the arguments of a GET add, `…` for each value; empty for other methods. */
  readonly query: string
}

/** The URL that an action calls; null while base URL and path do not make one. */
export function calledUrl(
  baseUrl: string,
  action: { readonly method: Method; readonly path: string; readonly parameters: readonly Parameter[] },
): CalledUrl | null {
  const url = join(baseUrl, action.path)
  if (url === null) return null
  const named = action.parameters.filter(({ name }) => name !== '')
  const blank = Object.fromEntries(named.map(({ name }) => [name, '']))
  const target = takesQuery(action.method) ? withQuery(url.target, named, blank) : url.target
  return {
    fixed: url.origin + url.target,
    query: target.slice(url.target.length).replace(/=(?=&|$)/g, '=…'),
  }
}

/** The URL of one call, its arguments in the query where they travel there. */
export function urlOfCall(
  baseUrl: string,
  action: { readonly method: Method; readonly path: string; readonly parameters: readonly Parameter[] },
  given: Readonly<Record<string, unknown>>,
): string | null {
  const url = join(baseUrl, action.path)
  if (url === null) return null
  return (
    url.origin + (takesQuery(action.method) ? withQuery(url.target, action.parameters, given) : url.target)
  )
}

function join(baseUrl: string, path: string): ReturnType<typeof joinUrl> | null {
  try {
    return joinUrl(baseUrl, path)
  } catch {
    return null
  }
}

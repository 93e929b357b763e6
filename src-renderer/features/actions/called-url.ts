import { joinUrl, takesQuery, withQuery } from '#shared/model/action-url.ts'
import type { Method } from '#shared/model/method.ts'
import type { Parameter } from '#shared/model/parameter.ts'

type Request = {
  readonly method: Method
  readonly path: string
  readonly parameters: readonly Parameter[]
}

type CalledUrl = {
  /** Base URL, path and fixed query. */
  readonly fixed: string
  /** The query that the arguments of a GET add, with `…` for each value. */
  readonly query: string
}

/** Returns the URL that an action calls, or null if the base URL and the path do not make a URL. */
export function calledUrl(baseUrl: string, action: Request): CalledUrl | null {
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

/** Returns the URL of one call, with the arguments of a GET in its query. */
export function urlOfCall(
  baseUrl: string,
  action: Request,
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

import { type ConnectionAuth, hasHeader } from '#shared/model/connection-auth.ts'
import type { HeaderMap, QueryTemplate } from './header-values.ts'
import { noHeaders } from './outbound-request.ts'

/** The parts of a request in which variables are filled in. */
type Carried = { readonly headers: Readonly<HeaderMap>; readonly query: QueryTemplate | null }

/** Returns headers with those of a sign-in, and its query parameter. */
export function signedIn(auth: ConnectionAuth | null, headers: Readonly<HeaderMap>): Carried {
  if (auth === null) return { headers, query: null }
  const { in: place, name, value } = auth
  return place === 'header'
    ? { headers: { [name]: value, ...headers }, query: null }
    : { headers, query: { name, value } }
}

/** Cached, because what is prepared for headers is cached by them. */
const kept = new WeakMap<ConnectionAuth, Carried>()

/**
 * Returns what the sign-in of a connection adds to a request to a URL: nothing unless the URL is below the base URL, and
 * nothing if the request has a header or query parameter of that name.
 *
 * @param auth an immutable part of the connection's record.
 */
export function signInFor(
  { baseUrl, auth }: { readonly baseUrl: string | null; readonly auth?: ConnectionAuth | undefined },
  url: URL,
  headers: Readonly<HeaderMap>,
): Carried {
  const nothing = { headers: noHeaders, query: null }
  if (auth === undefined || baseUrl === null || pathBelow(baseUrl, url) === null) return nothing
  const isOwn = auth.in === 'header' ? hasHeader(headers, auth.name) : url.searchParams.has(auth.name)
  if (isOwn) return nothing
  const known = kept.get(auth)
  if (known !== undefined) return known
  // Headers of its own for a query, too: they are what the preparation is cached by.
  const made = signedIn(auth, {})
  kept.set(auth, made)
  return made
}

/** A segment that a server may read as `..` once it has decoded the path, or dropped the parameters of segments. */
const climbing = /(?:\/|%2f|%5c)(?:\.|%2e){2}(?:;|\/|%2f|%5c|$)/i

/** Returns the path of a base URL, with a slash at its end, if a URL is at or below it; else null. */
export function pathBelow(baseUrl: string, url: URL): string | null {
  if (climbing.test(url.pathname)) return null
  const base = new URL(baseUrl)
  const path = base.pathname.replace(/\/*$/, '/')
  return base.origin === url.origin && `${url.pathname}/`.startsWith(path) ? path : null
}

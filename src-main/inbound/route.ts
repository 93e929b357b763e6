const prefix = '/api/connect/'
const suffix = '/events'

/** Returns the path of a connection's inbound endpoint. */
export function inboundPath(token: string): string {
  return prefix + token + suffix
}

/**
 * Returns the token of a request target; null if the path is not an endpoint's. Decodes and normalizes nothing: `%41`,
 * `//`, `..`, `;x` and absolute-form targets make different paths. Ignores the query, which the signature does not
 * cover.
 */
export function tokenOf(target: string): string | null {
  if (!target.startsWith(prefix)) return null
  const query = target.indexOf('?', prefix.length)
  const path = query === -1 ? target : target.slice(0, query)
  if (!path.endsWith(suffix) || path.length <= prefix.length + suffix.length) return null
  const token = path.slice(prefix.length, -suffix.length)
  return token.includes('/') ? null : token
}

const prefix = '/api/connect/'
const suffix = '/events'

/** Path of a connection's inbound endpoint (specification: inbound webhook URL). */
export function inboundPath(token: string): string {
  return prefix + token + suffix
}

/**
 * The token of a request target, or null for every path but the endpoint's. Nothing is decoded or
 * normalised: `%41`, `//`, `..`, `;x` and absolute-form targets are other paths. A query is ignored, since
 * the signature does not cover it.
 */
export function tokenOf(target: string): string | null {
  if (!target.startsWith(prefix)) return null
  const query = target.indexOf('?', prefix.length)
  const path = query === -1 ? target : target.slice(0, query)
  if (!path.endsWith(suffix) || path.length <= prefix.length + suffix.length) return null
  const token = path.slice(prefix.length, -suffix.length)
  return token.includes('/') ? null : token
}

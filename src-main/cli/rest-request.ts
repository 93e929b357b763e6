import type { Route } from '@orpc/contract'

export type RestRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the prefix, with its query. */
  readonly path: string
  /** JSON, or null where the request has none. */
  readonly body: string | null
}

/**
 * Writes a call of the contract as a REST request: fields named in the path go there, the rest into the
 * query of a GET or the body of anything else. Pure.
 */
export function restRequest({ method = 'GET', path = '/' }: Route, input: object): RestRequest {
  if (method === 'HEAD') throw new Error('The contract has no HEAD.')
  const fields = new Map<string, unknown>(Object.entries(input))
  const filled = path.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const value = fields.get(name)
    fields.delete(name)
    return encodeURIComponent(String(value))
  })
  if (method !== 'GET') return { method, path: filled, body: JSON.stringify(Object.fromEntries(fields)) }
  const query = new URLSearchParams()
  for (const [name, value] of fields) if (value !== undefined) query.append(name, String(value))
  return { method, path: query.size === 0 ? filled : `${filled}?${query}`, body: null }
}

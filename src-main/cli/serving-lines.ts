import type { Serving } from './serving.ts'

type Lines = {
  /** For stdout. */
  readonly results: readonly string[]
  /** For stderr. */
  readonly hints: readonly string[]
}

/**
 * What `serve` tells people. The address that signs in holds the admin token: it is shown only where the
 * service made the token itself and a person reads along, never where the output is kept.
 */
export function servingLines(serving: Omit<Serving, 'stop'>, isTerminal: boolean): Lines {
  const { listenerUrl, dashboardUrl, signInUrl, adminTokenFile } = serving
  const results = [`Inbound listener: ${listenerUrl}`, `Dashboard: ${dashboardUrl}`]
  if (adminTokenFile === null) return { results, hints: [] }
  if (isTerminal) results.push(`Sign in: ${signInUrl}`)
  return { results, hints: [`Admin token: kept in ${adminTokenFile}`] }
}

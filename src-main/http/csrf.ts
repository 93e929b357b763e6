import type { FastifyRequest } from 'fastify'

/**
 * What the dashboard's own page sends with every call and a page of another site cannot without asking for
 * permission, which it does not get. The names are those of oRPC's link plugin.
 */
export const csrfHeader = { name: 'x-csrf-token', value: 'orpc' }

/** Asked of what changes something on the authority of a cookie. */
export function hasCsrfHeader({ headers }: FastifyRequest): boolean {
  return headers[csrfHeader.name] === csrfHeader.value
}

import { ServiceError } from '#shared/errors.ts'
import type { ConnectionSummary } from '#shared/model/connection.ts'

/**
 * The connection with this id, else the one with this name. Pure.
 *
 * @throws ServiceError `connection_not_found`; `ambiguous_connection` when several have the name.
 */
export function findConnection(
  connections: readonly ConnectionSummary[],
  idOrName: string,
): ConnectionSummary {
  const byId = connections.find(({ connectionId }) => connectionId === idOrName)
  if (byId !== undefined) return byId
  const [first, ...others] = connections.filter(({ name }) => name === idOrName)
  if (first === undefined)
    throw new ServiceError('connection_not_found', {
      detail: `No connection has the id or the name "${idOrName}".`,
    })
  if (others.length > 0) {
    const ids = [first, ...others].map(({ connectionId }) => connectionId).join(', ')
    throw new ServiceError('ambiguous_connection', {
      detail: `More than one connection is named "${idOrName}"; use an id: ${ids}.`,
    })
  }
  return first
}

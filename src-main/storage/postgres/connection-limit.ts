import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '#main/lib/file-system.ts'
import { ServiceError } from '#shared/errors.ts'
import { outageOf } from '../outage.ts'
import type { Pool } from './pool.ts'

/** Without so many connections a service does not start: for what is accepted, for its life and its runs, for signals. */
export const fewestConnections = 7
/** With fewer, reads and deletions share those by which a node lives. */
const allConnections = 10

/** Milliseconds for which the connections of a process that has just ended may be in the way, and between two attempts. */
const leftOverMs = 5000
const againAfterMs = 100

/** Opens all connections of a pool. @throws the error of one that the server does not give. */
export async function fillAtStart(pool: Pool): Promise<void> {
  for (const until = performance.now() + leftOverMs; ; await delay(againAfterMs)) {
    try {
      return await pool.fill()
    } catch (error) {
      if (outageOf(error) !== 'no_connection' || performance.now() > until) throw error
    }
  }
}

/** The functions of the server that refuse a connection, in all its versions, and the settings by which they do. */
const settings: Readonly<Record<string, string>> = {
  InitializeSessionUserId: 'the CONNECTION LIMIT of the role',
  CheckMyDatabase: 'the CONNECTION LIMIT of the database',
  InitPostgres:
    'max_connections, of which superuser_reserved_connections and reserved_connections are kept for others',
}

/** Returns the setting of the server by which it has refused a connection. */
function limitOf(error: unknown): string {
  for (let one = error; one instanceof Error; one = one.cause)
    if ('routine' in one) return settings[String(one.routine)] ?? 'max_connections'
  return 'max_connections'
}

/** Returns the error for a start that failed because the server gives too few connections; null for other failures. */
export function tooFewConnections(error: unknown): ServiceError | null {
  if (outageOf(error) !== 'no_connection') return null
  const detail = `The service needs ${fewestConnections} connections to the database, and should have ${allConnections}. ${limitOf(error)} does not allow them. ${messageOf(error)}`
  return new ServiceError('too_few_connections', { detail, cause: error })
}

/** Returns what an operator should know of a server that gives fewer connections than there should be. */
export function fewConnections(count: number, error: unknown): string {
  return `The database gives this service ${count} connections, because ${limitOf(error)} does not allow more. It should have ${allConnections}: reads and deletions may now delay others.`
}

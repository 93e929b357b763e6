import type { StorageGauges } from '../gauges.ts'
import type { Pool } from './pool.ts'

/**
 * Creates the gauges of a database.
 *
 * @param pool reads its size. @param pools all that this process has.
 */
export function createGauges(
  pool: Pick<Pool, 'query'>,
  pools: readonly Pick<Pool, 'gauges'>[],
  eventsWaiting: () => number,
): StorageGauges {
  return {
    eventsWaiting,
    connections() {
      const all = { used: 0, idle: 0, waiting: 0 }
      for (const { gauges } of pools)
        for (const state of ['used', 'idle', 'waiting'] as const) all[state] += gauges[state]
      return all
    },
    async bytes() {
      const [row] = await pool.query(size)
      return { database: Number(row?.bytes) }
    },
  }
}

const size = { name: 'database_size', text: 'SELECT pg_database_size(current_database()) AS bytes' }

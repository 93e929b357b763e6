import { randomUUID } from 'node:crypto'
import { createHousekeeping, type Housekeeping } from '../housekeeping.ts'
import type { Pool } from './pool.ts'

/** A node that has not renewed its lease for this many milliseconds has stopped. */
const leaseMs = 30_000
/** Milliseconds for which a node that stops waits for a step. Another node does again what is given up. */
const stopMs = 3000

/** The server's clock in milliseconds since 1970: those of the nodes may differ. */
export const serverNow = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** Creates the housekeeping of a database. A node has a lease on a step while it carries it out. */
export function postgresHousekeeping(pool: Pool, onError: (error: unknown) => void): Housekeeping {
  const owner = randomUUID()

  async function runAlone(name: string, run: () => Promise<unknown>): Promise<void> {
    if ((await pool.query(take, [name, owner, leaseMs])).length === 0) return
    const renewing = setInterval(
      () => void pool.query(take, [name, owner, leaseMs]).catch(() => {}),
      leaseMs / 3,
    )
    try {
      await run()
    } finally {
      clearInterval(renewing)
      await pool.query(giveBack, [name, owner])
    }
  }
  return createHousekeeping(runAlone, onError, stopMs)
}

const take = {
  name: 'take_step',
  text: `INSERT INTO housekeeping AS h (name, owner, leased_until) VALUES ($1, $2, ${serverNow} + $3::bigint)
    ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, leased_until = excluded.leased_until
    WHERE h.leased_until <= ${serverNow} OR h.owner = excluded.owner RETURNING name`,
}
const giveBack = {
  name: 'give_step_back',
  text: 'UPDATE housekeeping SET leased_until = 0 WHERE name = $1 AND owner = $2',
}

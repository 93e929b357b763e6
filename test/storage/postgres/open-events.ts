import { connectorTo } from '#main/storage/postgres/connect.ts'
import { migrate } from '#main/storage/postgres/migrate.ts'
import { openPostgresEvents } from '#main/storage/postgres/open-events.ts'
import { Pool } from '#main/storage/postgres/pool.ts'
import type { LaneLimit } from '#main/storage/runs.ts'
import { unhurried } from '../../support/patience.ts'
import { newDatabase } from '../../support/postgres-database.ts'

type Options = Partial<Omit<Parameters<typeof openPostgresEvents>[0], 'connect' | 'pool' | 'node'>>

let url: string | null = null

/** Opens an empty log in the database of this file. One at a time. */
export async function openTemporary(options: Options = {}) {
  url ??= await newDatabase()
  const connect = connectorTo(url)
  const pool = new Pool(connect, 3)
  await pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
  await migrate(pool)
  const rejected: unknown[] = []
  const onError = (error: unknown) => rejected.push(error)
  const given = { clock: Date.now, onError, ...unhurried, ...options }
  const open = (slot = 1) => openPostgresEvents({ ...given, connect, pool, slot: () => slot })
  let log = await open()
  const others: (typeof log)[] = []
  return {
    ...{ url, pool, log, rejected },
    setLane: async (lane: string, limit: LaneLimit) => {
      await log.setLanes([[lane, limit]])
      for (const other of others) other.noteLanes([[lane, limit]])
    },
    second: async () => {
      const other = await open(2)
      others.push(other)
      return other
    },
    reopen: async () => {
      await log.close()
      log = await open()
      return log
    },
    dispose: async () => {
      await log.close()
      for (const other of others) await other.close()
      pool.close()
    },
  }
}

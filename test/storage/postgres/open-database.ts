import { connectorTo } from '#main/storage/postgres/connect.ts'
import { migrate } from '#main/storage/postgres/migrate.ts'
import { Pool } from '#main/storage/postgres/pool.ts'
import { openSignals } from '#main/storage/postgres/signals.ts'
import { newDatabase } from '../../support/postgres-database.ts'

let url: string | null = null

/** Empties the database of this file. Returns its URL. */
export async function emptyDatabase(): Promise<string> {
  url ??= await newDatabase()
  const pool = new Pool(connectorTo(url), 1)
  await pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
  await migrate(pool)
  pool.close()
  return url
}

/** Opens the connections of a node to a database. */
export async function openNode(url: string) {
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const connect = connectorTo(url)
  const pool = new Pool(connect, 3)
  const signals = await openSignals(connect, pool, onError)
  return {
    ...{ connect, pool, signals, errors, onError },
    close: async () => {
      await signals.close()
      pool.close()
    },
  }
}

/** Opens two nodes on an empty database. */
export async function openTwo() {
  const url = await emptyDatabase()
  const nodes = [await openNode(url), await openNode(url)] as const
  return {
    ...{ url, nodes },
    close: async () => {
      for (const node of nodes) await node.close()
    },
  }
}

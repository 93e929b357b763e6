import { connectorTo } from '#main/storage/postgres/connect.ts'
import { migrate } from '#main/storage/postgres/migrate.ts'
import { openPostgresEvents } from '#main/storage/postgres/open-events.ts'
import { Pool } from '#main/storage/postgres/pool.ts'
import { createCluster } from '../../support/postgres.ts'

export type PostgresLog = Awaited<ReturnType<typeof openPostgresEvents>>

/** Starts PostgreSQL, and lets `use` open logs in its database, each in an emptied one. */
export async function withPostgres<Result>(
  use: (database: {
    readonly url: string
    readonly pool: Pool
    openEmpty(): Promise<PostgresLog>
  }) => Promise<Result>,
): Promise<Result> {
  const cluster = createCluster()
  const server = await cluster.start({ shared_buffers: '512MB', max_wal_size: '4GB' })
  const connect = connectorTo(server.url())
  const pool = new Pool(connect, 3)
  try {
    return await use({
      ...{ url: server.url(), pool },
      async openEmpty() {
        await pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
        await migrate(pool)
        return openPostgresEvents({
          ...{ connect, pool, slot: () => 0, clock: Date.now, mostRunsWaiting: 100_000_000 },
          onError: error => console.error(error),
        })
      },
    })
  } finally {
    pool.close()
    await server.stop('SIGQUIT')
    cluster.remove()
  }
}

import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectorTo } from '#main/storage/postgres/connect.ts'
import { migrate } from '#main/storage/postgres/migrate.ts'
import { sql as second } from '#main/storage/postgres/migrations/002.ts'
import { Pool } from '#main/storage/postgres/pool.ts'
import { noPostgres } from '../../support/postgres.ts'
import { emptyDatabase } from './open-database.ts'

/** Takes back what the second version of the schema has added. */
const toFirst = `
  ALTER TABLE node DROP COLUMN facts; DROP TABLE board; DROP SEQUENCE board_version; 
  ALTER TABLE config_head DROP COLUMN fenced, DROP COLUMN fences_next; UPDATE meta SET schema = 1`

describe.skipIf(noPostgres !== null)('a migration', () => {
  it('does not keep running nodes from a table that a long transaction reads', async () => {
    const url = await emptyDatabase()
    const [pool, migrating] = [new Pool(connectorTo(url), 2), new Pool(connectorTo(url), 1)]
    const reader = new Client(url)
    await reader.connect()
    onTestFinished(async () => {
      for (const one of [pool, migrating]) one.close()
      await reader.end()
    })
    await pool.query(toFirst)
    expect(second).toContain('ALTER TABLE node')
    await reader.query('BEGIN; SELECT FROM node')
    const migrated = migrate(migrating)
    const waits = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    await expect.poll(() => pool.query(waits), { interval: 10 }).toHaveLength(1)
    await pool.query('UPDATE node SET seen_at = 1')
    await reader.query('COMMIT')
    await migrated
    expect(await pool.query('SELECT schema, facts FROM meta LEFT JOIN node ON true')).toMatchObject([
      { facts: null },
    ])
  })
})

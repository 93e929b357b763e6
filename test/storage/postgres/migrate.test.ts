import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectorTo } from '#main/storage/postgres/connect.ts'
import { migrate } from '#main/storage/postgres/migrate.ts'
import { sql as second } from '#main/storage/postgres/migrations/002.ts'
import { Pool } from '#main/storage/postgres/pool.ts'
import { noPostgres } from '../../support/postgres.ts'
import { newDatabase, query } from '../../support/postgres-database.ts'
import { emptyDatabase } from './open-database.ts'

/** Takes back what the versions of the schema after the fourth have added. */
const toFourth = `DROP TABLE fan_out, run_list, alert, alert_step, hour_count, hour_count_head;
  ALTER TABLE meta DROP COLUMN older_seen_at; UPDATE meta SET schema = 4;`
/** The same for those after the first. */
const toFirst = `${toFourth}
  ALTER TABLE node DROP COLUMN facts; DROP TABLE board; DROP SEQUENCE board_version; DROP TABLE call_limit;
  ALTER TABLE config_head DROP COLUMN fenced, DROP COLUMN fences_next; UPDATE meta SET schema = 1`

describe.skipIf(noPostgres !== null)('a migration', () => {
  it('does not keep running nodes from a table that a long transaction reads', async () => {
    const url = await emptyDatabase()
    const [pool, migrating] = [new Pool(connectorTo(url), 2), new Pool(connectorTo(url), 1)]
    const reader = new Client({ connectionString: url, application_name: 'reader' })
    await reader.connect()
    onTestFinished(async () => {
      for (const one of [pool, migrating]) one.close()
      await reader.end()
    })
    await pool.query(toFirst)
    expect(second).toContain('ALTER TABLE node')
    await reader.query('BEGIN; SELECT FROM node')
    const warnings: string[] = []
    const migrated = migrate(migrating, undefined, text => warnings.push(text))
    const waits = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    await expect.poll(() => pool.query(waits), { interval: 10 }).toHaveLength(1)
    await expect
      .poll(() => warnings)
      .toEqual([
        expect.stringMatching(
          /^The start waits for a lock\. The session with the process id \d+ \(role postgres, program reader\)/,
        ),
      ])
    await pool.query('UPDATE node SET seen_at = 1')
    await reader.query('COMMIT')
    await migrated
    expect(await pool.query('SELECT schema, facts FROM meta LEFT JOIN node ON true')).toMatchObject([
      { facts: null },
    ])
  })
  it('rewrites variables of workflows that read fields of events whose names begin with $', async () => {
    const url = await emptyDatabase()
    const pool = new Pool(connectorTo(url), 1)
    onTestFinished(() => pool.close())
    const add = (kind: string, id: string, doc: object | null) =>
      pool.query(
        `INSERT INTO config_part (kind, id, place, version, doc_version, changed_at, doc) VALUES ($1, $2, 0, 3, 3, 0, $3)`,
        [kind, id, doc && JSON.stringify(doc)],
      )
    await add('workflows', 'a', { name: 'Reading', steps: ['{{$env.a}} {{ $b }} {{\t$c}} {{d}} $env'] })
    await add('workflows', 'b', { name: 'Other', steps: ['{{env.a}}'] })
    await add('workflows', 'c', null)
    await add('agents', 'd', { text: '{{$env.a}}' })
    await pool.query(`UPDATE config_head SET version = 3; ${toFourth}`)
    const warnings: string[] = []
    await migrate(pool, undefined, text => warnings.push(text))
    expect(warnings).toEqual([expect.stringMatching(/: Reading\.$/)])
    expect(await pool.query('SELECT version FROM config_head')).toEqual([{ version: 4 }])
    const rows = await pool.query('SELECT id, version, doc_version, doc FROM config_part ORDER BY id')
    expect(rows.map(({ id, doc, version }) => [id, Number(version), JSON.parse(String(doc))])).toEqual([
      ['a', 4, { name: 'Reading', steps: ['{{event.$env.a}} {{ event.$b }} {{\tevent.$c}} {{d}} $env'] }],
      ['b', 3, { name: 'Other', steps: ['{{env.a}}'] }],
      ['c', 3, null],
      ['d', 3, { text: '{{$env.a}}' }],
    ])
    await migrate(pool)
    expect(await pool.query('SELECT version FROM config_head')).toEqual([{ version: 4 }])
  })
  it('says which statement lets a role create tables, or gives it those of another role', async () => {
    const url = await newDatabase()
    const role = new URL(url).pathname.slice(1)
    await query(url, `CREATE ROLE ${role} LOGIN; CREATE SCHEMA own; ALTER ROLE ${role} SET search_path = own`)
    const migrateAsRole = async () => {
      const pool = new Pool(connectorTo(url.replace('postgres@', `${role}@`)), 1)
      onTestFinished(() => pool.close())
      return migrate(pool).then(
        () => null,
        error => [error.code, String(error.message).split('run: ')[1]],
      )
    }
    const noSchema = await migrateAsRole()
    expect(noSchema).toEqual(['storage_unavailable', `GRANT USAGE, CREATE ON SCHEMA public TO ${role};`])
    await query(url, `GRANT USAGE ON SCHEMA own TO ${role}`)
    const remedy = await migrateAsRole()
    expect(remedy).toEqual(['storage_unavailable', `GRANT USAGE, CREATE ON SCHEMA own TO ${role};`])
    await query(url, String(remedy?.[1]))
    expect(await migrateAsRole()).toBeNull()
    const owner = `${role}_owner`
    await query(url, `CREATE ROLE ${owner}; GRANT ALL ON SCHEMA own TO ${owner}`)
    await query(url, `REASSIGN OWNED BY ${role} TO ${owner}; ALTER ROLE ${role} SET search_path = own`)
    const gift = await migrateAsRole()
    expect(gift).toEqual(['storage_unavailable', `REASSIGN OWNED BY ${owner} TO ${role};`])
    await query(url, String(gift?.[1]))
    expect(await migrateAsRole()).toBeNull()
  })
})

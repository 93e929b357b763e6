import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectorTo } from '#main/storage/postgres/connect.ts'
import { migrate } from '#main/storage/postgres/migrate.ts'
import { Pool } from '#main/storage/postgres/pool.ts'
import { noPostgres } from '../../support/postgres.ts'
import { newDatabase, query } from '../../support/postgres-database.ts'

const page = readFileSync(new URL('../../../docs/database.md', import.meta.url), 'utf8')
const blocks = [...page.matchAll(/^```sql\n(.*?)^```/gms)].map(([, text = '']) => text)

/** Opens a database as a role, and creates the tables or finds them. Returns who owns them. */
async function ownerAfterStart(url: string, role: string, database: string): Promise<unknown> {
  const own = Object.assign(new URL(url.replace('postgres@', `${role}@`)), { pathname: `/${database}` })
  const pool = new Pool(connectorTo(own.href), 1)
  onTestFinished(() => pool.close())
  await migrate(pool)
  const [row] = await pool.query(
    `SELECT pg_get_userbyid(relowner) AS owner, relnamespace::regnamespace::text AS schema FROM pg_class WHERE oid = to_regclass('meta')`,
  )
  return row
}

describe.skipIf(noPostgres !== null)('docs/database.md', () => {
  it('has statements that make a role, a schema and a second role that work', async () => {
    const url = await newDatabase()
    const database = new URL(url).pathname.slice(1)
    const name = `${database}_own`
    const run = async (block: string | undefined) => {
      for (const statement of (block ?? '').split(/;\n/).filter(text => text.trim() !== ''))
        await query(url, statement.replaceAll(/\bconnect(?=\b|_b)/g, name))
    }
    const [roleAndDatabase, schema, secondRole] = blocks
    expect(blocks).toHaveLength(3)
    await run(roleAndDatabase)
    const expected = { owner: name, schema: 'public' }
    expect(await ownerAfterStart(url, name, name)).toEqual(expected)
    await run(secondRole)
    expect(await ownerAfterStart(url, `${name}_b`, name)).toEqual(expected)
    await run(schema)
    expect(await ownerAfterStart(url, name, database)).toEqual({ owner: name, schema: name })
  })
})

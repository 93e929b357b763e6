import { type Row, sqlStateOf } from './connect.ts'
import type { Pool } from './pool.ts'

/** Whether a statement was refused because the role may not do it, or has no schema in which it may. */
export function isNotAllowed(error: unknown): boolean {
  return ['42501', '3F000'].includes(sqlStateOf(error) ?? '')
}

/** Whether a statement has waited too long for a lock of another session. */
export function isLocked(error: unknown): boolean {
  return sqlStateOf(error) === '55P03'
}

/** Returns what the role may not do with the schema, and the statement that lets it. */
export async function missingRights(pool: Pool): Promise<string> {
  const [row] = await pool.query(rights)
  const { role, schema, mayCreate, owner } = row as Row
  if (mayCreate === true && owner !== null)
    return `The tables of the database belong to another role. As a superuser, run: REASSIGN OWNED BY ${owner} TO ${role};`
  return `The role ${role} may not create tables in the schema ${schema} of the database. As the owner of the database, run: GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role};`
}

/** Returns which session has held a lock on a table of the service for longest; null if none does. */
export async function lockHolder(pool: Pool): Promise<string | null> {
  const [row] = await pool.query(holder)
  if (row === undefined) return null
  const { pid, role, program } = row
  return `The session with the process id ${pid} (role ${role}${program ? `, program ${program}` : ''}) holds a lock on a table of the service. Wait for its end, or end it: SELECT pg_terminate_backend(${pid});`
}

const rights = `
  SELECT quote_ident(current_user) AS role, quote_ident(schema) AS schema,
    has_schema_privilege(schema, 'USAGE') AND has_schema_privilege(schema, 'CREATE') AS "mayCreate",
    (SELECT quote_ident(pg_get_userbyid(relowner)) FROM pg_class WHERE oid = to_regclass('meta')) AS owner
  FROM coalesce(current_schema(), 'public') AS schema`

const holder = `
  SELECT a.pid, a.usename AS role, a.application_name AS program FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid)
    JOIN pg_class AS c ON c.oid = l.relation
  WHERE l.granted AND a.pid <> pg_backend_pid() AND a.datname = current_database()
    AND c.relkind = 'r' AND c.relnamespace = to_regnamespace(quote_ident(current_schema()))
  ORDER BY a.xact_start NULLS FIRST LIMIT 1`

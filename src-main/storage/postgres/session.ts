import { ServiceError } from '#shared/errors.ts'
import { UnusableServer } from '../outage.ts'
import type { ServerFacts } from './primary.ts'

const oldestVersion = 15
/** Milliseconds without an answer after which a connection is given up that is just being opened. */
const answerMs = 5000
/** The part of the time until a connection is given up after which the server ends a wait for a lock. */
const lockPart = 0.9

type Rows = readonly Readonly<Record<string, unknown>>[]
/** A connection that has just been opened. */
type Opened = {
  readonly isBroken: boolean
  query(text: string, values: readonly unknown[], silentMs: number): Promise<Rows>
}

type Session = {
  standby: boolean
  version: string
  encoding: string
  startedAt: string
  database: string
  fsync: string
  pages: string
  synchronous: string
}

/**
 * The timeline that a primary writes, as a number; a promotion begins the next one. Aurora and other servers with a storage
 * of their own refuse the functions that tell it.
 */
const readTimeline = `SELECT ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint AS value`
/** Which data a server and its standbys have. Some servers let only administrators ask. */
const readCluster = 'SELECT system_identifier::text AS value FROM pg_control_system()'

/** First, and alone: a short timeout of the role would end the statement that changes it. */
const noTimeout = 'SET statement_timeout = 0'

/**
 * Reads and sets what a session needs to be usable, in one statement: a server, a database or a role may have other
 * defaults. Each statement has an index. While a table is small or new, the server would plan to read all of it, and keep
 * that plan while the table grows.
 *
 * Statements rely on READ COMMITTED, and are given up by this process alone. A transaction whose process hangs ends before
 * others give up that wait for its locks. A wait for a lock ends with an error that says so, before its connection is given
 * up. A commit that is not replicated is only told by a warning.
 *
 * A statement does not notice that its connection was given up, unless the server looks: while commits wait for a standby,
 * such statements would take all connections of the server. Not every system can look.
 */
const begin = (lockMs: number) => `
  SELECT pg_is_in_recovery() AS standby, current_setting('server_version_num') AS version,
    current_setting('server_encoding') AS encoding,
    extract(epoch FROM pg_postmaster_start_time())::text AS "startedAt",
    (SELECT oid FROM pg_database WHERE datname = current_database())::text AS database,
    current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages,
    current_setting('synchronous_commit') AS synchronous,
    set_config('default_transaction_isolation', 'read committed', false), set_config('client_min_messages', 'notice', false),
    set_config('lock_timeout', '${lockMs}', false), set_config('idle_session_timeout', '0', false),
    set_config('idle_in_transaction_session_timeout', '4s', false), set_config('jit', 'off', false),
    set_config('enable_seqscan', 'off', false),
    CASE WHEN current_setting('transaction_timeout', true) IS NOT NULL THEN set_config('transaction_timeout', '0', false) END,
    CASE WHEN version() ~ 'linux|darwin|bsd' THEN set_config('client_connection_check_interval', '1s', false) END`

/**
 * Prepares a session of a server that takes writes. Returns what tells this server from others.
 *
 * @param silentMs milliseconds without an answer after which the connection is given up.
 * @throws ServiceError `unsupported_database`, `unsafe_database`; Error for a standby.
 */
export async function prepareSession(connection: Opened, silentMs: number): Promise<ServerFacts> {
  const query = (text: string) => connection.query(text, [], answerMs)
  await query(noTimeout)
  const { startedAt, database } = usable(await query(begin(Math.floor(silentMs * lockPart))))
  /** Returns null if the server refuses to tell. */
  const ask = async (statement: string): Promise<unknown> => {
    try {
      return (await query(statement))[0]?.value ?? null
    } catch (error) {
      if (connection.isBroken || !isRefusal(error)) throw error
      return null
    }
  }
  const [timeline, cluster] = [await ask(readTimeline), await ask(readCluster)]
  return {
    ...{ startedAt, database },
    timeline: timeline === null ? null : Number(timeline),
    cluster: cluster === null ? null : String(cluster),
  }
}

/** Whether the server does not let this role ask, or has no such function: not that it could not answer this time. */
function isRefusal(error: unknown): boolean {
  const state = error instanceof Error && 'code' in error ? String(error.code) : ''
  return !/^(08|40|53|55P03|57|58)/.test(state)
}

/** @throws ServiceError `unsupported_database`, `unsafe_database`; Error for a standby. */
function usable([row]: Rows): Session {
  const session = row as Session
  const { standby, version, encoding, fsync, pages, synchronous } = session
  requireSupported(Number(version), encoding)
  if (standby) throw new UnusableServer('former_primary', 'The server is a standby.')
  const wrong = [
    ...(fsync === 'on' ? [] : [`fsync is ${fsync}`]),
    ...(pages === 'on' ? [] : [`full_page_writes is ${pages}`]),
    ...(['on', 'remote_apply'].includes(synchronous) ? [] : [`synchronous_commit is ${synchronous}`]),
  ]
  if (wrong.length > 0)
    throw new ServiceError('unsafe_database', {
      detail: `The database may lose what it has confirmed: ${wrong.join(', ')}.`,
    })
  return session
}

/** @param version 150004 of 15.4. @throws ServiceError `unsupported_database`. */
export function requireSupported(version: number, encoding: string): void {
  const major = Math.floor(version / 10_000)
  const detail =
    major < oldestVersion
      ? `The database’s server is PostgreSQL ${major}; version ${oldestVersion} or newer is required.`
      : encoding !== 'UTF8'
        ? `The database’s encoding is ${encoding}; UTF8 is required.`
        : null
  if (detail !== null) throw new ServiceError('unsupported_database', { detail })
}

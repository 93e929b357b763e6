import {
  connectionOf,
  connectionStart,
  dayHours,
  dayRowOf,
  type HourCountStore,
  mergeRows,
  mostHourRows,
  rowsOfConnections,
  summedDaysOf,
} from '../hour-count-store.ts'
import { readPairs, sumPairs } from '../hour-counts.ts'
import type { Row } from './connect.ts'
import type { Pool } from './pool.ts'

/**
 * Keeps the counts of hours in a database.
 *
 * @param slowPool for what may take long.
 */
export function createHourCounts(pool: Pool, slowPool: Pool): HourCountStore {
  return {
    async save(node, rows) {
      await pool.query(save, [
        node,
        rows.map(({ of }) => of),
        rows.map(({ hour }) => hour),
        rows.map(({ doc }) => doc),
      ])
    },
    async read(of, { from, until }) {
      return (await pool.query(read, [of, from, until])).map(rowOf)
    },
    async readPairs(connectionIds, parts, except) {
      const rows: Row[] = []
      for (const { from, until, byDay } of parts) {
        const names = byDay ? connectionIds.map(dayRowOf) : connectionIds
        rows.push(...(await pool.query(pairs, [names, from, until, except])))
      }
      const byConnection = Map.groupBy(rows, ({ connection }) => connectionOf(String(connection)))
      return new Map(
        Array.from(byConnection, ([id, own]) => {
          const docs = own.flatMap(row => String(row.docs).split('\n'))
          return [id, sumPairs(docs.map(readPairs))] as const
        }),
      )
    },
    async summedDays() {
      const [row] = await pool.query(summed)
      const { first, unmerged } = row ?? {}
      return summedDaysOf(first == null ? null : Number(first), unmerged == null ? null : Number(unmerged))
    },
    async first() {
      const [row] = await pool.query("SELECT min(hour) AS hour FROM hour_count WHERE connection = ''")
      return row?.hour == null ? null : Number(row.hour)
    },
    merge: upTo =>
      slowPool.transaction(async connection => {
        const [found] = await connection.query(someUnmerged, [upTo])
        if (found === undefined) return false
        await connection.query('UPDATE hour_count_head SET merged_to = greatest(merged_to, $1)', [upTo])
        const rows = mergeRows((await connection.query(take, [upTo, mostHourRows / 2])).map(rowOf))
        await connection.query(add, [
          rows.map(({ of }) => of),
          rows.map(({ hour }) => hour),
          rows.map(({ doc }) => doc),
        ])
        return rows.length > 0
      }),
    prune: async before => (await slowPool.query(prune, [before, mostHourRows])).length > 0,
    async forget(connectionIds) {
      const of = rowsOfConnections(connectionIds)
      await slowPool.query('DELETE FROM hour_count WHERE connection = ANY ($1::text[])', [of])
    },
    async keepOnly(connectionIds) {
      await slowPool.query(keepOnly, [connectionStart, rowsOfConnections(connectionIds)])
    },
  }
}

function rowOf({ connection, hour, node, doc }: Row) {
  return { of: String(connection), hour: Number(hour), node: String(node), doc: String(doc) }
}

/** Waits for a merge under way, and then does not bring back what it has taken. */
const save = {
  name: 'save_hour_counts',
  text: `WITH h AS MATERIALIZED (SELECT merged_to FROM hour_count_head FOR SHARE)
    INSERT INTO hour_count (connection, hour, node, doc)
      SELECT u.connection, u.hour, $1, u.doc FROM h JOIN unnest($2::text[], $3::int[], $4::text[]) AS u(connection, hour, doc)
        ON u.hour > h.merged_to ORDER BY u.connection, u.hour
    ON CONFLICT (connection, hour, node) DO UPDATE SET doc = excluded.doc`,
}
const read = {
  name: 'hour_counts',
  text: `SELECT connection, hour, node, doc FROM hour_count
    WHERE connection = $1 AND hour >= $2 AND hour < $3 ORDER BY hour`,
}
/** One row for each name, because rows cost more than the texts in them. JSON has no line breaks. */
const pairs = {
  name: 'pairs_of_hours',
  text: `SELECT connection, string_agg(doc, E'\\n') AS docs FROM hour_count
    WHERE connection = ANY ($1::text[]) AND hour >= $2 AND hour < $3 AND node IS DISTINCT FROM $4::text
    GROUP BY connection`,
}
const summed = {
  name: 'summed_days_of_hours',
  text: `SELECT (SELECT min(hour) FROM hour_count WHERE connection = '${dayRowOf('')}') AS first,
    (SELECT min(hour) FROM hour_count WHERE node <> '') AS unmerged`,
}
const someUnmerged = {
  name: 'unmerged_hour_count',
  text: "SELECT hour FROM hour_count WHERE node <> '' AND hour <= $1 LIMIT 1",
}
/** Takes the rows of nodes, with what was merged before of the same hours, and the rows of their days. */
const take = {
  name: 'take_hour_counts',
  text: `WITH u AS MATERIALIZED (SELECT DISTINCT connection, hour FROM hour_count WHERE node <> '' AND hour <= $1 LIMIT $2),
      k AS (SELECT * FROM u UNION SELECT connection || '${dayRowOf('')}', hour - hour % ${dayHours} FROM u)
    DELETE FROM hour_count AS h USING k
      WHERE h.connection = k.connection AND h.hour = k.hour RETURNING h.connection, h.hour, h.node, h.doc`,
}
const add = {
  name: 'add_hour_counts',
  text: `INSERT INTO hour_count (connection, hour, node, doc)
    SELECT connection, hour, '', doc FROM unnest($1::text[], $2::int[], $3::text[]) AS u(connection, hour, doc)`,
}
/** Looks up one connection after another in the index. */
const connections = `RECURSIVE c(connection) AS (
      SELECT min(connection) FROM hour_count
      UNION ALL SELECT (SELECT min(connection) FROM hour_count WHERE connection > c.connection) FROM c
        WHERE c.connection IS NOT NULL)`
/** Looks at the first hours of each connection, because no index begins with the hour. */
const prune = {
  name: 'prune_hour_counts',
  text: `WITH ${connections}, old AS (SELECT o.* FROM c CROSS JOIN LATERAL (
      SELECT connection, hour, node FROM hour_count AS h WHERE h.connection = c.connection AND h.hour < $1
      ORDER BY hour LIMIT $2) AS o LIMIT $2)
    DELETE FROM hour_count AS h USING old
      WHERE h.connection = old.connection AND h.hour = old.hour AND h.node = old.node RETURNING h.hour`,
}
const keepOnly = {
  name: 'keep_only_hour_counts',
  text: `WITH ${connections}, gone AS (SELECT connection FROM c WHERE starts_with(connection, $1)
      AND NOT EXISTS (SELECT FROM unnest($2::text[]) AS k(id) WHERE k.id = c.connection))
    DELETE FROM hour_count AS h USING gone WHERE h.connection = gone.connection`,
}

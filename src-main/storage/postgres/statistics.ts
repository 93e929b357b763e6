import { hourMs } from '#shared/durations.ts'
import { createCoalescedPoll } from '../coalesced-poll.ts'
import type { Signals } from '../signals.ts'
import { mergeCounts, SavedCounts, type StatisticsStore } from '../statistics.ts'
import type { Row } from './connect.ts'
import type { Pool } from './pool.ts'
import { fromStored, toStored } from './stored-text.ts'

/** Milliseconds after a save: a few for each connection, because each is a row that is written and that others read. */
const restPerConnection = 5
const shortestRest = 250
const longestRest = 5000
/** Milliseconds between two polls of everything that others have saved. */
const pollEvery = 5000
/** Milliseconds after which what a node has saved is of no day that is shown, save for last events. */
const keptFor = 25 * hourMs
const topic = 'statistics'

/** The statistics of all nodes. Each is a row a node and connection, and nobody continues those of another one. */
export function createStatistics(
  pool: Pool,
  signals: Signals,
  clock: () => number,
): StatisticsStore & { close(): void } {
  const stops = new Set<() => void>()
  return {
    restAfter: connections => Math.min(longestRest, Math.max(shortestRest, connections * restPerConnection)),
    async load() {
      const [row] = await pool.query('SELECT min(since) AS since FROM statistic_node').catch(() => [])
      return { since: row?.since == null ? null : Number(row.since), connections: new Map() }
    },
    async save(node, counts, changed) {
      const ids = [...changed]
      const docs = ids
        .map(id => counts.countsOf(id))
        .map(of => (of === null ? null : toStored(JSON.stringify(of))))
      const now = clock()
      await pool.transaction(async connection => {
        await connection.query(saveNode, [node, counts.since(), now])
        await connection.query(save, [node, ids.map(toStored), docs])
        await connection.query(tidy, [now - keptFor])
      })
      signals.send(topic, node)
    },
    follow(node, listener) {
      /** The rows by node and connection, and the newest version of each node, on the server that was read. */
      let server = 0
      let seen = new Map<string, { connection: string; version: number }>()
      const newest = new Map<string, number>()
      /** The nodes that have told of a save; null when it is time to read everything. */
      let due: Set<string> | null = null
      let isStopped = false

      async function pollNow(): Promise<void> {
        const nodes = due
        due = new Set()
        try {
          await (nodes === null ? readAll() : readOf([...nodes]))
        } catch (error) {
          due = null
          throw error
        }
      }

      /** A node makes its versions one after the other, so that those above the newest are all that it has changed. */
      async function readOf(nodes: readonly string[]): Promise<void> {
        let isOther = false
        const rows = await pool.query(laterVersions, of => {
          isOther = of !== server
          return [nodes, nodes.map(by => newest.get(by) ?? 0)]
        })
        if (isOther) return readAll()
        await tell(new Set(rows.map(({ connection }) => String(connection))))
        note(rows)
      }

      async function readAll(): Promise<void> {
        let from = 0
        const rows = await pool.query(versions, of => {
          from = of
          return [node]
        })
        const before = seen
        const isKnown = (row: Row) =>
          from === server && before.get(keyOf(row))?.version === Number(row.version)
        const changed = new Set<string>()
        const keys = new Set(rows.map(keyOf))
        for (const row of rows) if (!isKnown(row)) changed.add(String(row.connection))
        for (const [key, { connection }] of before) if (!keys.has(key)) changed.add(connection)
        await tell(changed)
        seen = new Map()
        if (from !== server) newest.clear()
        server = from
        note(rows)
      }

      function note(rows: readonly Row[]): void {
        for (const row of rows) {
          const version = Number(row.version)
          seen.set(keyOf(row), { connection: String(row.connection), version })
          newest.set(String(row.node), Math.max(newest.get(String(row.node)) ?? 0, version))
        }
      }

      async function tell(changed: ReadonlySet<string>): Promise<void> {
        if (changed.size === 0) return
        const others = new Map<string, SavedCounts | null>([...changed].map(key => [fromStored(key), null]))
        for (const { connection, doc } of await pool.query(docsOf, [node, [...changed]])) {
          const counts = SavedCounts.safeParse(JSON.parse(fromStored(String(doc))))
          if (!counts.success) continue
          const connectionId = fromStored(String(connection))
          const before = others.get(connectionId)
          others.set(connectionId, before ? mergeCounts(before, counts.data) : counts.data)
        }
        if (!isStopped) listener(others)
      }

      const poll = createCoalescedPoll(pollNow)
      const timer = setInterval(() => {
        due = null
        poll()
      }, pollEvery).unref()
      const stopSignals = signals.on(topic, by => {
        if (by === node) return
        due?.add(by)
        poll()
      })
      poll()
      const stop = () => {
        isStopped = true
        clearInterval(timer)
        stopSignals()
        stops.delete(stop)
      }
      stops.add(stop)
      return stop
    },
    close() {
      for (const stop of stops) stop()
    },
  }
}

const keyOf = ({ node, connection }: Row) => `${node} ${connection}`

const saveNode = {
  name: 'save_statistic_node',
  text: `INSERT INTO statistic_node (node, since, at) VALUES ($1, $2, $3)
    ON CONFLICT (node) DO UPDATE SET since = excluded.since, at = excluded.at`,
}
const save = {
  name: 'save_statistics',
  text: `WITH u AS (SELECT * FROM unnest($2::text[], $3::text[]) AS u(connection, doc)),
    d AS (DELETE FROM statistic USING u WHERE statistic.connection = u.connection AND u.doc IS NULL
      AND (node = $1 OR NOT EXISTS (SELECT FROM statistic_node AS n WHERE n.node = statistic.node)))
    INSERT INTO statistic (node, connection, doc) SELECT $1, connection, doc FROM u WHERE doc IS NOT NULL
    ON CONFLICT (node, connection) DO UPDATE SET doc = excluded.doc, version = nextval('statistic_version')`,
}
/** The time of the last event of a row; 0 for none. Quotation marks in a name are escaped. */
const lastEventOf = (row: string) =>
  `coalesce(substring(${row}.doc FROM '"lastEvent":\\{.*?"at":(\\d+)')::numeric, 0)`
/**
 * Forgets nodes that are gone, but not the last event of a connection: its row stays until another node has a later one.
 * Rows are looked at only when a node is forgotten.
 */
const tidy = {
  name: 'tidy_statistics',
  text: `WITH d AS (DELETE FROM statistic_node WHERE at < $1 RETURNING node)
    DELETE FROM statistic AS s WHERE EXISTS (SELECT FROM d)
    AND NOT EXISTS (SELECT FROM statistic_node AS n WHERE n.node = s.node AND n.at >= $1)
    AND (${lastEventOf('s')} = 0 OR EXISTS (SELECT FROM statistic AS o WHERE o.connection = s.connection
      AND (${lastEventOf('o')}, o.node) > (${lastEventOf('s')}, s.node)))`,
}
const versions = {
  name: 'statistic_versions',
  text: 'SELECT node, connection, version FROM statistic WHERE node <> $1',
}
const laterVersions = {
  name: 'later_statistic_versions',
  text: `SELECT s.node, s.connection, s.version FROM unnest($1::text[], $2::bigint[]) AS u(node, version)
    JOIN statistic AS s ON s.node = u.node AND s.version > u.version`,
}
const docsOf = {
  name: 'statistics',
  text: 'SELECT connection, doc FROM statistic WHERE node <> $1 AND connection = ANY ($2::text[]) ORDER BY connection, node',
}

import { hourMs } from '#shared/durations.ts'
import type { Signals } from '../signals.ts'
import { mergeCounts, SavedCounts, type StatisticsStore } from '../statistics.ts'
import { createLooks } from './looks.ts'
import type { Pool } from './pool.ts'
import { fromStored, toStored } from './stored-text.ts'

const saveEveryMs = 5000
/** Milliseconds between two looks at what others have saved. */
const lookEvery = 5000
/** Milliseconds after which what a node has saved is of no day that is shown. */
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
    saveEveryMs,
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
      /** The version of each row, by connection and node, and the connections of which something is known. */
      let seen = new Map<string, { connection: string; version: unknown }>()
      let isStopped = false

      async function look(): Promise<void> {
        const rows = await pool.query(versions, [node])
        const now = new Map(
          rows.map(row => [
            `${row.node} ${row.connection}`,
            { connection: String(row.connection), version: row.version },
          ]),
        )
        const changed = new Set<string>()
        for (const [key, { connection, version }] of now)
          if (seen.get(key)?.version !== version) changed.add(connection)
        for (const [key, { connection }] of seen) if (!now.has(key)) changed.add(connection)
        if (changed.size === 0) return
        const others = new Map<string, SavedCounts | null>([...changed].map(key => [fromStored(key), null]))
        for (const { connection, doc } of await pool.query(docsOf, [node, [...changed]])) {
          const counts = SavedCounts.safeParse(JSON.parse(fromStored(String(doc))))
          if (!counts.success) continue
          const connectionId = fromStored(String(connection))
          const before = others.get(connectionId)
          others.set(connectionId, before ? mergeCounts(before, counts.data) : counts.data)
        }
        seen = now
        if (!isStopped) listener(others)
      }
      const lookSoon = createLooks(look)
      const timer = setInterval(lookSoon, lookEvery).unref()
      const stopSignals = signals.on(topic, by => (by === node ? undefined : lookSoon()))
      lookSoon()
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

const saveNode = {
  name: 'save_statistic_node',
  text: `INSERT INTO statistic_node (node, since, at) VALUES ($1, $2, $3)
    ON CONFLICT (node) DO UPDATE SET since = excluded.since, at = excluded.at`,
}
const save = {
  name: 'save_statistics',
  text: `WITH u AS (SELECT * FROM unnest($2::text[], $3::text[]) AS u(connection, doc)),
    d AS (DELETE FROM statistic USING u WHERE node = $1 AND statistic.connection = u.connection AND u.doc IS NULL)
    INSERT INTO statistic (node, connection, doc) SELECT $1, connection, doc FROM u WHERE doc IS NOT NULL
    ON CONFLICT (node, connection) DO UPDATE SET doc = excluded.doc, version = nextval('statistic_version')`,
}
const tidy = {
  name: 'tidy_statistics',
  text: `WITH d AS (DELETE FROM statistic_node WHERE at < $1 RETURNING node) DELETE FROM statistic USING d WHERE statistic.node = d.node`,
}
const versions = {
  name: 'statistic_versions',
  text: 'SELECT node, connection, version FROM statistic WHERE node <> $1',
}
const docsOf = {
  name: 'statistics',
  text: 'SELECT connection, doc FROM statistic WHERE node <> $1 AND connection = ANY ($2::text[]) ORDER BY connection, node',
}

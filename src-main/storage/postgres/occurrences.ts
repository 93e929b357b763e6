import { isObject, parseExact } from '#shared/json/exact-json.ts'
import { causeOf, occurrenceMatcher } from '../occurrence-filter.ts'
import type {
  BucketCounts,
  Buckets,
  OccurrenceBatch,
  OccurrenceBounds,
  OccurrenceCounts,
  OccurrenceFilter,
  OccurrencePage,
  OccurrenceQuery,
  OccurrenceStorage,
  OccurrenceSummary,
  StoredOccurrence,
} from '../occurrence-storage.ts'
import { createBucketTally, createCauseTally } from '../occurrence-tally.ts'
import type { SearchBounds } from '../rows/search-budget.ts'
import type { Row } from './connect.ts'
import {
  bucketCountOf,
  bucketsStatement,
  causeCountOf,
  causesStatement,
  isIndexed,
} from './occurrence-counts.ts'
import type { Pool } from './pool.ts'
import { fromStored, toStored, toStoredOrNull } from './stored-text.ts'

/** Milliseconds between two deletions of old occurrences. */
const ageCheckEvery = 60 * 60 * 1000
/** Rows that are read at once for a search, and their bytes. */
const chunkRows = 512
const chunkBytes = 512 * 1024
/** The maximum that one page, or one count, reads. */
const usualBounds: SearchBounds = { rows: 200_000, text: 16 * 1024 * 1024, ms: 200 }
/** Up to this many pairs of a kind and a connection are read by their index; more by number, with all others. */
const mostPairs = 256

type OccurrencesOptions = {
  readonly pool: Pool
  /** For deletions, which may take long. */
  readonly slowPool: Pool
  readonly bounds: Readonly<Record<string, OccurrenceBounds>>
  /** Where the maximum is not the usual one. */
  readonly searchBounds?: Partial<SearchBounds> | undefined
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Receives why a read has found nothing. */
  readonly onProblem: (error: unknown) => void
}

/** Opens the history in a database. */
export async function openOccurrences(options: OccurrencesOptions): Promise<OccurrenceStorage> {
  const { pool, slowPool, bounds, clock, onProblem } = options
  const searchBounds = { ...usualBounds, ...options.searchBounds }
  let agesCheckedAt = Number.NEGATIVE_INFINITY

  async function pruneOld(now: number): Promise<void> {
    if (Math.abs(now - agesCheckedAt) < ageCheckEvery) return
    agesCheckedAt = now
    for (const [kind, { maxAgeMs }] of Object.entries(bounds))
      await slowPool.query('DELETE FROM occurrence WHERE kind = $1 AND at < $2', [kind, now - maxAgeMs])
  }

  /** The service runs without its history. */
  const read = <Result>(act: () => Promise<Result>, nothing: Result) =>
    act().catch(error => {
      onProblem(error)
      return nothing
    })

  /** Calls `visit` with the newest rows first, until it returns false. Returns whether all were visited. */
  async function visit(
    filter: OccurrenceFilter,
    details: string,
    chunk: number,
    visit: (row: StoredOccurrence) => boolean,
  ): Promise<boolean> {
    const { kinds, connectionIds, cause, subjects, failed, above = -1 } = filter
    const isOfFew = connectionIds !== null && kinds.length * connectionIds.length <= mostPairs
    const connections = connectionIds?.map(id => toStored(id ?? '')) ?? null
    for (let below = filter.below ?? Number.MAX_SAFE_INTEGER; ; ) {
      const values = [
        kinds,
        connections,
        above,
        below,
        chunk,
        toStoredOrNull(cause),
        subjects?.map(toStored) ?? null,
        details,
        chunkBytes,
        failed ?? null,
      ]
      const rows = await pool.query(isOfFew ? ofFew : ofMany, values)
      for (const row of rows) {
        below = Number(row.number)
        if (!visit(occurrenceOf(row, details))) return false
      }
      const last = rows.at(-1)
      if (last === undefined || (last.is_last === true && rows.length < chunk)) return true
    }
  }

  /** Counts what is read; returns whether it is more than one request may read. */
  function createBudget() {
    const until = performance.now() + searchBounds.ms
    let [rows, text] = [0, 0]
    return {
      isOver({ summary, details }: StoredOccurrence): boolean {
        rows++
        text += summary.length + details.length
        return (
          rows >= searchBounds.rows ||
          text >= searchBounds.text ||
          (rows % 64 === 0 && performance.now() >= until)
        )
      },
      count: () => rows,
    }
  }

  async function list(query: OccurrenceQuery): Promise<OccurrencePage> {
    const { above = -1, limit, details = 'all', text = '' } = query
    // A text is searched in all details.
    const wanted = text === '' ? details : 'all'
    const matches = occurrenceMatcher(query, bounds)
    const budget = createBudget()
    const found: StoredOccurrence[] = []
    let end: Pick<OccurrencePage, 'checkedAbove' | 'searched'> = { checkedAbove: above, searched: null }
    const isExact = text === '' && query.sources === undefined && query.causes === undefined
    await visit(query, wanted, isExact ? limit + 1 : chunkRows, row => {
      if (matches(row)) {
        if (found.length === limit) {
          end = { checkedAbove: (found.at(-1)?.number ?? 0) - 1, searched: null }
          return false
        }
        found.push(reduced(row, wanted, details))
      }
      if (!budget.isOver(row)) return true
      const searched = found.length < limit ? { count: budget.count(), isIndexing: false } : null
      end = { checkedAbove: row.number - 1, searched }
      return false
    })
    return { occurrences: found, ...end }
  }

  /** Visits the wanted records, newest first. Returns whether all were visited. */
  function visitWanted(filter: OccurrenceFilter, see: (record: StoredOccurrence) => void): Promise<boolean> {
    const matches = occurrenceMatcher(filter, bounds)
    const budget = createBudget()
    return visit(filter, filter.text ? 'all' : 'none', chunkRows, row => {
      if (budget.isOver(row)) return false
      if (matches(row)) see(row)
      return true
    })
  }

  async function count(filter: OccurrenceFilter): Promise<OccurrenceCounts> {
    if (isIndexed(filter)) {
      const { statement, values } = causesStatement(filter)
      return { counts: (await pool.query(statement, values)).map(causeCountOf), isComplete: true }
    }
    const tally = createCauseTally()
    const isComplete = await visitWanted(filter, row => tally.add(row))
    return { counts: tally.counts(), isComplete }
  }

  async function countBuckets(filter: OccurrenceFilter, buckets: Buckets): Promise<BucketCounts> {
    if (isIndexed(filter)) {
      const { statement, values } = bucketsStatement(filter, buckets)
      return { counts: (await pool.query(statement, values)).map(bucketCountOf), isComplete: true }
    }
    const tally = createBucketTally(buckets)
    const add = (row: StoredOccurrence) => tally.of(row.kind, causeOf(row) !== null)(row.number)
    const isComplete = await visitWanted(filter, add)
    return { counts: tally.counts(), isComplete }
  }

  async function write({ occurrences, findings, now }: OccurrenceBatch): Promise<void> {
    // The last of each number: one statement writes a row only once.
    const rows = [...new Map(occurrences.map(one => [one.number, one])).values()]
    const touched = new Map<string, readonly [kind: string, connection: string, most: number]>()
    for (const { kind, connectionId } of rows) {
      const most = bounds[kind]?.most
      if (most !== undefined)
        touched.set(`${kind} ${connectionId}`, [kind, toStored(connectionId ?? ''), most])
    }
    await pool.transaction(async connection => {
      if (rows.length > 0) await connection.query(put, columnsOf(rows))
      const found = findings.map(({ finding }) => codeOf(finding))
      if (findings.length > 0)
        await connection.query(find, [
          findings.map(({ number }) => number),
          findings.map(({ finding }) => toStored(finding)),
          found.map(toStoredOrNull),
        ])
      if (touched.size > 0) {
        const groups = [...touched.values()]
        await connection.query(
          prune,
          [0, 1, 2].map(column => groups.map(group => group[column])),
        )
      }
    })
    await pruneOld(now)
  }

  await read(() => pruneOld(clock()), undefined)
  return {
    write,
    list: query => read(() => list(query), { occurrences: [], checkedAbove: -1, searched: null }),
    count: filter => read(() => count(filter), { counts: [], isComplete: true }),
    countBuckets: (filter, buckets) =>
      read(() => countBuckets(filter, buckets), { counts: [], isComplete: true }),
    newestOfEach: ({ kind, connectionId, subjects }) =>
      read(async () => {
        const values = [kind, toStored(connectionId), subjects?.map(toStored) ?? null]
        return (await pool.query(newestOfEach, values)).map(summaryOf)
      }, []),
    get: (kind, number) =>
      read(async () => {
        const [row] = await pool.query(get, [number, kind])
        return row === undefined ? null : occurrenceOf(row, 'all')
      }, null),
    latest: limit => read(async () => (await pool.query(latest, [limit])).map(summaryOf).reverse(), []),
    async forget(connectionIds) {
      await slowPool.query('DELETE FROM occurrence WHERE connection = ANY ($1::text[])', [
        connectionIds.map(toStored),
      ])
    },
    async keepOnly(connectionIds) {
      await slowPool.query(
        "DELETE FROM occurrence WHERE connection <> '' AND connection <> ALL ($1::text[])",
        [connectionIds.map(toStored)],
      )
    },
    close: async () => {},
  }
}

function columnsOf(rows: readonly StoredOccurrence[]): unknown[] {
  return [
    rows.map(({ number }) => number),
    rows.map(({ kind }) => kind),
    rows.map(({ connectionId }) => toStored(connectionId ?? '')),
    rows.map(({ subject }) => toStored(subject)),
    rows.map(({ at }) => at),
    rows.map(row => toStoredOrNull(causeOf(row))),
    rows.map(({ finding }) => toStoredOrNull(finding)),
    rows.map(({ summary }) => toStored(summary)),
    rows.map(({ details }) => toStored(details)),
  ]
}

/** Returns the code of a finding; null without one. */
function codeOf(finding: string): string | null {
  return causeOf({ ...nothing, finding, summary: '{}' })
}

const nothing = { number: 0, kind: '', connectionId: null, subject: '', at: 0 }

function occurrenceOf(row: Row, details: string): StoredOccurrence {
  const read = String(row.details)
  const stored = fromStored(read)
  // The server cannot look into a text with escapes.
  const isWhole = details === 'arguments' && read !== stored
  return { ...summaryOf(row), details: isWhole ? argumentsOf(stored) : stored }
}

/** Returns a record whose details were read as `read` with those that are `wanted`. */
function reduced(record: StoredOccurrence, read: string, wanted: string): StoredOccurrence {
  if (read === wanted) return record
  return { ...record, details: wanted === 'arguments' ? argumentsOf(record.details) : '{}' }
}

function argumentsOf(details: string): string {
  const parsed: unknown = parseExact(details)
  return JSON.stringify((isObject(parsed) && parsed.arguments) || {})
}

function summaryOf(row: Row): OccurrenceSummary {
  return {
    number: Number(row.number),
    kind: String(row.kind),
    connectionId: fromStored(String(row.connection)) || null,
    subject: fromStored(String(row.subject)),
    at: Number(row.at),
    summary: fromStored(String(row.summary)),
    finding: row.finding === null ? null : fromStored(String(row.finding)),
  }
}

const put = {
  name: 'put_occurrences',
  text: `INSERT INTO occurrence (number, kind, connection, subject, at, cause, finding, summary, details)
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[],
      $9::text[])
    ON CONFLICT (number) DO UPDATE SET kind = excluded.kind, connection = excluded.connection, subject = excluded.subject,
      at = excluded.at, cause = excluded.cause, finding = excluded.finding, summary = excluded.summary,
      details = excluded.details`,
}
const find = {
  name: 'put_findings',
  text: `UPDATE occurrence SET finding = u.finding, cause = coalesce(u.cause, occurrence.cause)
    FROM unnest($1::bigint[], $2::text[], $3::text[]) AS u(number, finding, cause) WHERE occurrence.number = u.number`,
}
const prune = {
  name: 'prune_occurrences',
  text: `DELETE FROM occurrence USING unnest($1::text[], $2::text[], $3::bigint[]) AS u(kind, connection, most)
    WHERE occurrence.kind = u.kind AND occurrence.connection = u.connection AND number <= (
      SELECT o.number FROM occurrence AS o WHERE o.kind = u.kind AND o.connection = u.connection
      ORDER BY o.number DESC LIMIT 1 OFFSET u.most)`,
}

/** $1 kinds, $2 connections, $3 above, $4 below, $5 rows, $6 a cause, $7 subjects, $10 with a cause or without. */
const matching = `number > $3 AND number < $4 AND ($6::text IS NULL OR cause = $6)
  AND ($7::text[] IS NULL OR subject = ANY ($7)) AND ($10::boolean IS NULL OR (cause IS NOT NULL) = $10)`
const details = `CASE WHEN $8 = 'all' OR starts_with(details, chr(1)) THEN details
    WHEN $8 = 'arguments' THEN coalesce((details::json -> 'arguments')::text, '{}') ELSE '{}' END AS details`
const limited = (rows: string) => `
  SELECT number, kind, connection, subject, at, finding, summary, details, upto = total AS is_last FROM (
    SELECT *, sum(size) OVER (ORDER BY number DESC) AS upto, sum(size) OVER () AS total FROM (
      SELECT number, kind, connection, subject, at, finding, summary, ${details},
        octet_length(summary) + CASE WHEN $8 = 'all' THEN octet_length(details) ELSE 0 END AS size
      FROM (${rows}) AS r) AS s) AS t
  WHERE upto - size < $9::bigint ORDER BY number DESC`
const ofFew = {
  name: 'occurrences_of_few',
  text: limited(`
    SELECT o.* FROM unnest($1::text[]) AS k(kind) CROSS JOIN unnest($2::text[]) AS c(connection) CROSS JOIN LATERAL (
      SELECT * FROM occurrence WHERE occurrence.kind = k.kind AND occurrence.connection = c.connection AND ${matching}
      ORDER BY number DESC LIMIT $5) AS o
    ORDER BY number DESC LIMIT $5`),
}
const ofMany = {
  name: 'occurrences_of_many',
  text: limited(`
    SELECT * FROM occurrence WHERE kind = ANY ($1::text[]) AND ($2::text[] IS NULL OR connection = ANY ($2)) AND ${matching}
    ORDER BY number DESC LIMIT $5`),
}
const newestOfEach = {
  name: 'newest_occurrences',
  text: `SELECT DISTINCT ON (subject) * FROM occurrence WHERE kind = $1 AND connection = $2
    AND ($3::text[] IS NULL OR subject = ANY ($3)) ORDER BY subject, number DESC`,
}
const get = { name: 'occurrence', text: 'SELECT * FROM occurrence WHERE number = $1 AND kind = $2' }
const latest = { name: 'latest_occurrences', text: 'SELECT * FROM occurrence ORDER BY number DESC LIMIT $1' }

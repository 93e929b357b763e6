import { eventIdOf, sequenceOfEventId } from '#main/lib/sequence.ts'
import { eventMatcherOf, isFiltered } from '../event-filter.ts'
import type { EventSummaryQuery, LoggedEvent } from '../event-log.ts'
import { normalizeForSearch } from '../normalize-for-search.ts'
import { fieldsOfFlags } from '../rows/event-rows.ts'
import { runIdOf } from '../rows/run-rows.ts'
import type { SearchBounds } from '../rows/search-budget.ts'
import type { Searched } from '../searched.ts'
import type { Row } from './connect.ts'
import type { Pool } from './pool.ts'
import { fromStored, toStored, toStoredOrNull } from './stored-text.ts'
import { lookUp, patternOf } from './text-index.ts'

/** A page ends early, but never empty, when its texts reach this many characters. */
const longestPage = 4 * 1024 * 1024
/** Bytes of the rows that are read at once, and of those whose text is searched: that delays all else. */
const chunkBytes = 4 * 1024 * 1024
const searchedBytes = 512 * 1024
/** Rows that are read at once if not all of them are shown. */
const chunkRows = 1000
/** Rows that are read first of those that the index may have. */
const firstRows = 100
/** The index is used for a text that fewer than one in so many of these have. */
const rareShare = 20
/** Up to this many connections are read by their own index. */
const fewConnections = 16

export type FoundEvents = {
  /** Newest first. */
  readonly events: LoggedEvent[]
  /** All with larger numbers are among them or do not match; null if there are no older ones. */
  readonly checkedAbove: number | null
  /** Null for a full page, and for the last one. */
  readonly searched: Searched | null
}

/** The columns of `x` are those of a visible event, and `size`; `one` is a connection of `c`. */
const visible = `SELECT e.*, c.key, octet_length(e.headers) + octet_length(e.body) AS size FROM`
/** $1 keys of connections, $2 above, $3 below, $4 rows. */
const ofFew = `${visible} (SELECT * FROM connection WHERE key = ANY ($1::text[])) AS c CROSS JOIN LATERAL (
    SELECT * FROM event WHERE connection = c.id AND seq > greatest($2::bigint, c.hidden_up_to) AND seq < $3
    ORDER BY seq DESC LIMIT $4) AS e ORDER BY e.seq DESC LIMIT $4`
const ofMany = `SELECT e.*, CASE WHEN e.seq > c.hidden_up_to AND ($1::text[] IS NULL OR c.key = ANY ($1)) THEN c.key END AS key,
    octet_length(e.headers) + octet_length(e.body) AS size
  FROM (SELECT * FROM event WHERE seq > $2 AND seq < $3 ORDER BY seq DESC LIMIT $4) AS e
  JOIN connection AS c ON c.id = e.connection`
/** $8 a pattern. The sum keeps the server from reading all rows in their order. */
const ofText = `SELECT e.*, CASE WHEN e.seq > c.hidden_up_to AND ($1::text[] IS NULL OR c.key = ANY ($1)) THEN c.key END AS key,
    octet_length(e.headers) + octet_length(e.body) AS size
  FROM (SELECT seq FROM event_text WHERE text LIKE $8 AND seq + 0 > $2 AND seq + 0 < $3 ORDER BY seq + 0 DESC LIMIT $4) AS t
  JOIN event AS e USING (seq) JOIN connection AS c ON c.id = e.connection`

/**
 * Reads rows up to a size. One row says how many were found, how many of them were looked at, and the last; each of the
 * others is one of these that matches.
 */
const chunk = (rows: string) => `
  WITH x AS MATERIALIZED (${rows}),
    y AS MATERIALIZED (SELECT * FROM (SELECT x.*, sum(size) OVER (ORDER BY seq DESC) AS upto FROM x) AS z
      WHERE upto - size < $7::bigint)
  SELECT s.*, y.* FROM (SELECT (SELECT count(*) FROM x) AS found, count(*) AS looked, count(key) AS own,
      (SELECT indexed_up_to FROM event_log) AS indexed, sum(size)::bigint AS text,
      min(seq) AS last FROM y) AS s
  LEFT JOIN y ON key IS NOT NULL AND ($5::text IS NULL OR name = $5)
    AND ($6::boolean IS NULL OR (replay_of IS NOT NULL) = $6)
  ORDER BY y.seq DESC`
const chunkOfFew = { name: 'events_of_few', text: chunk(ofFew) }
const chunkOfMany = { name: 'events_of_many', text: chunk(ofMany) }
const chunkOfText = { name: 'events_of_text', text: chunk(ofText) }

/** Returns one page. It reads the newest events first, and checks each that may match; the index finds a rare text. */
export async function findEvents(
  pool: Pool,
  bounds: SearchBounds,
  given: EventSummaryQuery,
): Promise<FoundEvents> {
  const { connectionIds, eventName, replays, above, limit } = given
  const text = normalizeForSearch(given.text ?? '')
  const request = { ...given, text: text || undefined }
  const isBounded = isFiltered(request)
  const matches = eventMatcherOf(request)
  const isOfFew = connectionIds !== null && connectionIds.length <= fewConnections
  const events: LoggedEvent[] = []
  let length = 0
  const until = performance.now() + bounds.ms
  let [left, textLeft, checked] = [bounds.rows, bounds.text, 0]
  let indexed: number | null = null
  let pattern = patternOf(text)
  for (let { below } = given; ; ) {
    const most = pattern !== null && indexed === null ? firstRows : chunkRows
    const rows = isBounded ? Math.min(most, left) : limit + 1 - events.length
    const values = [connectionIds?.map(toStored) ?? null, above, below, rows]
    const filter = [toStoredOrNull(eventName), replays ?? null]
    const bytes = text === '' ? chunkBytes : searchedBytes
    const all = [...values, ...filter, bytes]
    const isIndexed = indexed !== null && below <= indexed + 1
    const isLookUp = pattern !== null && isIndexed && events.length * rareShare <= checked
    const candidates = isLookUp ? await lookUp(pool, chunkOfText, [...all, pattern]) : null
    if (isLookUp && candidates === null) pattern = null
    const read = candidates ?? (await pool.query(isOfFew ? chunkOfFew : chunkOfMany, all))
    const { found, looked, own, text: size, last, indexed: upTo } = read[0] as Chunk
    indexed = upTo
    if (last === null) return { events, checkedAbove: null, searched: null }
    for (const row of read) {
      if (row.seq === null) continue
      const event = eventOf(row)
      const { eventName: name, replayOf, bodyText: body } = event
      if (!matches({ name, isReplay: replayOf !== null, body })) continue
      length += event.bodyText.length + event.headerLines.length
      if (events.length === limit || (events.length > 0 && length > longestPage))
        return { events, checkedAbove: numberOf(events) - 1, searched: null }
      events.push(event)
    }
    const isLast = looked === found && found < rows
    if (isLast) return { events, checkedAbove: null, searched: null }
    left -= looked
    textLeft -= text === '' ? 0 : size
    checked += own
    if (isBounded && (left <= 0 || textLeft <= 0 || performance.now() >= until)) {
      const searched = events.length === limit ? null : { count: checked, isIndexing: false }
      return { events, checkedAbove: last - 1, searched }
    }
    below = last
  }
}

const numberOf = (events: readonly LoggedEvent[]) => sequenceOfEventId(events.at(-1)?.eventId ?? '') ?? 0

/** Returns an event of a row with the key of its connection. */
export function eventOf(row: Row): LoggedEvent {
  const {
    seq,
    key,
    name,
    body,
    received_at: receivedAt,
    flags,
    headers,
    replay_of: replayOf,
  } = row as EventRow
  return {
    eventId: eventIdOf(seq),
    connectionId: fromStored(key),
    eventName: fromStored(name),
    bodyText: fromStored(body),
    receivedAt,
    ...fieldsOfFlags(flags, fromStored(headers)),
    replayOf,
    ...(row.duplicate_of !== null && { duplicateOf: runIdOf(Number(row.duplicate_of)) }),
  }
}

type Chunk = {
  found: number
  indexed: number
  looked: number
  own: number
  text: number
  last: number | null
}

type EventRow = {
  seq: number
  key: string
  name: string
  body: string
  received_at: number
  flags: number
  headers: string
  replay_of: string | null
}

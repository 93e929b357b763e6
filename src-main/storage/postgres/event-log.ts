import { eventIdOf, sequenceOfEventId } from '#main/lib/sequence.ts'
import { createTimeSlices } from '#main/lib/time-slices.ts'
import type { Retention } from '#shared/model/connection.ts'
import type { DeduplicationKey } from '../deduplication-key.ts'
import type {
  EventLog,
  EventLogPage,
  EventLogQuery,
  EventRange,
  EventSummary,
  EventSummaryPage,
  EventSummaryQuery,
  LoggedEvent,
} from '../event-log.ts'
import { summaryOf } from '../excerpt.ts'
import { pageStart } from '../rows/page-query.ts'
import type { SearchBounds } from '../rows/search-budget.ts'
import type { NewRuns, Started } from '../runs.ts'
import { eventOf, findEvents } from './event-reader.ts'
import type { Pool } from './pool.ts'
import type { EventRetention } from './retention.ts'
import { toStored } from './stored-text.ts'

/** The parts that the log of events shares with the runs. */
type EventLogParts = {
  readonly pool: Pool
  readonly slowPool: Pool
  readonly retention: EventRetention
  readonly searchBounds: SearchBounds
  append(event: LoggedEvent, runs: NewRuns, key?: DeduplicationKey): Promise<Started | null>
  appendAll: EventLog['appendAll']
  /** Waits until all events that were appended are stored. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** Events in PostgreSQL. Those that other nodes append are read from it like its own. */
export class PostgresEventLog implements EventLog {
  readonly #parts
  readonly #slices = createTimeSlices({ sliceMs: 2, isBusy: () => false })

  constructor(parts: EventLogParts) {
    this.#parts = parts
  }

  append(event: LoggedEvent, runs: NewRuns = [], key?: DeduplicationKey): Promise<Started | null> {
    return this.#parts.append(event, runs, key)
  }

  appendAll: EventLog['appendAll'] = (...all) => this.#parts.appendAll(...all)

  async list(connectionId: string, query: EventLogQuery): Promise<EventLogPage> {
    const below = pageStart(query, sequenceOfEventId)
    const page = { ...query, connectionIds: [connectionId], above: -1, below }
    const { events, checkedAbove, searched } = await this.#find(page)
    const nextBefore = checkedAbove === null ? null : eventIdOf(checkedAbove + 1)
    return { events, nextBefore, ...(searched !== null && { searched }) }
  }

  #find(query: EventSummaryQuery) {
    return findEvents(this.#parts.pool, this.#parts.searchBounds, query)
  }

  async summaries(query: EventSummaryQuery): Promise<EventSummaryPage> {
    const { events, checkedAbove, searched } = await this.#find(query)
    const summaries: EventSummary[] = []
    for (const event of events) summaries.push(await this.#slices.run(() => summaryOf(event, query.text)))
    return {
      events: summaries,
      checkedAbove: checkedAbove ?? query.above,
      damaged: 0,
      searched,
    }
  }

  async get(connectionId: string, eventId: string): Promise<LoggedEvent | null> {
    const seq = sequenceOfEventId(eventId)
    if (seq === null) return null
    const [row] = await this.#parts.pool.query(one, [seq, toStored(connectionId)])
    return row === undefined ? null : eventOf(row)
  }

  async remove(connectionId: string, eventId: string): Promise<boolean> {
    const seq = sequenceOfEventId(eventId)
    if (seq === null) return false
    const removed = await this.#parts.pool.query(remove, [seq, toStored(connectionId)])
    return removed.length > 0
  }

  async clear(connectionId: string): Promise<number> {
    await this.#parts.flush()
    const [row] = await this.#parts.slowPool.query(hide, [toStored(connectionId)])
    this.#parts.retention.hidden(connectionId)
    return Number(row?.events ?? 0)
  }

  async countBetween({ connectionIds, above, below }: EventRange): Promise<number> {
    const keys = connectionIds?.map(toStored) ?? null
    const [row] = await this.#parts.pool.query(countBetween, [keys, above, below])
    return Number(row?.events)
  }

  async countParts({ connectionIds, above, below }: EventRange, width: number): Promise<number[]> {
    const keys = connectionIds?.map(toStored) ?? null
    const counts = new Array<number>(Math.ceil((below - above - 1) / width)).fill(0)
    for (const row of await this.#parts.pool.query(countParts, [keys, above, below, width]))
      counts[Number(row.part)] = Number(row.events)
    return counts
  }

  setRetention(connectionId: string, retention: Retention): void {
    this.#parts.retention.set(connectionId, retention)
  }

  async isWritable(): Promise<boolean> {
    return this.#parts.pool.query('UPDATE event_log SET probes = probes + 1').then(
      () => true,
      () => false,
    )
  }

  close(): Promise<void> {
    return this.#parts.close()
  }
}

const one = {
  name: 'event',
  text: `SELECT event.*, key FROM event JOIN connection ON id = connection
    WHERE seq = $1 AND key = $2 AND seq > hidden_up_to`,
}

/** The newest number must outlive its event, or a restart could assign it again. */
const remove = {
  name: 'remove_event',
  text: `WITH d AS (DELETE FROM event USING connection
      WHERE seq = $1 AND id = connection AND key = $2 AND seq > hidden_up_to RETURNING seq),
    k AS (UPDATE event_log SET newest_seq = greatest(newest_seq, $1) WHERE EXISTS (SELECT FROM d))
    SELECT seq FROM d`,
}

const hide = {
  name: 'hide_events',
  text: `WITH c AS (SELECT id, hidden_up_to FROM connection WHERE key = $1 FOR UPDATE),
    n AS (SELECT count(*) AS events, max(seq) AS seq FROM c JOIN event ON connection = c.id AND seq > c.hidden_up_to),
    h AS (UPDATE connection SET hidden_up_to = n.seq FROM n WHERE key = $1 AND n.seq > hidden_up_to)
    SELECT events FROM n`,
}

const countBetween = {
  name: 'count_events',
  text: `SELECT coalesce(sum(n.events), 0)::bigint AS events FROM connection AS c CROSS JOIN LATERAL (
      SELECT count(*) AS events FROM event
      WHERE connection = c.id AND seq > greatest($2::bigint, c.hidden_up_to) AND seq < $3) AS n
    WHERE $1::text[] IS NULL OR c.key = ANY ($1)`,
}

const countParts = {
  name: 'count_event_parts',
  text: `SELECT (seq - $2::bigint - 1) / $4::bigint AS part, count(*) AS events FROM connection AS c CROSS JOIN LATERAL (
      SELECT seq FROM event WHERE connection = c.id AND seq > greatest($2::bigint, c.hidden_up_to) AND seq < $3) AS e
    WHERE $1::text[] IS NULL OR c.key = ANY ($1) GROUP BY 1`,
}

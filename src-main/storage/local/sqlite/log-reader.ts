import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { eventIdOf, sequenceOfEventId } from '#main/lib/sequence.ts'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import { fieldsOfFlags } from './batch.ts'
import { DamagedLogError, isDamageOfLog, reading } from './damaged-log.ts'
import { fromStored, integer, toStored } from './stored-text.ts'

/** A connection as rows refer to it. */
export type Scope = {
  readonly connection: number
  readonly connectionId: string
  readonly hiddenUpTo: number
}

/** What a search looks at to tell whether a row is wanted. */
export type Candidate = { readonly seq: number; readonly name: string; readonly body: string }

/** A row that is in its connection's list, but whose page or content is damaged. */
export type DamagedRow = { readonly seq: number; readonly isDamaged: true }

export type IndexableRow = Candidate & { readonly connection: number; readonly hidden: boolean }

type Row = Record<string, SQLOutputValue>

/** The latest time that a date can hold, in milliseconds since 1970. */
const latestTime = 8.64e15

/**
 * The reads that the log's own indexes answer. Rows that cannot be read, or that are not where the file says, are
 * told from those that do not exist; all other damage is thrown as a DamagedLogError.
 */
export class LogReader {
  readonly #scope
  readonly #newest
  readonly #page
  readonly #candidates
  readonly #one
  readonly #listed
  readonly #seqs
  readonly #seqsWithoutIndex
  readonly #above
  readonly #has
  readonly #nth
  readonly #identity

  constructor(database: DatabaseSync) {
    this.#scope = database.prepare('SELECT id, hidden_up_to FROM connections WHERE key = ?')
    this.#newest = database.prepare(
      'SELECT max(newest_seq, coalesce((SELECT max(seq) FROM events), -1)) AS seq FROM log',
    )
    this.#page = database.prepare(
      'SELECT * FROM events WHERE connection = ? AND seq > ? AND seq < ? ORDER BY seq DESC LIMIT ?',
    )
    this.#candidates = database.prepare(
      'SELECT seq, name, body FROM events WHERE connection = ? AND seq > ? AND seq < ? ORDER BY seq DESC LIMIT ?',
    )
    this.#one = database.prepare('SELECT * FROM events WHERE seq = ? AND connection = ?')
    this.#listed = database.prepare(
      'SELECT 1 FROM events INDEXED BY events_by_connection WHERE connection = ? AND seq = ?',
    )
    // From the index alone, and from the table alone: one of them may be damaged.
    const seqsFrom = (source: string) =>
      database.prepare(
        `SELECT seq FROM events ${source} WHERE connection = ? AND seq > ? AND seq < ? ORDER BY seq DESC`,
      )
    this.#seqs = seqsFrom('INDEXED BY events_by_connection')
    this.#seqsWithoutIndex = seqsFrom('NOT INDEXED')
    this.#above = database.prepare(`
      SELECT seq, connection, name, body, seq <= hidden_up_to AS hidden
      FROM (SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?) JOIN connections ON id = connection
      ORDER BY seq`)
    this.#nth = database.prepare(
      'SELECT 1 FROM events WHERE connection = ? AND seq > ? AND seq < ? ORDER BY seq DESC LIMIT 1 OFFSET ?',
    )
    this.#has = database.prepare('SELECT 1 FROM events WHERE seq = ?')
    this.#identity = database.prepare('SELECT identity FROM log')
  }

  /** Random, and the log's own for as long as it exists. */
  identity(): string {
    return reading(() => fromStored(this.#identity.get()?.identity))
  }

  /** @returns null when the connection has never had an event. */
  scope(connectionId: string): Scope | null {
    return reading(() => {
      const row = this.#scope.get(toStored(connectionId))
      if (!row) return null
      return { connection: integer(row.id), connectionId, hiddenUpTo: integer(row.hidden_up_to) }
    })
  }

  /** The newest seq ever stored; -1 in a new log. */
  newestSeq(): number {
    return reading(() => integer(this.#newest.get()?.seq))
  }

  /** @returns null when there is no such event; `damaged` when there is, but it cannot be read. */
  get(scope: Scope, seq: number): LoggedEvent | 'damaged' | null {
    if (seq <= scope.hiddenUpTo) return null
    try {
      const row = this.#one.get(seq, scope.connection)
      if (row) return eventOf(row, scope, seq + 1)
      return this.#listed.get(scope.connection, seq) === undefined ? null : 'damaged'
    } catch (error) {
      if (isDamageOfLog(error)) return 'damaged'
      throw error
    }
  }

  /** Newest first, lazily; at most `limit`, unless some of them are damaged. */
  *newestFirst(scope: Scope, before: number, limit: number): Generator<LoggedEvent | DamagedRow> {
    let below = before
    try {
      for (const row of this.#page.iterate(scope.connection, scope.hiddenUpTo, before, limit)) {
        const event = eventOf(row, scope, below)
        below = integer(row.seq)
        yield event
      }
      return
    } catch (error) {
      if (!isDamageOfLog(error)) throw error
    }
    for (const seq of this.#seqsBelow(scope, scope.hiddenUpTo, below)) {
      const event = this.get(scope, seq)
      if (event !== null) yield event === 'damaged' ? { seq, isDamaged: true } : event
    }
  }

  /** Whether there are at most `most` events below `before`. */
  hasFew(scope: Scope, before: number, most: number): boolean {
    return reading(() => this.#nth.get(scope.connection, scope.hiddenUpTo, before, most) === undefined)
  }

  /** Newest first, those above `above` and below `before`. */
  candidates(scope: Scope, above: number, before: number, limit: number): (Candidate | DamagedRow)[] {
    const floor = Math.max(above, scope.hiddenUpTo)
    try {
      const rows = this.#candidates.all(scope.connection, floor, before, limit).map(candidateOf)
      let below = before
      for (const { seq } of rows) {
        if (seq <= floor || seq >= below) throw new DamagedLogError('A row is out of order.')
        below = seq
      }
      return rows
    } catch (error) {
      if (!isDamageOfLog(error)) throw error
    }
    const rows: (Candidate | DamagedRow)[] = []
    for (const seq of this.#seqsBelow(scope, floor, before)) {
      const event = this.get(scope, seq)
      if (event === null) continue
      rows.push(
        event === 'damaged' ? { seq, isDamaged: true } : { seq, name: event.eventName, body: event.bodyText },
      )
      if (rows.length === limit) break
    }
    return rows
  }

  /**
   * Rows of all connections, oldest first, those that are hidden marked. Rows that are not found by their own seq
   * are left out, as is all that follows a place that cannot be read.
   */
  *rowsAbove(seq: number, limit: number): Generator<IndexableRow> {
    try {
      for (const row of this.#above.iterate(seq, limit)) {
        if (!this.has(integer(row.seq))) continue
        yield { connection: integer(row.connection), hidden: row.hidden === 1, ...candidateOf(row) }
      }
    } catch (error) {
      if (!isDamageOfLog(error)) throw error
    }
  }

  /** Whether a row is found by its seq. */
  has(seq: number): boolean {
    try {
      return this.#has.get(seq) !== undefined
    } catch (error) {
      if (isDamageOfLog(error)) return false
      throw error
    }
  }

  /** The rows of a connection above `above`, newest first, from whichever of index and table can be read. */
  *#seqsBelow({ connection }: Scope, above: number, before: number): Generator<number> {
    let below = before
    for (const statement of [this.#seqs, this.#seqsWithoutIndex]) {
      try {
        for (const row of statement.iterate(connection, above, below)) {
          const seq = integer(row.seq)
          if (seq <= above || seq >= below) continue
          below = seq
          yield seq
        }
        return
      } catch (error) {
        if (!isDamageOfLog(error)) throw error
      }
    }
  }
}

function candidateOf(row: Row): Candidate {
  return { seq: integer(row.seq), name: fromStored(row.name), body: fromStored(row.body) }
}

/** @throws DamagedLogError for a row of another connection, for one that is not below `below`, or for nonsense in it. */
function eventOf(row: Row, { connection, connectionId, hiddenUpTo }: Scope, below: number): LoggedEvent {
  const seq = integer(row.seq)
  const receivedAt = integer(row.received_at)
  const replayOf = row.replay_of === null ? null : fromStored(row.replay_of)
  if (row.connection !== connection || seq <= hiddenUpTo || seq >= below)
    throw new DamagedLogError('A row is not where the index says.')
  if (Math.abs(receivedAt) > latestTime || (replayOf !== null && sequenceOfEventId(replayOf) === null))
    throw new DamagedLogError('A row holds what no event has.')
  return {
    eventId: eventIdOf(seq),
    connectionId,
    eventName: fromStored(row.name),
    bodyText: fromStored(row.body),
    headerLines: fromStored(row.headers),
    receivedAt,
    ...fieldsOfFlags(integer(row.repeat)),
    replayOf,
  }
}

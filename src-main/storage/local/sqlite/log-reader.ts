import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
import { eventIdOf, sequenceOfEventId } from '#main/lib/sequence.ts'
import type { LoggedEvent } from '#main/storage/event-log.ts'
import { maxDateMs } from '#shared/durations.ts'
import type { CheckedEvent } from '../../event-filter.ts'
import { fieldsOfFlags } from '../../rows/event-rows.ts'
import { runIdOf } from '../../rows/run-rows.ts'
import { fromStored, integer, toStored } from '../../rows/stored-text.ts'
import { DamagedLogError, reading } from './damaged-log.ts'
import { isDamage } from './own-database.ts'

/** A connection, as the rows refer to it. */
export type Scope = {
  readonly connection: number
  readonly connectionId: string
  readonly hiddenUpTo: number
}

/** The part of a row that a search checks. */
export type Candidate = CheckedEvent & { readonly seq: number }

/** The rows of one connection, or of several, that a search reads. */
export type Rows = {
  /** No row at or below this seq is shown. */
  readonly hiddenUpTo: number
  /**
   * Calls `visit` with the rows above `above` and below `before`, newest first, until it returns false. Returns whether
   * there are none left. @param withBody whether it needs the body, which is empty otherwise.
   */
  visit(above: number, before: number, withBody: boolean, visit: Visit): boolean
  /** Returns null if there is no such event among them, `damaged` if it cannot be read. */
  get(seq: number): LoggedEvent | 'damaged' | null
}

/** A row that the index has, but whose page or content is damaged. */
type DamagedRow = { readonly seq: number; readonly isDamaged: true }
/** A row of another connection. */
type OtherRow = { readonly seq: number; readonly isOther: true }
export type Visit = (row: Candidate | DamagedRow | OtherRow) => boolean

type IndexableRow = Candidate & { readonly connection: number; readonly hidden: boolean }

type Row = Record<string, SQLOutputValue>

/** Selects the newest seq that was ever stored; -1 in a new log. */
export const newestSeq = 'SELECT max(newest_seq, coalesce((SELECT max(seq) FROM events), -1)) AS seq FROM log'

/** Up to this many connections are looked up one by one. */
const fewScopes = 16

/** Counting a part by the index takes as long as reading so many rows of it. */
const rowsPerPart = 50

/**
 * Reads with the log's own indexes. Distinguishes rows that are unreadable or misplaced from rows that do not exist;
 * throws a DamagedLogError for all other damage.
 */
export class LogReader {
  readonly #statements
  /** Visits a row of the statement that runs. Returns whether the statement ends there. */
  #endsAt: (row: Row) => boolean = () => true

  constructor(database: DatabaseSync) {
    // SQLite calls this for each row, which takes half the time of reading the rows one by one.
    const endsAt = (
      seq: SQLOutputValue,
      connection: SQLOutputValue,
      name: SQLOutputValue,
      is_replay: SQLOutputValue,
      body: SQLOutputValue,
    ) => (this.#endsAt({ seq, connection, name, is_replay, body }) ? 1 : 0)
    database.function('ends_at', { directOnly: true }, endsAt)
    this.#statements = prepare(database)
  }

  /** Returns the random identity of this log, which never changes. */
  identity(): string {
    return reading(() => fromStored(this.#statements.identity.get()?.identity))
  }

  /** Returns null if the connection never had an event. */
  scope(connectionId: string): Scope | null {
    return reading(() => {
      const row = this.#statements.scope.get(toStored(connectionId))
      return row ? scopeOf(row) : null
    })
  }

  /** Returns those of these connections that ever had an event; null stands for all. */
  scopes(connectionIds: readonly string[] | null): Scope[] {
    if (connectionIds !== null && connectionIds.length <= fewScopes)
      return connectionIds.flatMap(connectionId => this.scope(connectionId) ?? [])
    const wanted = connectionIds && new Set(connectionIds)
    return reading(() => this.#statements.scopes.all().map(scopeOf)).filter(
      ({ connectionId }) => wanted === null || wanted.has(connectionId),
    )
  }

  /** Returns the rows of a connection. */
  rowsOf(scope: Scope): Rows {
    return {
      hiddenUpTo: scope.hiddenUpTo,
      visit: (above, before, withBody, visit) => this.#visit([scope], above, before, withBody, visit),
      get: seq => this.get(scope, seq),
    }
  }

  /** Returns the rows of several connections, in the order of their seqs. */
  rowsOfAll(scopes: readonly Scope[]): Rows {
    const byNumber = new Map(scopes.map(scope => [scope.connection, scope]))
    const hiddenUpTo = Math.min(...scopes.map(scope => scope.hiddenUpTo))
    const get = (seq: number) => {
      const row = reading(() => this.#statements.connectionOf.get(seq))
      const scope = row && byNumber.get(integer(row.connection))
      return scope === undefined ? null : this.get(scope, seq)
    }
    return {
      hiddenUpTo,
      get,
      visit: (above, before, withBody, visit) => this.#visit(scopes, above, before, withBody, visit),
    }
  }

  #visit(scopes: readonly Scope[], above: number, before: number, withBody: boolean, visit: Visit): boolean {
    const floor = Math.max(above, Math.min(...scopes.map(scope => scope.hiddenUpTo)))
    const wanted = new Set(scopes.map(scope => scope.connection))
    const { visitOne, visitAll } = this.#statements
    const [only] = scopes
    let below = before
    let isOver = false
    const endsAt = (row: Row) => {
      const seq = integer(row.seq)
      const isOther = !wanted.has(integer(row.connection))
      if (seq <= floor || seq >= below) throw new DamagedLogError('A row is out of order.')
      const goesOn = visit(isOther ? { seq, isOther } : candidateOf(row))
      below = seq
      isOver = !goesOn
      return isOver
    }
    try {
      const range = { floor, below, with_body: withBody ? 1 : 0 }
      this.#endsAt = endsAt
      if (scopes.length === 1 && only !== undefined) visitOne.get({ ...range, connection: only.connection })
      else visitAll.get(range)
      return !isOver
    } catch (error) {
      if (!isDamage(error)) throw error
    }
    // Row by row, around the damage.
    for (const row of this.#readable(scopes, floor, below)) if (!visit(row)) return false
    return true
  }

  /** Yields the rows of connections from their indexes, newest first, and those that are unreadable. */
  *#readable(scopes: readonly Scope[], floor: number, before: number): Generator<Candidate | DamagedRow> {
    for (let below = before; ; ) {
      const rows = scopes
        .flatMap(scope => this.#readableOf(scope, floor, below))
        .sort((one, other) => other.seq - one.seq)
        .slice(0, readableAtOnce)
      yield* rows
      const last = rows.at(-1)
      if (last === undefined) return
      below = last.seq
    }
  }

  #readableOf(scope: Scope, floor: number, below: number): (Candidate | DamagedRow)[] {
    const rows: (Candidate | DamagedRow)[] = []
    for (const seq of this.#seqsBelow(scope, Math.max(floor, scope.hiddenUpTo), below)) {
      const event = this.get(scope, seq)
      if (event === null) continue
      rows.push(event === 'damaged' ? { seq, isDamaged: true } : candidateOfEvent(seq, event))
      if (rows.length === readableAtOnce) break
    }
    return rows
  }

  /** Returns the newest seq that was ever stored; -1 in a new log. */
  newestSeq(): number {
    return reading(() => integer(this.#statements.newest.get()?.seq))
  }

  /** Returns null if there is no such event, `damaged` if it cannot be read. */
  get(scope: Scope, seq: number): LoggedEvent | 'damaged' | null {
    if (seq <= scope.hiddenUpTo) return null
    try {
      const row = this.#statements.one.get(seq, scope.connection)
      if (row) return eventOf(row, scope, seq + 1)
      return this.#statements.listed.get(scope.connection, seq) === undefined ? null : 'damaged'
    } catch (error) {
      if (isDamage(error)) return 'damaged'
      throw error
    }
  }

  /** Yields events above `above`, newest first. At most `limit`, unless some are damaged. */
  *newestFirst(
    scope: Scope,
    above: number,
    before: number,
    limit: number,
  ): Generator<LoggedEvent | DamagedRow> {
    const floor = Math.max(above, scope.hiddenUpTo)
    let below = before
    try {
      for (const row of this.#statements.page.iterate(scope.connection, floor, before, limit)) {
        const event = eventOf(row, scope, below)
        below = integer(row.seq)
        yield event
      }
      return
    } catch (error) {
      if (!isDamage(error)) throw error
    }
    for (const seq of this.#seqsBelow(scope, floor, below)) {
      const event = this.get(scope, seq)
      if (event !== null) yield event === 'damaged' ? { seq, isDamaged: true } : event
    }
  }

  /** Returns how many events have seqs between two, exclusive. */
  countBetween({ connection, hiddenUpTo }: Scope, above: number, below: number): number {
    return reading(() =>
      integer(this.#statements.count.get(connection, Math.max(above, hiddenUpTo), below)?.events),
    )
  }

  /** Adds how many events each part of a range has. */
  countParts(scope: Scope, above: number, below: number, width: number, counts: number[]): void {
    const { connection, hiddenUpTo } = scope
    const all = this.countBetween(scope, above, below)
    const add = (part: number, count: number) => {
      counts[part] = (counts[part] ?? 0) + count
    }
    if (all > rowsPerPart * counts.length)
      for (const part of counts.keys()) {
        const start = above + part * width
        add(part, this.countBetween(scope, start, Math.min(below, start + width + 1)))
      }
    else if (all > 0)
      for (const row of reading(() =>
        this.#statements.seqsBetween.all(connection, Math.max(above, hiddenUpTo), below),
      ))
        add(Math.floor((integer(row[0]) - above - 1) / width), 1)
  }

  /** Returns whether there are at most `most` events below `before`. */
  hasFew(scope: Scope, before: number, most: number): boolean {
    return reading(
      () => this.#statements.nth.get(scope.connection, scope.hiddenUpTo, before, most) === undefined,
    )
  }

  /**
   * Yields rows of all connections, oldest first, with hidden rows marked. Skips rows that are not found by their own
   * seq, and ends at the first unreadable one.
   */
  *rowsAbove(seq: number, limit: number): Generator<IndexableRow> {
    try {
      for (const row of this.#statements.above.iterate(seq, limit)) {
        if (!this.has(integer(row.seq))) continue
        yield { connection: integer(row.connection), hidden: row.hidden === 1, ...candidateOf(row) }
      }
    } catch (error) {
      if (!isDamage(error)) throw error
    }
  }

  /** Returns whether a row is found by its seq. */
  has(seq: number): boolean {
    try {
      return this.#statements.has.get(seq) !== undefined
    } catch (error) {
      if (isDamage(error)) return false
      throw error
    }
  }

  /** Yields the rows of a connection above `above`, newest first, from the index or the table, whichever is readable. */
  *#seqsBelow({ connection }: Scope, above: number, before: number): Generator<number> {
    let below = before
    for (const statement of [this.#statements.seqs, this.#statements.seqsWithoutIndex]) {
      try {
        for (const row of statement.iterate(connection, above, below)) {
          const seq = integer(row.seq)
          if (seq <= above || seq >= below) continue
          below = seq
          yield seq
        }
        return
      } catch (error) {
        if (!isDamage(error)) throw error
      }
    }
  }
}

function prepare(database: DatabaseSync) {
  // From the index alone and from the table alone, because one of them may be damaged.
  const seqsFrom = (source: string) =>
    database.prepare(
      `SELECT seq FROM events ${source} WHERE connection = ? AND seq > ? AND seq < ? ORDER BY seq DESC`,
    )
  const rowsBelow = (columns: string, limit = '?') =>
    database.prepare(
      `SELECT ${columns} FROM events WHERE connection = ? AND seq > ? AND seq < ? ORDER BY seq DESC LIMIT ${limit}`,
    )
  const visiting = (which: string) =>
    database.prepare(`
      SELECT 1 FROM events WHERE ${which} seq > $floor AND seq < $below
        AND ends_at(seq, connection, name, replay_of IS NOT NULL, iif($with_body, body, ''))
      ORDER BY seq DESC LIMIT 1`)
  return {
    scope: database.prepare('SELECT id, key, hidden_up_to FROM connections WHERE key = ?'),
    scopes: database.prepare('SELECT id, key, hidden_up_to FROM connections'),
    connectionOf: database.prepare('SELECT connection FROM events WHERE seq = ?'),
    visitOne: visiting('connection = $connection AND'),
    visitAll: visiting(''),
    newest: database.prepare(newestSeq),
    page: rowsBelow('*'),
    count: database.prepare(
      'SELECT count(*) AS events FROM events WHERE connection = ? AND seq > ? AND seq < ?',
    ),
    seqsBetween: asArrays(
      database.prepare('SELECT seq FROM events WHERE connection = ? AND seq > ? AND seq < ?'),
    ),
    nth: rowsBelow('1', '1 OFFSET ?'),
    one: database.prepare('SELECT * FROM events WHERE seq = ? AND connection = ?'),
    listed: database.prepare(
      'SELECT 1 FROM events INDEXED BY events_by_connection WHERE connection = ? AND seq = ?',
    ),
    seqs: seqsFrom('INDEXED BY events_by_connection'),
    seqsWithoutIndex: seqsFrom('NOT INDEXED'),
    above: database.prepare(`
      SELECT seq, connection, name, replay_of IS NOT NULL AS is_replay, body, seq <= hidden_up_to AS hidden
      FROM (SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?) JOIN connections ON id = connection
      ORDER BY seq`),
    has: database.prepare('SELECT 1 FROM events WHERE seq = ?'),
    identity: database.prepare('SELECT identity FROM log'),
  }
}

function scopeOf(row: Row): Scope {
  const connectionId = fromStored(row.key)
  return { connection: integer(row.id), connectionId, hiddenUpTo: integer(row.hidden_up_to) }
}

function candidateOf(row: Row): Candidate {
  return {
    seq: integer(row.seq),
    name: fromStored(row.name),
    isReplay: row.is_replay === 1,
    body: fromStored(row.body),
  }
}

/** Lets a statement return its rows as arrays, which takes half of the time of objects. */
function asArrays(statement: StatementSync): StatementSync {
  statement.setReturnArrays(true)
  return statement
}

/** Returns what a search checks of an event. */
export function candidateOfEvent(seq: number, { eventName, replayOf, bodyText }: LoggedEvent): Candidate {
  return { seq, name: eventName, isReplay: replayOf !== null, body: bodyText }
}

/** Rows that are read at once where the log is damaged. */
const readableAtOnce = 64

/** @throws DamagedLogError for a row of another connection, one that is not below `below`, or invalid values. */
function eventOf(row: Row, { connection, connectionId, hiddenUpTo }: Scope, below: number): LoggedEvent {
  const seq = integer(row.seq)
  const receivedAt = integer(row.received_at)
  const replayOf = row.replay_of === null ? null : fromStored(row.replay_of)
  if (row.connection !== connection || seq <= hiddenUpTo || seq >= below)
    throw new DamagedLogError('A row is not where the index says.')
  if (Math.abs(receivedAt) > maxDateMs || (replayOf !== null && sequenceOfEventId(replayOf) === null))
    throw new DamagedLogError('A row has values that no event has.')
  return {
    eventId: eventIdOf(seq),
    connectionId,
    eventName: fromStored(row.name),
    bodyText: fromStored(row.body),
    receivedAt,
    ...fieldsOfFlags(integer(row.repeat), fromStored(row.headers)),
    replayOf,
    ...(row.duplicate_of !== null && { duplicateOf: runIdOf(integer(row.duplicate_of)) }),
  }
}

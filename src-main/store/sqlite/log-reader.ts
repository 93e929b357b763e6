import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { eventIdOf } from '#main/sequence.ts'
import type { LoggedEvent } from '../event-log.ts'
import { fieldsOfFlags } from './batch.ts'
import { fromStored, integer, toStored } from './stored-text.ts'

/** A connection as rows refer to it. */
export type Scope = {
  readonly connection: number
  readonly connectionId: string
  readonly hiddenUpTo: number
}

/** What a search looks at to tell whether a row is wanted. */
export type Candidate = { readonly seq: number; readonly name: string; readonly body: string }

export type IndexableRow = Candidate & { readonly connection: number; readonly hidden: boolean }

type Row = Record<string, SQLOutputValue>

/** The reads that the log's own indexes answer. */
export class LogReader {
  readonly #scope
  readonly #newest
  readonly #page
  readonly #candidates
  readonly #one
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
    return fromStored(this.#identity.get()?.identity)
  }

  /** @returns null when the connection has never had an event. */
  scope(connectionId: string): Scope | null {
    const row = this.#scope.get(toStored(connectionId))
    if (!row) return null
    return { connection: integer(row.id), connectionId, hiddenUpTo: integer(row.hidden_up_to) }
  }

  /** The newest seq ever stored; -1 in a new log. */
  newestSeq(): number {
    return integer(this.#newest.get()?.seq)
  }

  get(scope: Scope, seq: number): LoggedEvent | null {
    if (seq <= scope.hiddenUpTo) return null
    const row = this.#one.get(seq, scope.connection)
    return row ? eventOf(row, scope.connectionId) : null
  }

  /** Newest first, lazily. */
  *newestFirst(scope: Scope, before: number, limit: number): Generator<LoggedEvent> {
    for (const row of this.#page.iterate(scope.connection, scope.hiddenUpTo, before, limit)) {
      yield eventOf(row, scope.connectionId)
    }
  }

  /** Whether there are at most `most` events below `before`. */
  hasFew(scope: Scope, before: number, most: number): boolean {
    return this.#nth.get(scope.connection, scope.hiddenUpTo, before, most) === undefined
  }

  /** Newest first, those above `above` and below `before`. */
  candidates(scope: Scope, above: number, before: number, limit: number): Candidate[] {
    const floor = Math.max(above, scope.hiddenUpTo)
    return this.#candidates.all(scope.connection, floor, before, limit).map(candidateOf)
  }

  /** Rows of all connections, oldest first, those that are hidden marked. */
  *rowsAbove(seq: number, limit: number): Generator<IndexableRow> {
    for (const row of this.#above.iterate(seq, limit)) {
      yield { connection: integer(row.connection), hidden: row.hidden === 1, ...candidateOf(row) }
    }
  }

  has(seq: number): boolean {
    return this.#has.get(seq) !== undefined
  }
}

function candidateOf(row: Row): Candidate {
  return { seq: integer(row.seq), name: fromStored(row.name), body: fromStored(row.body) }
}

function eventOf(row: Row, connectionId: string): LoggedEvent {
  return {
    eventId: eventIdOf(integer(row.seq)),
    connectionId,
    eventName: fromStored(row.name),
    bodyText: fromStored(row.body),
    headerLines: fromStored(row.headers),
    receivedAt: integer(row.received_at),
    ...fieldsOfFlags(integer(row.repeat)),
    replayOf: row.replay_of === null ? null : fromStored(row.replay_of),
  }
}

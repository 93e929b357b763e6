import type { DatabaseSync } from 'node:sqlite'
import { fromStored, integer, toStored } from './stored-text.ts'

/** Beyond these, rows are pruned. */
export type Bounds = {
  maxEvents: number
  /** Milliseconds. */
  maxAge: number
}

/** What the writer remembers of a connection; all but the bounds can be told from the file. */
export type ConnectionState = Bounds & {
  readonly id: number
  /** Rows that can be read: those above `hiddenUpTo`. */
  count: number
  hiddenUpTo: number
  /** Whether rows at or below `hiddenUpTo` may be left. */
  hasHidden: boolean
  /** Whether its oldest rows are to be looked at for their age. */
  checkAge: boolean
}

/**
 * The connections that have events. Counting reads the whole index once at start (about 25 ms for a million
 * rows); from then on the numbers are kept beside each write, so that no write and no question counts again.
 */
export class ConnectionStates {
  readonly #byKey = new Map<string, ConnectionState>()
  readonly #bounds = new Map<string, Bounds>()
  readonly #insert
  /** What the transaction under way began with: a new connection, or an older state. */
  readonly #created: string[] = []
  readonly #before = new Map<ConnectionState, ConnectionState>()

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare('INSERT INTO connections (key) VALUES (?)')
    const rows = database.prepare(`
      SELECT id, key, hidden_up_to,
        (SELECT count(*) FROM events WHERE connection = id AND seq > hidden_up_to) AS readable,
        EXISTS (SELECT 1 FROM events WHERE connection = id AND seq <= hidden_up_to) AS hidden
      FROM connections`)
    for (const row of rows.iterate()) {
      const state = newState(integer(row.id))
      state.count = integer(row.readable)
      state.hiddenUpTo = integer(row.hidden_up_to)
      state.hasHidden = row.hidden === 1
      this.#byKey.set(fromStored(row.key), state)
    }
  }

  get(connectionId: string): ConnectionState | undefined {
    return this.#byKey.get(connectionId)
  }

  all(): Iterable<ConnectionState> {
    return this.#byKey.values()
  }

  /** @returns the connection's state, when it has one yet; a later one begins with these bounds. */
  setBounds(connectionId: string, bounds: Bounds): ConnectionState | undefined {
    this.#bounds.set(connectionId, bounds)
    const state = this.#byKey.get(connectionId)
    return state && Object.assign(state, bounds)
  }

  /** Inside a transaction only. */
  getOrInsert(connectionId: string): ConnectionState {
    const known = this.#byKey.get(connectionId)
    if (known) return known
    const state = newState(Number(this.#insert.run(toStored(connectionId)).lastInsertRowid))
    Object.assign(state, this.#bounds.get(connectionId))
    this.#byKey.set(connectionId, state)
    this.#created.push(connectionId)
    return state
  }

  /** To be called before a transaction changes `state`, so that a rollback can undo it. */
  changing(state: ConnectionState): void {
    if (!this.#before.has(state)) this.#before.set(state, { ...state })
  }

  committed(): void {
    this.#created.length = 0
    this.#before.clear()
  }

  rolledBack(): void {
    for (const [state, before] of this.#before) Object.assign(state, before)
    for (const connectionId of this.#created) this.#byKey.delete(connectionId)
    this.committed()
  }
}

function newState(id: number): ConnectionState {
  return {
    id,
    count: 0,
    hiddenUpTo: -1,
    hasHidden: false,
    maxEvents: Number.POSITIVE_INFINITY,
    maxAge: Number.POSITIVE_INFINITY,
    checkAge: false,
  }
}

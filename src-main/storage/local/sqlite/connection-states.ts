import type { DatabaseSync } from 'node:sqlite'
import { fromStored, integer, toStored } from '../../rows/stored-text.ts'

/** Rows beyond these bounds are pruned. */
export type Bounds = {
  maxEvents: number
  /** Milliseconds. */
  maxAge: number
}

/** The writer's state of a connection; everything but the bounds is derived from the file. */
export type ConnectionState = Bounds & {
  readonly id: number
  /** The number of visible rows, those above `hiddenUpTo`. */
  count: number
  hiddenUpTo: number
  /** Whether rows at or below `hiddenUpTo` may exist. */
  hasHidden: boolean
  /** Whether to check the age of its oldest rows. */
  checkAge: boolean
}

/**
 * The connections with events. The start reads the whole index once to count them (about 25 ms for a million rows). Then
 * each write updates the counts, so that nothing counts again.
 */
export class ConnectionStates {
  readonly #byKey = new Map<string, ConnectionState>()
  readonly #bounds = new Map<string, Bounds>()
  readonly #insert
  /** For a rollback of the current transaction: new connections, and earlier states. */
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

  /** Sets the bounds, also of a later state. Returns the connection's state, if it has one. */
  setBounds(connectionId: string, bounds: Bounds): ConnectionState | undefined {
    this.#bounds.set(connectionId, bounds)
    const state = this.#byKey.get(connectionId)
    return state && Object.assign(state, bounds)
  }

  /** Call it only inside a transaction. */
  getOrInsert(connectionId: string): ConnectionState {
    const known = this.#byKey.get(connectionId)
    if (known) return known
    const state = newState(Number(this.#insert.run(toStored(connectionId)).lastInsertRowid))
    Object.assign(state, this.#bounds.get(connectionId))
    this.#byKey.set(connectionId, state)
    this.#created.push(connectionId)
    return state
  }

  /** Call it before a transaction changes `state`, so that a rollback can undo the change. */
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

import type { DatabaseSync } from 'node:sqlite'
import { integer } from '../../rows/stored-text.ts'
import type { ConnectionState, ConnectionStates } from './connection-states.ts'

/** Rows that one step deletes: about half a millisecond. */
export const stepRows = 256

/** Milliseconds of the log's clock between two checks of the age of the oldest rows. */
const ageCheckEvery = 60_000

/** The number of deleted rows, and the highest seq that may be among them. */
type Deletion = { readonly rows: number; readonly upTo: number }

/**
 * Deletes rows that a clear has hidden, that exceed a connection's number of events, or that are too old, the oldest
 * first. Ages are checked in the order of arrival, up to the first row that is young enough. So after a clock was set
 * back, older rows behind such a row wait until it is old.
 */
export class Pruner {
  readonly #states
  readonly #work = new Set<ConnectionState>()
  readonly #nth
  readonly #oldest
  readonly #delete
  #agesCheckedAt = Number.NEGATIVE_INFINITY

  constructor(database: DatabaseSync, states: ConnectionStates) {
    this.#states = states
    this.#nth = database.prepare(
      'SELECT seq FROM events WHERE connection = ? AND seq > ? ORDER BY seq LIMIT 1 OFFSET ?',
    )
    this.#oldest = database.prepare(
      'SELECT seq, received_at FROM events WHERE connection = ? AND seq > ? ORDER BY seq LIMIT ?',
    )
    this.#delete = database.prepare('DELETE FROM events WHERE connection = ? AND seq > ? AND seq <= ?')
    for (const state of states.all()) this.consider(state)
  }

  get hasWork(): boolean {
    return this.#work.size > 0
  }

  /** Call it when a state has changed. */
  consider(state: ConnectionState): void {
    if (state.hasHidden || state.checkAge || state.count > state.maxEvents) this.#work.add(state)
  }

  /** Schedules a check of all ages if the last one is long enough ago. */
  considerAges(now: number): void {
    if (now === Number.NEGATIVE_INFINITY || Math.abs(now - this.#agesCheckedAt) < ageCheckEvery) return
    this.#agesCheckedAt = now
    for (const state of this.#states.all()) {
      if (state.maxAge === Number.POSITIVE_INFINITY) continue
      state.checkAge = true
      this.#work.add(state)
    }
  }

  /**
   * Does one step for one connection, inside a transaction.
   *
   * @param least the fewest rows above a connection's bound for which a step is worthwhile.
   * @returns null if there is nothing to do.
   */
  step(now: number, least: number): Deletion | null {
    for (const state of this.#work) {
      const deletion = this.#tryStep(state, now, least)
      if (deletion) return deletion
      if (!state.hasHidden && !state.checkAge && state.count <= state.maxEvents) this.#work.delete(state)
    }
    return null
  }

  /** Drops a connection whose rows are too damaged to delete, so that the others get their turn. */
  #tryStep(state: ConnectionState, now: number, least: number): Deletion | null {
    try {
      return this.#stepFor(state, now, least)
    } catch (error) {
      this.#work.delete(state)
      throw error
    }
  }

  #stepFor(state: ConnectionState, now: number, least: number): Deletion | null {
    this.#states.changing(state)
    const over = state.count - state.maxEvents
    if (over >= least) return this.#deleteSurplus(state, Math.min(over, stepRows))
    if (state.hasHidden) return this.#deleteHidden(state)
    if (state.checkAge) return this.#deleteOld(state, now)
    return null
  }

  #deleteSurplus(state: ConnectionState, rows: number): Deletion | null {
    const last = this.#nth.get(state.id, state.hiddenUpTo, rows - 1)
    return last ? this.#deleteReadable(state, integer(last.seq)) : null
  }

  #deleteHidden(state: ConnectionState): Deletion {
    const last = this.#nth.get(state.id, -1, stepRows - 1)
    const upTo = last ? Math.min(integer(last.seq), state.hiddenUpTo) : state.hiddenUpTo
    if (upTo === state.hiddenUpTo) state.hasHidden = false
    return { rows: Number(this.#delete.run(state.id, -1, upTo).changes), upTo }
  }

  #deleteOld(state: ConnectionState, now: number): Deletion | null {
    let upTo: number | null = null
    let old = 0
    for (const row of this.#oldest.all(state.id, state.hiddenUpTo, stepRows)) {
      if (integer(row.received_at) >= now - state.maxAge) break
      upTo = integer(row.seq)
      old++
    }
    if (old < stepRows) state.checkAge = false
    return upTo === null ? null : this.#deleteReadable(state, upTo)
  }

  #deleteReadable(state: ConnectionState, upTo: number): Deletion {
    const rows = Number(this.#delete.run(state.id, state.hiddenUpTo, upTo).changes)
    state.count -= rows
    return { rows, upTo }
  }
}

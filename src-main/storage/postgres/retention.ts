import { dayMs } from '#shared/durations.ts'
import type { Retention } from '#shared/model/connection.ts'
import type { Pool } from './pool.ts'
import { toStored } from './stored-text.ts'

/** Events that one statement hides for their age, or deletes. */
const stepRows = 1024
/** Events beyond a bound for which a deletion is worthwhile while others arrive. They wait for it at twice as many. */
const worthDeleting = 128
/** A large bound takes longer to find, so it is looked for less often. */
const shareOfBound = 256
/** Milliseconds until what is beyond a bound is deleted although few events arrive. */
const idleMs = 20
/** Counting the events within the bounds takes at most one part in so many of the time, while few arrive. */
const restFactor = 20
/** Milliseconds between two checks of the ages of the oldest events. */
const agesEvery = 60_000

type Deletion = {
  /** How many it has found. */
  readonly events: number
  /** The number of the last of them, or of the deletion before. */
  readonly last: number
}

type State = {
  readonly key: string
  bounds: Retention | null
  /** How many more events may come before the next deletion. */
  room: number
  areAgesDue: boolean
  pruning: Promise<void> | null
  /** The newest step of it. */
  step: Promise<Deletion> | null
}

/** Hides the events of connections that are beyond their bounds, and deletes the hidden ones, the oldest first. */
export class EventRetention {
  readonly #pool
  readonly #clock
  readonly #onError
  readonly #states = new Map<string, State>()
  readonly #toPrune = new Set<State>()
  #timer: NodeJS.Timeout | undefined
  readonly #timerOfAges: NodeJS.Timeout
  #agesCheckedAt: number
  #restMs = idleMs
  #countingMs = 0
  #isClosed = false

  constructor(pool: Pool, clock: () => number, onError: (error: unknown) => void) {
    this.#pool = pool
    this.#clock = clock
    this.#onError = onError
    this.#agesCheckedAt = clock()
    this.#timerOfAges = setInterval(() => this.#considerAges(), agesEvery).unref()
  }

  set(connectionId: string, bounds: Retention): void {
    const state = this.#stateOf(connectionId)
    Object.assign(state, { bounds, room: 0, areAgesDue: true })
    this.#consider(state)
  }

  /** Call it when all events of a connection were hidden. */
  hidden(connectionId: string): void {
    this.#consider(this.#stateOf(connectionId))
  }

  /** Call it for events that were stored. @param counts by their connection. */
  stored(counts: ReadonlyMap<string, number>): void {
    if (Math.abs(this.#clock() - this.#agesCheckedAt) >= agesEvery) this.#considerAges()
    for (const [connectionId, count] of counts) {
      const state = this.#states.get(connectionId)
      if (!state || state.bounds === null) continue
      state.room -= count
      if (state.room < 0) this.#consider(state)
      if (state.room <= -worth(state)) void this.#prune(state)
    }
  }

  /** Resolves when none of these connections is far beyond its bound. */
  async hasRoom(connectionIds: Iterable<string>): Promise<void> {
    for (const connectionId of connectionIds) {
      const state = this.#states.get(connectionId)
      // The step under way may have hidden what is beyond the bound before the newest events came.
      while (state?.pruning && state.room <= -2 * worth(state)) await state.step?.catch(() => {})
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timerOfAges)
    clearTimeout(this.#timer)
    await Promise.all(Array.from(this.#states.values(), ({ pruning }) => pruning))
  }

  #considerAges(): void {
    this.#agesCheckedAt = this.#clock()
    for (const state of this.#states.values()) {
      if (state.bounds === null) continue
      state.areAgesDue = true
      this.#consider(state)
    }
  }

  #stateOf(connectionId: string): State {
    const known = this.#states.get(connectionId)
    if (known !== undefined) return known
    const state = {
      key: toStored(connectionId),
      bounds: null,
      room: 0,
      areAgesDue: false,
      pruning: null,
      step: null,
    }
    this.#states.set(connectionId, state)
    return state
  }

  #consider(state: State): void {
    if (this.#isClosed) return
    this.#toPrune.add(state)
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.#pruneAll()
    }, this.#restMs)
  }

  /** One connection after another, so that those who read and write have the database too. */
  async #pruneAll(): Promise<void> {
    this.#countingMs = 0
    for (const state of this.#toPrune) {
      this.#toPrune.delete(state)
      // One that is under way has not seen what came since.
      await state.pruning
      await this.#prune(state)
    }
    this.#restMs = Math.max(idleMs, restFactor * this.#countingMs)
  }

  #prune(state: State): Promise<void> {
    state.pruning ??= this.#pruneOne(state)
      .catch(error => {
        if (!this.#isClosed) this.#onError(error)
      })
      .finally(() => {
        state.pruning = null
      })
    return state.pruning
  }

  async #pruneOne(state: State): Promise<void> {
    let isDone = false
    for (let after: number | null = null; !isDone && !this.#isClosed; ) {
      const step = this.#step(state, after)
      state.step = step
      const { events, last }: Deletion = await step
      after = last
      isDone = events < stepRows && state.room > -worth(state)
    }
  }

  /** Hides what is beyond a bound, at first and when much has come since, and deletes hidden events after a number. */
  async #step(state: State, after: number | null): Promise<Deletion> {
    if (after === null || state.room <= -worth(state)) await this.#hide(state)
    const [row] = await this.#pool.query(deleteHidden, [state.key, after ?? Number.MIN_SAFE_INTEGER])
    return { events: Number(row?.events), last: Number(row?.last ?? after) }
  }

  async #hide(state: State): Promise<void> {
    const { key, bounds, room } = state
    if (bounds === null) return
    const began = performance.now()
    const [row] = await this.#pool.query(hideSurplus, [key, bounds.maxEvents])
    this.#countingMs += performance.now() - began
    if (bounds === state.bounds) state.room += Number(row?.room ?? 0) - room
    const oldest = this.#clock() - bounds.maxDays * dayMs
    while (state.areAgesDue && !this.#isClosed) {
      const [old] = await this.#pool.query(hideOld, [key, oldest])
      if (Number(old?.events ?? 0) < stepRows) state.areAgesDue = false
    }
  }
}

const worth = ({ bounds }: State) => Math.max(worthDeleting, (bounds?.maxEvents ?? 0) / shareOfBound)

const raised = (to: string) =>
  `UPDATE connection AS c SET hidden_up_to = ${to} FROM cut WHERE c.id = cut.id AND ${to} > c.hidden_up_to`

/** Hides the events of connection $1 beyond the newest $2. Returns how many more the bound has room for. */
const hideSurplus = {
  name: 'hide_surplus',
  text: `
  WITH cut AS MATERIALIZED (SELECT c.id, count(e.seq) AS events, min(e.seq) AS seq FROM connection AS c LEFT JOIN LATERAL (
      SELECT seq FROM event WHERE connection = c.id AND seq > c.hidden_up_to ORDER BY seq DESC LIMIT $2::bigint + 1) AS e ON true
    WHERE key = $1 GROUP BY c.id),
  h AS (${raised('cut.seq')} AND cut.events > $2)
  SELECT greatest($2 - events, 0) AS room FROM cut`,
}

/**
 * Hides the oldest events of connection $1 up to the first that was received at $2 or later, at most so many as a step
 * takes. Returns how many. Numbers between two events stay visible: another node may be storing one.
 */
const hideOld = {
  name: 'hide_old',
  text: `
  WITH oldest AS (SELECT c.id, e.* FROM connection AS c CROSS JOIN LATERAL (
      SELECT seq, received_at FROM event WHERE connection = c.id AND seq > c.hidden_up_to ORDER BY seq LIMIT ${stepRows}) AS e
    WHERE key = $1),
  cut AS MATERIALIZED (SELECT id, count(*) AS events, max(seq) AS seq FROM oldest
    WHERE seq < coalesce((SELECT min(seq) FROM oldest WHERE received_at >= $2::bigint), 9e18::bigint) GROUP BY id),
  h AS (${raised('cut.seq')})
  SELECT events FROM cut`,
}

/** Deletes the oldest hidden events of connection $1 after $2. Returns how many it has found, and the last of them. */
const deleteHidden = {
  name: 'delete_hidden',
  text: `
  WITH gone AS MATERIALIZED (SELECT c.id, e.seq FROM connection AS c CROSS JOIN LATERAL (
      SELECT seq FROM event WHERE connection = c.id AND seq > $2::bigint AND seq <= c.hidden_up_to
      ORDER BY seq LIMIT ${stepRows}) AS e
    WHERE key = $1),
  d AS (DELETE FROM event WHERE connection = (SELECT min(id) FROM gone) AND seq > $2 AND seq <= (SELECT max(seq) FROM gone))
  SELECT count(*) AS events, max(seq) AS last FROM gone`,
}

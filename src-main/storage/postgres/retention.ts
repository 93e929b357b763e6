import { dayMs } from '#shared/durations.ts'
import type { Retention } from '#shared/model/connection.ts'
import type { Pool } from './pool.ts'
import { toStored } from './stored-text.ts'

/** Events that one statement deletes. */
const stepRows = 1024
/** Events beyond a bound for which a deletion is worthwhile while others arrive. They wait for it at twice as many. */
const worthDeleting = 128
/** A large bound takes longer to find, so it is looked for less often. */
const shareOfBound = 256
/** Milliseconds until what is beyond a bound is deleted although few events arrive. */
const idleMs = 20
/** Milliseconds between two looks at the ages of the oldest events. */
const agesEvery = 60_000

type State = {
  readonly key: string
  bounds: Retention | null
  /** How many more events may come before the next deletion. */
  room: number
  pruning: Promise<void> | null
}

/** Deletes the events of connections that are beyond their bounds, or hidden, the oldest first. */
export class EventRetention {
  readonly #pool
  readonly #clock
  readonly #onError
  readonly #states = new Map<string, State>()
  readonly #toPrune = new Set<State>()
  #timer: NodeJS.Timeout | undefined
  readonly #timerOfAges: NodeJS.Timeout
  #agesCheckedAt: number
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
    Object.assign(state, { bounds, room: 0 })
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
      if (state?.pruning && state.room <= -2 * worth(state)) await state.pruning
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
    for (const state of this.#states.values()) if (state.bounds !== null) this.#consider(state)
  }

  #stateOf(connectionId: string): State {
    const known = this.#states.get(connectionId)
    if (known !== undefined) return known
    const state = { key: toStored(connectionId), bounds: null, room: 0, pruning: null }
    this.#states.set(connectionId, state)
    return state
  }

  #consider(state: State): void {
    if (this.#isClosed) return
    this.#toPrune.add(state)
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.#pruneAll()
    }, idleMs)
  }

  /** One connection after another, so that those who read and write have the database too. */
  async #pruneAll(): Promise<void> {
    for (const state of this.#toPrune) {
      this.#toPrune.delete(state)
      // One that is under way has not seen what came since.
      await state.pruning
      await this.#prune(state)
    }
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
    const before = state.room
    for (let isDone = false; !isDone && !this.#isClosed; ) {
      const { bounds } = state
      const [row] = await this.#pool.query(step, [
        ...[state.key, bounds?.maxEvents ?? null],
        bounds === null ? Number.MIN_SAFE_INTEGER : this.#clock() - bounds.maxDays * dayMs,
      ])
      if (bounds === state.bounds) state.room = Number(row?.room ?? 0) + state.room - before
      isDone = Number(row?.deleted ?? 0) < stepRows
    }
  }
}

const worth = ({ bounds }: State) => Math.max(worthDeleting, (bounds?.maxEvents ?? 0) / shareOfBound)

/**
 * Deletes events of connection $1: hidden ones, those beyond the newest $2, and those received before $3 that come before
 * all younger ones. Returns how many, and how many more the bound has room for.
 */
const step = {
  name: 'prune_events',
  text: `
  WITH c AS (SELECT id, hidden_up_to FROM connection WHERE key = $1),
  nth AS (SELECT e.seq FROM c CROSS JOIN LATERAL (
      SELECT seq FROM event WHERE connection = c.id AND seq > c.hidden_up_to ORDER BY seq DESC OFFSET $2::bigint LIMIT 1) AS e
    WHERE $2::bigint IS NOT NULL),
  oldest AS (SELECT e.* FROM c CROSS JOIN LATERAL (
      SELECT seq, received_at FROM event WHERE connection = c.id AND seq > c.hidden_up_to ORDER BY seq LIMIT ${stepRows}) AS e),
  young AS (SELECT min(seq) AS seq FROM oldest WHERE received_at >= $3::bigint),
  old AS (SELECT max(seq) AS seq FROM oldest WHERE seq < coalesce((SELECT seq FROM young), 9e18::bigint)),
  cut AS (SELECT greatest(c.hidden_up_to, (SELECT seq FROM nth), (SELECT seq FROM old)) AS seq FROM c),
  gone AS (SELECT e.seq FROM c, cut CROSS JOIN LATERAL (
      SELECT seq FROM event WHERE connection = c.id AND seq <= cut.seq ORDER BY seq LIMIT ${stepRows}) AS e),
  d AS (DELETE FROM event USING gone WHERE event.seq = gone.seq RETURNING event.seq),
  k AS (UPDATE event_log SET newest_seq = greatest(newest_seq, (SELECT max(seq) FROM d))
    WHERE newest_seq < (SELECT max(seq) FROM d) AND NOT EXISTS (SELECT FROM event WHERE seq > (SELECT max(seq) FROM d)))
  SELECT (SELECT count(*) FROM d) AS deleted,
    CASE WHEN $2::bigint IS NULL OR EXISTS (SELECT FROM nth) THEN 0
      ELSE $2::bigint - (SELECT count(*) FROM c JOIN event ON connection = c.id AND seq > c.hidden_up_to) END AS room`,
}

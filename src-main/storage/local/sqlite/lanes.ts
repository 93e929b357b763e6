import type { LaneLimit } from '#main/storage/runs.ts'
import { state } from './run-rows.ts'

/** Runs of one lane at once, where nothing was set. */
const defaultLimit = 1

/** How many runs of a lane have each state that is not an end. */
export type Lane = {
  readonly key: string
  readonly counts: [waiting: number, retrying: number, running: number]
}

/**
 * The lanes that have runs, counted in memory: SQLite would count a lane's running ones at each claim. The writer
 * is the only one to change runs, and a rollback undoes what its transaction has counted.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>()
  readonly #limits = new Map<string, LaneLimit>()
  /** What the transaction under way has counted. */
  readonly #moves: (readonly [key: string, from: number | null, to: number | null])[] = []
  /** Runs that wait, for a first or for a further attempt. */
  waiting = 0

  setLimit(key: string, limit: LaneLimit): void {
    this.#limits.set(key, limit)
  }

  limitOf(key: string): LaneLimit {
    return this.#limits.get(key) ?? defaultLimit
  }

  /** Counts a run of a lane from one state to another; null is none, and so is every end. */
  move(key: string, from: number | null, to: number | null): void {
    this.#moves.push([key, from, to])
    this.#count(key, from, to)
  }

  /** Counts runs that are in the file already. */
  count(key: string, of: number | null, by: number): void {
    if (of === null || of > state.running) return
    const lane = this.#lanes.get(key) ?? { key, counts: [0, 0, 0] }
    this.#lanes.set(key, lane)
    lane.counts[of]! += by
    if (of !== state.running) this.waiting += by
    if (lane.counts.every(count => count === 0)) this.#lanes.delete(key)
  }

  /** Returns the lanes that may have a run to claim, those first that had none for the longest. */
  *claimable(): Generator<Lane> {
    for (const lane of this.#lanes.values()) {
      const [waiting, retrying, running] = lane.counts
      const limit = this.limitOf(lane.key)
      if (waiting + retrying > 0 && running < (limit === 'ordered' ? 1 : limit)) yield lane
    }
  }

  /** Puts a lane behind the others. */
  served(lane: Lane): void {
    if (this.#lanes.delete(lane.key)) this.#lanes.set(lane.key, lane)
  }

  committed(): void {
    this.#moves.length = 0
  }

  rolledBack(): void {
    for (const [key, from, to] of this.#moves) {
      this.#count(key, to, from)
    }
    this.committed()
  }

  #count(key: string, from: number | null, to: number | null): void {
    // In this order, since a lane without runs is forgotten, and its place in turn with it.
    this.count(key, to, 1)
    this.count(key, from, -1)
  }
}

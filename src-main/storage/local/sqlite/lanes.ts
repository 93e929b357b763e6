import type { LaneCounts, LaneLimit, LaneLimits } from '#main/storage/runs.ts'
import { state } from '../../rows/run-rows.ts'
import type { Member } from './fan-out-list.ts'

/** The limit of a lane that was never set. */
const defaultLimit = 1
/** How many runs of a cancelled lane may be claimed at once. */
const cancelledAtOnce = 100

export type Lane = {
  readonly key: string
  /** The number of its runs in each state before the end, without pending ones. */
  readonly counts: [waiting: number, retrying: number, running: number]
  /** The members that count its pending runs. */
  readonly members: Set<Member>
}

/**
 * The lanes that have runs. They are counted in memory, because SQLite would count a lane's running ones at each claim.
 * Only the writer changes runs, and a rollback undoes the counts of its transaction.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>()
  readonly #limits = new Map<string, LaneLimit>()
  /** The changes of counts in the current transaction, to undo them after a rollback. */
  readonly #moves: (readonly [key: string, from: number | null, to: number | null])[] = []
  /** The number of stored runs that wait for a first or a later attempt. */
  waiting = 0

  setLimits(limits: LaneLimits): void {
    for (const [key, limit] of limits) this.#limits.set(key, limit)
  }

  limitOf(key: string): LaneLimit {
    return this.#limits.get(key) ?? defaultLimit
  }

  /** Returns how many runs of a lane may run at once. */
  mostRunning(key: string): number {
    const limit = this.limitOf(key)
    if (limit === 'ordered') return 1
    return limit === 'cancelled' ? cancelledAtOnce : limit
  }

  /** Moves a run of a lane from one state to another in the counts. Null and ended states are not counted. */
  move(key: string, from: number | null, to: number | null): void {
    this.#moves.push([key, from, to])
    this.#count(key, from, to)
  }

  /** Adds to a count, without a rollback. */
  count(key: string, of: number | null, by: number): void {
    if (of === null || of > state.running) return
    const lane = this.#laneOf(key)
    lane.counts[of]! += by
    if (of !== state.running) this.waiting += by
    this.#deleteEmpty(lane)
  }

  /** Adds a workflow's pending runs to its lane. */
  add(member: Member): void {
    this.#laneOf(member.lane).members.add(member)
  }

  remove(member: Member): void {
    const lane = this.#laneOf(member.lane)
    lane.members.delete(member)
    this.#deleteEmpty(lane)
  }

  #laneOf(key: string): Lane {
    const known = this.#lanes.get(key)
    if (known !== undefined) return known
    const lane: Lane = { key, counts: [0, 0, 0], members: new Set() }
    this.#lanes.set(key, lane)
    return lane
  }

  #deleteEmpty({ key, counts, members }: Lane): void {
    if (members.size === 0 && counts.every(count => count === 0)) this.#lanes.delete(key)
  }

  /** Returns the counts of the lanes that have runs. */
  list(): LaneCounts[] {
    const lanes = Array.from(
      this.#lanes.values(),
      ({ key, counts: [waiting, retrying, running], members }) => ({
        lane: key,
        waiting: waiting + pendingAmong(members),
        retrying,
        running,
      }),
    )
    return lanes.filter(({ waiting, retrying, running }) => waiting + retrying + running > 0)
  }

  /** Returns the lanes that have runs. */
  all(): Iterable<Lane> {
    return this.#lanes.values()
  }

  /** Yields the lanes that may have a claimable run, the least recently served first. */
  *claimable(): Generator<Lane> {
    for (const lane of this.#lanes.values()) {
      const [waiting, retrying, running] = lane.counts
      if (running >= this.mostRunning(lane.key)) continue
      if (waiting + retrying > 0 || pendingAmong(lane.members) > 0) yield lane
    }
  }

  /** Moves a lane behind the others. */
  served(lane: Lane): void {
    if (this.#lanes.delete(lane.key)) this.#lanes.set(lane.key, lane)
  }

  /** Keeps the counts; call it after a commit. */
  committed(): void {
    this.#moves.length = 0
  }

  /** Undoes the changes since the last commit; call it after a rollback. */
  rolledBack(): void {
    for (const [key, from, to] of this.#moves) {
      this.#count(key, to, from)
    }
    this.committed()
  }

  #count(key: string, from: number | null, to: number | null): void {
    // Add before subtracting: a lane without runs is removed, and would lose its turn.
    this.count(key, to, 1)
    this.count(key, from, -1)
  }
}

function pendingAmong(members: ReadonlySet<Member>): number {
  let count = 0
  for (const { pending } of members) count += pending
  return count
}

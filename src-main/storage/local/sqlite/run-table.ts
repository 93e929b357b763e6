import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { ClaimedRun, RunBounds, RunEnd, RunStep } from '#main/storage/runs.ts'
import {
  type EndRow,
  endStates,
  type NewRunRow,
  runIdOf,
  runOf,
  state,
  stepsOfText,
  textsOf,
} from '../../rows/run-rows.ts'
import { fromStored, integer, StoredValueError, toStored, toStoredOrNull } from '../../rows/stored-text.ts'
import { type ClaimedPending, type PendingEnd, sharedOf } from './claimed-pending.ts'
import { FanOuts, type Held } from './fan-outs.ts'
import { type Lane, Lanes } from './lanes.ts'
import type { EndedRun, RunCounters } from './run-counters.ts'
import { RunPruning } from './run-pruning.ts'
import { countersOf, damaged, endedOf, type Row, runStatements } from './run-statements.ts'
import { SharedTexts } from './shared-texts.ts'

/** A claim by the number of its run. */
export type Claim = { readonly id: number; readonly claimNumber: number }

/** Maximum number of runs that one step looks at or deletes. */
const stepRuns = 256

/** All writes to the runs, inside transactions of the log's writer. It calls `committed` or `rolledBack` after each. */
export class RunTable {
  readonly lanes = new Lanes()
  readonly fanOuts: FanOuts
  readonly pruning: RunPruning
  readonly #statements
  readonly #texts: SharedTexts
  readonly counters: RunCounters
  /** Changes of the counters in the current transaction. */
  readonly #counted: (readonly [run: EndedRun, by: 1 | -1])[] = []

  constructor(database: DatabaseSync, bounds: RunBounds) {
    this.#statements = runStatements(database)
    this.#texts = new SharedTexts(database)
    this.fanOuts = new FanOuts(database, this.lanes)
    // Two queries, because each has an index of its own.
    for (const which of ['state < 2', 'state = 2'])
      for (const row of database
        .prepare(`SELECT lane, state, count(*) AS runs FROM runs WHERE ${which} GROUP BY lane, state`)
        .iterate())
        this.lanes.count(fromStored(row.lane), integer(row.state), integer(row.runs))
    this.counters = countersOf(this.#statements)
    this.pruning = new RunPruning(bounds, this.counters)
  }

  insertAll(runs: readonly NewRunRow[]): void {
    for (const [run, data] of this.#texts.placed(runs)) {
      if (run.lane === null) this.fanOuts.insert(run)
      else if (run.ended === undefined) this.#insertWaiting(run, run.lane, data)
      else this.#insertEnded(run, run.lane, data, run.ended)
    }
  }

  #insertWaiting(run: NewRunRow, lane: string, data: SQLInputValue): void {
    const { id, event, workflowId, workspaceId, connectionId, queuedAt, dueAt, summary } = run
    const { insert } = this.#statements
    // Arguments instead of spread lists, here and below: an event waits for them.
    // biome-ignore format: one line for each group of columns
    insert.run(
      id, workflowId, workspaceId, connectionId, event, lane,
      dueAt ?? 0, queuedAt, toStored(summary), data,
    )
    this.lanes.move(lane, null, state.waiting)
  }

  #insertEnded(run: NewRunRow, lane: string, data: SQLInputValue, end: EndRow): void {
    const { id, event, workflowId, workspaceId, connectionId, queuedAt: startedAt, summary } = run
    const { state: ended, endedAt, error, steps } = end
    // biome-ignore format: as above
    this.#statements.insertEnded.run(
      id, workflowId, workspaceId, connectionId, event, lane, state[ended], startedAt, startedAt, endedAt,
      toStoredOrNull(error), toStored(summary), data, steps,
    )
    this.#countFinished({ id, workflow: workflowId, lane, state: state[ended], startedAt, endedAt }, 1)
  }

  claim(now: number, room: number, leaseMs: number) {
    this.#release(now)
    const claimed: ClaimedRun[] = []
    const pending = new Map<number, ClaimedPending>()
    let count = 0
    const served = []
    for (const lane of this.lanes.claimable()) {
      // A lane's pending runs are claimed together: those of neighbouring lanes then have neighbouring rows.
      if (count > 0 && count + this.lanes.mostRunning(lane.key) > room && lane.members.size > 0) break
      if (count >= room) break
      const { ids, held } = this.#due(lane, now, room - count, leaseMs)
      count += ids.length + held.length
      if (ids.length + held.length > 0) served.push(lane)
      const isCancelled = this.lanes.limitOf(lane.key) === 'cancelled'
      for (const id of ids) {
        const row = this.#statements.take.get(now + leaseMs, now, id)
        const run = row === undefined ? null : this.#readable(id, lane.key, row, now)
        if (run !== null) claimed.push(isCancelled ? { ...run, isCancelled } : run)
      }
      for (const one of held) this.#describe(one, pending)
    }
    for (const lane of served) this.lanes.served(lane)
    return {
      runs: claimed,
      pending: [...pending.values()],
      nextDueAt: count < room ? this.#nextDueAt() : null,
    }
  }

  /** Adds a claimed pending run to those of its record. A damaged one is stored and ends. */
  #describe(held: Held, claimed: Map<number, ClaimedPending>): void {
    const { id, member, record, startedAt: now } = held
    try {
      const of = claimed.get(record) ?? { shared: sharedOf(this.fanOuts.row(record), held), runs: [] }
      claimed.set(record, of)
      of.runs.push([id, member.lane])
    } catch (error) {
      if (!(error instanceof StoredValueError)) throw error
      this.#store(id)
      const row = this.#statements.find.get(id)
      if (row !== undefined)
        this.#end(id, row, { state: 'failed', endedAt: now, error: damaged, discard: true })
    }
  }

  /** Stores a run that is pending or was claimed so; does nothing for any other. */
  #store(id: number): void {
    const held = this.fanOuts.held(id)
    if (held !== undefined) {
      const { member, record, startedAt, leaseEndsAt } = held
      this.#statements.store.run(id, member.lane, state.running, leaseEndsAt, 1, startedAt, record)
      this.fanOuts.stored(member, record)
      return
    }
    const pending = this.fanOuts.pending(id)
    if (pending === null) return
    const { member, record } = pending
    this.#statements.store.run(id, member.lane, state.waiting, 0, 0, null, record)
    this.fanOuts.stored(member, record)
    this.lanes.move(member.lane, null, state.waiting)
  }

  /** Returns for each run whether it was still the caller's. */
  endPending(ends: readonly PendingEnd[]): boolean[] {
    return ends.map(([id, ended, endedAt, error, steps, discard]) => {
      const held = this.fanOuts.held(id)
      const name = endStates[ended]
      if (held === undefined || name === undefined) return false
      const { member, record, startedAt } = held
      // biome-ignore format: as above
      this.#statements.storeEnded.run(
        id, member.lane, state[name], startedAt, endedAt, toStoredOrNull(error), toStored(steps), discard ? 1 : 0, record,
      )
      this.fanOuts.stored(member, record)
      this.lanes.move(member.lane, state.running, null)
      const run = { id, workflow: member.lane, lane: member.lane, state: state[name], startedAt, endedAt }
      this.#countFinished(run, 1)
      return true
    })
  }

  /** Returns a claimed run. Ends a damaged one and returns null, because no other run could be claimed otherwise. */
  #readable(id: number, lane: string, row: Row, now: number): ClaimedRun | null {
    try {
      return { ...runOf(row), data: this.#texts.textOf(row.data) }
    } catch (error) {
      if (!(error instanceof StoredValueError)) throw error
      const workflow = typeof row.workflow === 'string' ? row.workflow : lane
      this.#end(
        id,
        { ...row, lane, workflow },
        { state: 'failed', endedAt: now, error: damaged, discard: true },
      )
      return null
    }
  }

  /** Returns the ids of the runs that are still the caller's. */
  renew(claims: readonly Claim[], leaseEndsAt: number): string[] {
    const held = claims.filter(claim => this.#ofCaller(claim) !== null)
    for (const { id } of held) this.#statements.setDue.run(leaseEndsAt, id)
    return held.map(({ id }) => runIdOf(id))
  }

  record(claim: Claim, steps: readonly RunStep[]): boolean {
    if (this.#ofCaller(claim) === null) return false
    for (const step of steps) this.#recordStep(claim.id, step)
    return true
  }

  #recordStep(run: number, step: RunStep): void {
    const { path, type, attempt, startedAt, endedAt, error, callId, absent } = step
    const { isCut, input, output } = textsOf(step)
    this.#statements.step.run(
      ...[run, toStored(path), type, attempt, startedAt, endedAt],
      ...[toStoredOrNull(error), callId, toStoredOrNull(input), toStoredOrNull(output), isCut ? 1 : 0],
      toStored(absent.length === 0 ? '' : JSON.stringify(absent)),
    )
  }

  retryAt(claim: Claim, dueAt: number, error: string | null, steps: readonly RunStep[]): boolean {
    const row = this.#ofCaller(claim)
    if (row === null) return false
    this.record(claim, steps)
    this.#statements.retry.run(dueAt, toStoredOrNull(error), claim.id)
    this.lanes.move(fromStored(row.lane), state.running, state.retrying)
    return true
  }

  finish(claim: Claim, end: RunEnd, steps: readonly RunStep[]): boolean {
    const row = this.#ofCaller(claim)
    return row !== null && this.record(claim, steps) && this.#end(claim.id, row, end)
  }

  /** Ends a run unless it has ended. Returns how often it was claimed; null if it had ended. */
  cancel(id: number, end: RunEnd): number | null {
    this.#store(id)
    const row = this.#statements.find.get(id)
    if (row === undefined || integer(row.state) > state.running) return null
    this.#end(id, row, end)
    return integer(row.attempt)
  }

  hurry(id: number): boolean {
    return this.#statements.hurry.get(id) !== undefined
  }

  reopen(id: number, summary?: string): boolean {
    if (this.hurry(id)) return true
    const ended = this.#statements.find.get(id)
    const row = this.#statements.reopen.get(toStoredOrNull(summary), id)
    if (row === undefined || ended === undefined) return false
    if (row.steps !== null) {
      for (const step of stepsOfText(fromStored(row.steps), integer(row.started_at)))
        this.#recordStep(id, step)
      this.#statements.clearSteps.run(id)
    }
    this.lanes.move(fromStored(row.lane), null, state.retrying)
    this.#countFinished(endedOf(ended), -1)
    return true
  }

  /**
   * Deletes the runs of a connection among the next `stepRuns` after an id. Returns the last id of those; null when there
   * are none.
   */
  forget(connectionId: string, after: number): number | null {
    const last = this.#statements.lastOfNext.get(after, stepRuns)?.id ?? null
    if (last === null) return null
    const rows = this.#statements.ofConnection.all(after, integer(last), connectionId)
    const ids = rows.map(row => integer(row.id))
    this.#deleteAll(ids)
    this.#deleteSteps(ids)
    for (const row of rows) {
      this.lanes.move(fromStored(row.lane), integer(row.state), null)
      if (integer(row.state) > state.running) this.#countFinished(endedOf(row), -1)
    }
    return integer(last)
  }

  /** Ends the leases of an earlier process. Returns the largest run id. */
  recover(): number {
    this.#release(Number.MAX_SAFE_INTEGER)
    this.fanOuts.recover()
    return Math.max(integer(this.#statements.newest.get()?.id), this.fanOuts.newest())
  }

  /** The number of records of runs that wait: a fan-out is one. */
  get waiting(): number {
    return this.lanes.waiting + this.fanOuts.count
  }

  /** Completes a transaction; call it before the commit. */
  flush(): void {
    this.fanOuts.flush()
  }

  committed(): void {
    this.lanes.committed()
    this.fanOuts.committed()
    this.#counted.length = 0
  }

  rolledBack(): void {
    this.fanOuts.rolledBack()
    this.lanes.rolledBack()
    for (const [run, by] of this.#counted.splice(0)) this.#count(run, by === 1 ? -1 : 1)
  }

  /** Deletes up to `stepRuns` finished runs of one workflow that are beyond a bound. Returns how many. */
  prune(now: number): number {
    const step = this.pruning.next(now, stepRuns)
    if (step === null) return 0
    const { workflow, most, endedBefore } = step
    const rows = this.#statements.oldest.all(workflow, most, endedBefore)
    this.#deleteAll(rows.map(row => integer(row.id)))
    this.#deleteSteps(rows.filter(row => row.hasRows === 1).map(row => integer(row.id)))
    for (const row of rows) this.#countFinished(endedOf(row), -1)
    if (rows.length < most) this.pruning.done(workflow)
    return rows.length
  }

  /** Returns the runs of a lane that may be claimed, and counts those as running that are stored. */
  #due(
    { key, counts: [waiting, retrying, running], members }: Lane,
    now: number,
    room: number,
    leaseMs: number,
  ) {
    const limit = this.lanes.limitOf(key)
    const most = Math.min(room, this.lanes.mostRunning(key) - running)
    const dueBy = limit === 'cancelled' ? Number.MAX_SAFE_INTEGER : now
    const due = (of: number, count: number) =>
      count > 0 ? this.#statements.due.all(key, of, dueBy, count) : []
    const ids: number[] = []
    const take = (row: Row, of: number) => {
      ids.push(integer(row.id))
      this.lanes.move(key, of, state.running)
    }
    for (const row of retrying > 0 ? due(state.retrying, most) : []) take(row, state.retrying)
    const held: Held[] = []
    // An ordered lane finishes a run before it begins the next.
    if (limit === 'ordered' && retrying > 0) return { ids, held }
    const rows = waiting > 0 ? due(state.waiting, most - ids.length) : []
    for (let at = 0; ids.length + held.length < most; ) {
      const row = rows[at]
      const oldest = this.fanOuts.peek(members)
      if (row !== undefined && (oldest === null || (row.due_at === 0 && integer(row.id) < oldest.id))) {
        take(row, state.waiting)
        at++
      } else if (oldest === null) break
      else held.push(this.fanOuts.hold(oldest.member, now, now + leaseMs))
    }
    return { ids, held }
  }

  /** Returns when the first run is due that its lane has room for; null if there is none. */
  #nextDueAt(): number | null {
    let next: number | null = null
    for (const { key, counts, members } of this.lanes.claimable()) {
      const limit = this.lanes.limitOf(key)
      if (limit === 'cancelled') return 0
      const isBlocked = limit === 'ordered' && counts[state.retrying] > 0
      if (!isBlocked && this.fanOuts.peek(members) !== null) return 0
      for (const of of isBlocked ? [state.retrying] : [state.waiting, state.retrying]) {
        const dueAt = counts[of] > 0 ? integer(this.#statements.next.get(key, of)?.due_at) : null
        if (dueAt !== null && (next === null || dueAt < next)) next = dueAt
      }
    }
    return next
  }

  /** Makes runs whose lease has ended claimable again. */
  #release(now: number): void {
    for (const { id } of this.fanOuts.expired(now)) this.#store(id)
    for (const row of this.#statements.release.all(now))
      this.lanes.move(fromStored(row.lane), state.running, state.retrying)
  }

  /** Returns the run's row; null if it was claimed again since, or has ended. */
  #ofCaller({ id, claimNumber }: Claim): Row | null {
    if (this.fanOuts.held(id) !== undefined) this.#store(id)
    const row = this.#statements.find.get(id)
    return row?.state === state.running && row.attempt === claimNumber ? row : null
  }

  #end(id: number, row: Row, { state: ended, endedAt, error, discard, unseal }: RunEnd): true {
    this.#statements.end.run(state[ended], endedAt, toStoredOrNull(error), id)
    this.lanes.move(fromStored(row.lane), integer(row.state), null)
    this.#countFinished(endedOf({ ...row, id, state: state[ended], ended_at: endedAt }), 1)
    if (discard) {
      this.#statements.discard.run(id)
      this.#statements.discardSteps.run(id)
    } else if (unseal) this.#statements.unseal.run(id)
    return true
  }

  #deleteAll(ids: readonly number[]): void {
    if (ids.length > 0) this.#statements.delete.run(JSON.stringify(ids))
  }

  #deleteSteps(ids: readonly number[]): void {
    if (ids.length > 0) this.#statements.deleteSteps.run(JSON.stringify(ids))
  }

  #countFinished(run: EndedRun, by: 1 | -1): void {
    this.#counted.push([run, by])
    this.#count(run, by)
  }

  #count(run: EndedRun, by: 1 | -1): void {
    this.counters.add(run, by)
    this.pruning.consider(run.workflow)
  }
}

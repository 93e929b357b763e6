import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { eventIdOf } from '#main/lib/sequence.ts'
import type { ClaimedRun, RunBounds, RunEnd, RunStep } from '#main/storage/runs.ts'
import type { RunErrorCode } from '#shared/errors/run.ts'
import { type FanOutRow, FanOuts, type Held } from './fan-outs.ts'
import { type Lane, Lanes } from './lanes.ts'
import { type EndedRun, hourOfId, RunCounters } from './run-counters.ts'
import {
  type EndRow,
  endStates,
  type NewRunRow,
  runIdOf,
  runOf,
  shortened,
  state,
  stepsOfText,
} from './run-rows.ts'
import { fromStored, integer, StoredValueError, toStored, toStoredOrNull } from './stored-text.ts'

/** A claim by the number of its run. */
export type Claim = { readonly id: number; readonly attempt: number }

/** What claimed runs of a fan-out share, and the number and workflow of each. */
type ClaimedPending = {
  readonly shared: Omit<ClaimedRun, 'runId' | 'workflowId' | 'lane'>
  readonly runs: [id: number, workflowId: string][]
}

/** A pending run that has ended; its state by `endStates`. */
export type PendingEnd = [
  id: number,
  state: number,
  endedAt: number,
  error: string | null,
  steps: string,
  discard: boolean,
]

/** Maximum number of runs that one step looks at or deletes. */
const stepRuns = 256

/** While the writer is never idle, a workflow may keep this many times its limit of finished runs. */
const mostTimesBound = 1.05

/** The error of a run whose row has values that are never stored. */
const damaged = JSON.stringify({
  code: 'damaged_payload' satisfies RunErrorCode,
  message: 'The stored run cannot be read.',
})

type Row = Record<string, SQLOutputValue>

/** All writes to the runs, inside transactions of the log's writer. It calls `committed` or `rolledBack` after each. */
export class RunTable {
  readonly lanes = new Lanes()
  readonly fanOuts: FanOuts
  readonly #bounds: RunBounds
  readonly #statements
  readonly counters: RunCounters
  /** The workflows that may have runs beyond a bound. */
  readonly #toPrune = new Set<string>()
  /** The workflows that have so many that pruning must not wait for an idle moment. */
  readonly #overdue = new Set<string>()
  /** Changes of the counters in the current transaction. */
  readonly #counted: (readonly [run: EndedRun, by: 1 | -1])[] = []

  constructor(database: DatabaseSync, bounds: RunBounds) {
    this.#bounds = bounds
    this.#statements = prepare(database)
    this.fanOuts = new FanOuts(database, this.lanes)
    // Two queries, because each has an index of its own.
    for (const which of ['state < 2', 'state = 2'])
      for (const row of database
        .prepare(`SELECT lane, state, count(*) AS runs FROM runs WHERE ${which} GROUP BY lane, state`)
        .iterate())
        this.lanes.count(fromStored(row.lane), integer(row.state), integer(row.runs))
    const { totals, byStart, between, endedSince } = this.#statements
    this.counters = new RunCounters({
      totals: () =>
        mapped(totals.iterate(), row => ({ ...countOf(row), workflow: fromStored(row.workflow) })),
      byStart: workflow =>
        mapped(byStart.iterate(workflow), row => ({ ...countOf(row), hour: integer(row.hour) })),
      between: (...range) => integer(between.get(...range)?.runs),
      // Hundreds of thousands of rows: reading them one by one takes twice as long.
      endedSince: (workflow, endedAt) => endedSince.all(workflow, endedAt).map(endOf),
    })
    for (const workflow of this.counters.workflows()) this.#considerPruning(workflow)
  }

  insert(run: NewRunRow): void {
    const { lane } = run
    if (lane === null) this.fanOuts.insert(run)
    else if (run.ended === undefined) this.#insertWaiting(run, lane)
    else this.#insertEnded(run, lane, run.ended)
  }

  #insertWaiting(run: NewRunRow, lane: string): void {
    const { id, event, workflowId, workspaceId, connectionId, queuedAt, dueAt, summary, data } = run
    const { insert } = this.#statements
    // Arguments instead of spread lists, here and below: an event waits for them.
    // biome-ignore format: one line for each group of columns
    insert.run(
      id, workflowId, workspaceId, connectionId, event, lane,
      dueAt ?? 0, queuedAt, toStored(summary), toStoredOrNull(data),
    )
    this.lanes.move(lane, null, state.waiting)
  }

  #insertEnded(run: NewRunRow, lane: string, { state: ended, endedAt, error, steps }: EndRow): void {
    const { id, event, workflowId, workspaceId, connectionId, queuedAt, summary, data } = run
    // biome-ignore format: as above
    this.#statements.insertEnded.run(
      id, workflowId, workspaceId, connectionId, event, lane, state[ended], queuedAt, queuedAt, endedAt,
      toStoredOrNull(error), toStored(summary), toStoredOrNull(data), steps,
    )
    const startedAt = queuedAt
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
      for (const id of ids) {
        const row = this.#statements.take.get(now + leaseMs, now, id)
        const run = row === undefined ? null : this.#readable(id, lane.key, row, now)
        if (run !== null) claimed.push(run)
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
      return { ...runOf(row), data: fromStored(row.data) }
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
    const { input, output, isCut } = shortened(step)
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

  cancel(id: number, end: RunEnd): boolean {
    this.#store(id)
    const row = this.#statements.find.get(id)
    return row !== undefined && integer(row.state) <= state.running && this.#end(id, row, end)
  }

  reopen(id: number): boolean {
    if (this.#statements.hurry.get(id) !== undefined) return true
    const ended = this.#statements.find.get(id)
    const row = this.#statements.reopen.get(id)
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

  get hasPruningLeft(): boolean {
    return this.#toPrune.size > 0
  }

  /** Whether pruning must not wait until the writer is idle. */
  get isPruningOverdue(): boolean {
    return this.#overdue.size > 0
  }

  /** Makes the next steps check the age of every workflow's oldest runs. */
  considerAges(): void {
    for (const workflow of this.counters.workflows()) this.#toPrune.add(workflow)
  }

  /** Deletes up to `stepRuns` finished runs of one workflow that are beyond a bound. Returns how many. */
  prune(now: number): number {
    const [workflow] = this.isPruningOverdue ? this.#overdue : this.#toPrune
    if (workflow === undefined) return 0
    const over = this.counters.total(workflow) - this.#bounds.mostPerWorkflow
    // Those beyond the number first. A later step checks the age of the others.
    const [most, before] =
      over > 0 ? [Math.min(over, stepRuns), Number.MAX_SAFE_INTEGER] : [stepRuns, now - this.#bounds.maxAgeMs]
    const rows = this.#statements.oldest.all(workflow, most, before)
    this.#deleteAll(rows.map(row => integer(row.id)))
    this.#deleteSteps(rows.filter(row => row.hasRows === 1).map(row => integer(row.id)))
    for (const row of rows) this.#countFinished(endedOf(row), -1)
    const gone = rows.length
    if (gone === most) return gone
    this.#toPrune.delete(workflow)
    this.#overdue.delete(workflow)
    return gone
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
  #ofCaller({ id, attempt }: Claim): Row | null {
    if (this.fanOuts.held(id) !== undefined) this.#store(id)
    const row = this.#statements.find.get(id)
    return row?.state === state.running && row.attempt === attempt ? row : null
  }

  #end(id: number, row: Row, { state: ended, endedAt, error, discard }: RunEnd): true {
    this.#statements.end.run(state[ended], endedAt, toStoredOrNull(error), id)
    this.lanes.move(fromStored(row.lane), integer(row.state), null)
    this.#countFinished(endedOf({ ...row, id, state: state[ended], ended_at: endedAt }), 1)
    if (discard) {
      this.#statements.discard.run(id)
      this.#statements.discardSteps.run(id)
    }
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
    this.#considerPruning(run.workflow)
  }

  #considerPruning(workflow: string): void {
    const finished = this.counters.total(workflow)
    const { mostPerWorkflow } = this.#bounds
    if (finished > mostPerWorkflow) this.#toPrune.add(workflow)
    if (finished > mostPerWorkflow * mostTimesBound) this.#overdue.add(workflow)
    else this.#overdue.delete(workflow)
  }
}

/** @throws StoredValueError for values that no fan-out has. */
function sharedOf(row: FanOutRow, { startedAt, leaseEndsAt }: Held): ClaimedPending['shared'] {
  return {
    workspaceId: fromStored(row.workspace),
    connectionId: fromStored(row.connection) || null,
    eventId: row.event === null ? null : eventIdOf(integer(row.event)),
    state: 'running',
    dueAt: leaseEndsAt,
    attempt: 1,
    queuedAt: integer(row.queued_at),
    startedAt,
    endedAt: null,
    error: null,
    summary: fromStored(row.summary),
    data: fromStored(row.data),
    isPending: true,
  }
}

/** Returns an ended run as it is counted. */
function endedOf(row: Row): EndedRun {
  return {
    ...{ id: integer(row.id), workflow: fromStored(row.workflow), lane: fromStored(row.lane) },
    ...endOf(row),
  }
}

/** Returns how a run ended. A time that a damaged row lacks is 0. */
function endOf({ state, started_at: startedAt, ended_at: endedAt }: Row) {
  return {
    state: integer(state),
    startedAt: typeof startedAt === 'number' ? startedAt : null,
    endedAt: typeof endedAt === 'number' ? endedAt : 0,
  }
}

const countOf = (row: Row) => ({ state: integer(row.state), runs: integer(row.runs) })

function* mapped<Result>(rows: Iterable<Row>, of: (row: Row) => Result): Generator<Result> {
  for (const row of rows) yield of(row)
}

function prepare(database: DatabaseSync) {
  const set = (change: string) => database.prepare(`UPDATE runs SET ${change}`)
  const counted = 'id, workflow, lane, state, started_at, ended_at'
  // The index on workflow is in the order of the ids only within one state.
  const oldest = [state.succeeded, state.failed, state.cancelled]
    .map(
      of => `SELECT * FROM (SELECT id FROM runs WHERE workflow = ?1 AND state = ${of} ORDER BY id LIMIT ?2)`,
    )
    .join(' UNION ALL ')
  return {
    insert: database.prepare(`
      INSERT INTO runs (id, workflow, workspace, connection, event, lane, state, due_at, attempt, queued_at, summary, data)
      VALUES (?, ?, ?, ?, ?, ?, 0, ?, 0, ?, ?, ?)`),
    insertEnded: database.prepare(`
      INSERT INTO runs (id, workflow, workspace, connection, event, lane, state, due_at, attempt, queued_at, started_at,
        ended_at, error, summary, data, steps)
      VALUES (?, ?, ?, ?, ?, ?, ?, 0, 1, ?, ?, ?, ?, ?, ?, ?)`),
    store: database.prepare(`
      INSERT INTO runs (id, workflow, workspace, connection, event, lane, state, due_at, attempt, queued_at, started_at,
        summary, data)
      SELECT ?1, ?2, workspace, connection, event, ?2, ?3, ?4, ?5, queued_at, ?6, summary, data
      FROM fan_outs WHERE id = ?7`),
    storeEnded: database.prepare(`
      INSERT INTO runs (id, workflow, workspace, connection, event, lane, state, due_at, attempt, queued_at, started_at,
        ended_at, error, summary, data, steps)
      SELECT ?1, ?2, workspace, connection, event, ?2, ?3, 0, 1, queued_at, ?4, ?5, ?6, summary, iif(?8, NULL, data), ?7
      FROM fan_outs WHERE id = ?9`),
    find: database.prepare(`SELECT ${counted}, attempt FROM runs WHERE id = ?`),
    lastOfNext: database.prepare(
      'SELECT max(id) AS id FROM (SELECT id FROM runs WHERE id > ? ORDER BY id LIMIT ?)',
    ),
    ofConnection: database.prepare(`SELECT ${counted} FROM runs WHERE id > ? AND id <= ? AND connection = ?`),
    newest: database.prepare('SELECT coalesce(max(id), 0) AS id FROM runs'),
    due: database.prepare(`
      SELECT id, due_at FROM runs WHERE lane = ? AND state = ? AND state < 2 AND due_at <= ?
      ORDER BY due_at, id LIMIT ?`),
    next: database.prepare(
      'SELECT due_at FROM runs WHERE lane = ? AND state = ? AND state < 2 ORDER BY due_at LIMIT 1',
    ),
    take: set(`
      state = 2, attempt = attempt + 1, due_at = ?, started_at = coalesce(started_at, ?)
      WHERE id = ? RETURNING *`),
    release: set('state = 1, due_at = 0 WHERE state = 2 AND due_at <= ? RETURNING lane'),
    setDue: set('due_at = ? WHERE id = ?'),
    retry: set('state = 1, due_at = ?, error = ? WHERE id = ?'),
    hurry: set('due_at = 0 WHERE id = ? AND state = 1 RETURNING id'),
    reopen: set(`
      state = 1, due_at = 0, ended_at = NULL, error = NULL
      WHERE id = ? AND state IN (4, 5) AND data IS NOT NULL RETURNING lane, workflow, started_at, steps`),
    clearSteps: set('steps = NULL WHERE id = ?'),
    end: set('state = ?, due_at = 0, ended_at = ?, error = ? WHERE id = ?'),
    discard: set('data = NULL WHERE id = ?'),
    // Updates in place: the order of the rows is the order in which the steps began.
    step: database.prepare(`
      INSERT INTO run_steps VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (run, path, attempt) DO UPDATE SET
        started_at = excluded.started_at, ended_at = excluded.ended_at, error = excluded.error,
        call = excluded.call, input = excluded.input, output = excluded.output,
        is_cut = excluded.is_cut, absent = excluded.absent`),
    discardSteps: database.prepare('UPDATE run_steps SET input = NULL, output = NULL WHERE run = ?'),
    oldest: database.prepare(`
      SELECT ${counted}, steps IS NULL AS hasRows FROM (${oldest} ORDER BY id LIMIT ?2) JOIN runs USING (id) WHERE ended_at < ?3`),
    totals: database.prepare(
      'SELECT workflow, state, count(*) AS runs FROM runs WHERE state > 2 GROUP BY workflow, state',
    ),
    byStart: database.prepare(`
      SELECT state, ${hourOfId} AS hour, count(*) AS runs FROM runs INDEXED BY runs_by_workflow
      WHERE workflow = ? AND state > 2 GROUP BY state, hour`),
    between: database.prepare(
      'SELECT count(*) AS runs FROM runs WHERE workflow = ? AND state = ? AND id >= ? AND id < ?',
    ),
    // The index has all that is counted.
    endedSince: database.prepare(`
      SELECT state, started_at, ended_at FROM runs INDEXED BY runs_by_workflow
      WHERE workflow = ? AND state IN (${state.succeeded}, ${state.failed}) AND ended_at >= ? AND (lane = workflow) = 1`),
    delete: database.prepare('DELETE FROM runs WHERE id IN (SELECT value FROM json_each(?))'),
    deleteSteps: database.prepare('DELETE FROM run_steps WHERE run IN (SELECT value FROM json_each(?))'),
  }
}

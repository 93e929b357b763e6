import { type Bus, createBus } from '#main/lib/bus.ts'
import type { DeduplicationKey } from '../deduplication-key.ts'
import type { LoggedEvent, NewEvent } from '../event-log.ts'
import {
  endRowOf,
  idsOf,
  type LeftOut,
  type NewEventRow,
  type NewKey,
  type NewRunRow,
  newEventRowsOf,
  newRowsOf,
  numberOfRunId,
  startedOf,
  state,
} from '../rows/run-rows.ts'
import type {
  Claimed,
  ClaimedRun,
  Decide,
  EndedPending,
  NewRuns,
  RunClaim,
  RunEnd,
  RunStep,
  RunStore,
  Started,
} from '../runs.ts'
import { type AcceptQueue, unavailable } from './accept-queue.ts'
import type { Claims } from './claims.ts'
import type { Row } from './connect.ts'
import type { FanOuts } from './fan-outs.ts'
import type { Pool } from './pool.ts'
import type { RunQuota } from './run-quota.ts'
import type { RunReader } from './run-reader.ts'
import { deleteRuns, type RunWrites } from './run-writes.ts'
import { toStored } from './stored-text.ts'
import { workflowsOf } from './together.ts'

/** Runs or keys that one statement deletes or looks at. */
const stepRows = 4096

type RunParts = {
  readonly slowPool: Pool
  readonly queue: AcceptQueue
  readonly claims: Claims
  readonly fanOuts: FanOuts
  /** Whether this process may claim. */
  readonly mayWork: () => boolean
  readonly writes: RunWrites
  readonly reader: RunReader
  readonly quota: RunQuota
  readonly clock: () => number
  /** Returns the version of the configuration by which this process decides now. */
  readonly version: () => number
  /** Returns the first of so many numbers of new runs. */
  readonly nextId: (count?: number) => number
  /** Receives what a listener throws. */
  readonly onError: (error: unknown) => void
}

/** Runs in PostgreSQL, which any node may claim. */
export class PostgresRuns implements RunStore {
  readonly changes: Bus<string | null>
  readonly cancelled: Bus<RunClaim>
  readonly #parts

  constructor(parts: RunParts) {
    this.#parts = parts
    this.changes = createBus(parts.onError)
    this.cancelled = createBus(parts.onError)
  }

  start(runs: NewRuns, eventId: string | null, eventKey?: DeduplicationKey): Promise<Started> {
    return this.append(null, runs, eventId, eventKey)
  }

  /** Stores runs, and the event that starts them unless it is null. */
  async append(
    event: LoggedEvent | null,
    runs: NewRuns,
    eventId: string | null,
    eventKey?: DeduplicationKey,
  ): Promise<Started> {
    const version = this.#parts.version()
    if (event !== null) this.#parts.queue.note(event)
    const { rows, event: seq, key } = newRowsOf(runs, eventId, this.#parts.nextId, eventKey)
    if (event === null && rows.length === 0 && eventKey === undefined) return startedOf([], seq, null)
    return startedOf(idsOf(rows), seq, await this.#append([{ event, runs: rows }], key, version))
  }

  /** Stores the events of one request and their runs: see `EventLog.appendAll`. */
  async appendAll(
    events: readonly NewEvent[],
    persists: boolean,
    eventKey?: DeduplicationKey,
  ): Promise<Started[]> {
    const version = this.#parts.version()
    if (persists) for (const { event } of events) this.#parts.queue.note(event)
    const { events: rows, key } = newEventRowsOf(events, persists, this.#parts.nextId, eventKey)
    const leftOut = await this.#append(rows, key, version)
    return rows.map(({ runs, seq }) => startedOf(idsOf(runs), seq, leftOut))
  }

  async #append(
    entries: readonly Pick<NewEventRow, 'event' | 'runs'>[],
    key: NewKey | null,
    version: number,
  ): Promise<LeftOut | null> {
    const { quota, queue, claims, fanOuts } = this.#parts
    const rows = entries.flatMap(({ runs }) => runs)
    const toWait = rows.filter(({ ended }) => ended === undefined).length
    if (toWait > 0 && !quota.takeNow(toWait) && !(await quota.take(toWait)))
      throw unavailable('Too many runs are waiting.')
    try {
      const isSerial =
        key !== null ||
        rows.some(
          row => row.deduplicationKey !== undefined || lanesOf(row).some(lane => claims.isOrdered(lane)),
        )
      const leftOut = await queue.appendAll(entries, key, isSerial, version)
      if (rows.some(({ lane }) => lane === null)) fanOuts.stored()
      if (rows.length > 0) this.changes.publish(null)
      return leftOut
    } catch (error) {
      quota.left(toWait)
      throw error
    }
  }

  isAppending(): boolean {
    return this.#parts.queue.size > 0
  }

  async claim(room: number, leaseMs: number, decide: Decide = () => null): Promise<Claimed> {
    const { claims, fanOuts, quota, mayWork } = this.#parts
    const settled = mayWork() ? await fanOuts.settle(room, leaseMs, decide) : null
    if (settled !== null && settled.looked > 0) this.changes.publish(null)
    const claimed = { ...(await claims.claim(room, leaseMs)), ended: settled?.ended ?? [] }
    const isBegun = ({ isPending, claimNumber }: ClaimedRun) => !isPending && claimNumber === 1
    quota.left((settled?.left ?? 0) + claimed.runs.filter(isBegun).length)
    for (const { runId, isPending } of claimed.runs) if (!isPending) this.changes.publish(runId)
    return fanOuts.mayHaveMore ? { ...claimed, nextDueAt: this.#parts.clock() } : claimed
  }

  async renew(claims: readonly RunClaim[], leaseMs: number): Promise<string[]> {
    const dueAt = this.#parts.clock() + leaseMs
    const runs = claims.flatMap(({ runId, claimNumber }) => {
      const id = numberOfRunId(runId)
      return id === null ? [] : { runId, id, claimNumber }
    })
    if (runs.length === 0) return []
    const held = await this.#parts.writes.renew(runs, dueAt)
    return runs.filter(({ id }) => held.has(id)).map(({ runId }) => runId)
  }

  record(claim: RunClaim, steps: readonly RunStep[]): Promise<boolean> {
    return this.#changed(claim.runId, this.#write(claim, { steps, version: this.#parts.version() }))
  }

  retryAt(
    claim: RunClaim,
    dueAt: number,
    error: string | null,
    steps: readonly RunStep[] = [],
  ): Promise<boolean> {
    return this.#changed(claim.runId, this.#write(claim, { state: state.retrying, dueAt, error, steps }))
  }

  finish(claim: RunClaim, end: RunEnd, steps: readonly RunStep[] = []): Promise<boolean> {
    return this.#changed(claim.runId, this.#write(claim, { ...changeOf(end), steps }))
  }

  async endPending(runs: readonly EndedPending[]): Promise<boolean[]> {
    const held = await Promise.all(
      runs.map(run => {
        const stepsText = endRowOf(run.ended, run.startedAt).steps
        return this.#write(run, { ...changeOf(run.ended), stepsText, version: this.#parts.version() })
      }),
    )
    this.changes.publish(null)
    return held
  }

  async #write(
    { runId, claimNumber }: RunClaim,
    change: Omit<Parameters<RunWrites['write']>[0], 'id' | 'claimNumber'>,
  ) {
    const id = numberOfRunId(runId)
    return id !== null && this.#parts.writes.write({ id, claimNumber, ...change })
  }

  /** Announces a run if it has changed. */
  async #changed(runId: string, writing: Promise<boolean>): Promise<boolean> {
    const hasChanged = await writing
    if (hasChanged) this.changes.publish(runId)
    return hasChanged
  }

  async cancel(runId: string, end: Pick<RunEnd, 'endedAt' | 'discard'>): Promise<boolean> {
    const id = numberOfRunId(runId)
    const claimNumber = id === null ? null : await this.#parts.writes.cancel(id, end)
    if (claimNumber === null) return false
    this.cancelled.publish({ runId, claimNumber })
    this.changes.publish(runId)
    return true
  }

  async reopen(runId: string, summary?: string): Promise<boolean> {
    const id = numberOfRunId(runId)
    return id !== null && this.#changed(runId, this.#parts.writes.reopen(id, summary))
  }

  async hurry(runId: string): Promise<boolean> {
    const id = numberOfRunId(runId)
    return id !== null && this.#changed(runId, this.#parts.writes.hurry(id))
  }

  async forget(connectionId: string): Promise<void> {
    const { slowPool, queue, quota } = this.#parts
    await queue.flush()
    // First, so that none of their runs becomes a row afterwards.
    for (let after: number | null = -1; after !== null; ) {
      const [next]: Row[] = await slowPool.query(forgetFanOuts, [after, stepRows, toStored(connectionId)])
      after = next?.id == null ? null : Number(next.id)
    }
    // In steps, so that events are written in between.
    for (let after: number | null = -1; after !== null; ) {
      const [next] = await slowPool.query(lastOfNext, [after, stepRows])
      const last = next?.id ?? null
      await slowPool.repeatable(async connection => {
        const rows = await connection.query(ofConnection, [after, last ?? after, toStored(connectionId)])
        await deleteRuns(
          connection,
          rows.map(({ id }) => id),
        )
      })
      after = last === null ? null : Number(last)
    }
    quota.countAgain()
    await this.forgetKeys(connectionId)
    this.changes.publish(null)
  }

  async forgetKeys(scope: string): Promise<void> {
    await this.#parts.queue.flush()
    for (let deleted = stepRows; deleted === stepRows; )
      deleted = (await this.#parts.slowPool.query(forgetKeys, [scope, stepRows])).length
  }

  get = (runId: string) => this.#parts.reader.get(runId)
  list: RunStore['list'] = query => this.#parts.reader.list(query)
  laneCounts = () => this.#parts.reader.laneCounts()
  oldestDue = (now: number) => this.#parts.reader.oldestDue(now)
  countEnded: RunStore['countEnded'] = query => this.#parts.reader.countEnded(query)
  figures: RunStore['figures'] = (workflowIds, now) => this.#parts.reader.figures(workflowIds, now)
  stepFigures = (workflowId: string) => this.#parts.reader.stepFigures(workflowId)
}

const lanesOf = ({ lane, workflowId }: NewRunRow) => (lane === null ? workflowsOf(workflowId) : [lane])

const changeOf = ({ state: ended, endedAt, error, discard, unseal }: RunEnd) => ({
  ...{ state: state[ended], dueAt: 0, endedAt, error, discard, unseal },
})

const lastOfNext = {
  name: 'last_of_next_runs',
  text: 'SELECT max(id) AS id FROM (SELECT id FROM run WHERE id > $1 ORDER BY id LIMIT $2) AS r',
}
const ofConnection = {
  name: 'runs_of_connection',
  text: 'SELECT id FROM run WHERE id > $1 AND id <= $2 AND connection = $3 ORDER BY id FOR UPDATE',
}
/** Looks at the next $2 fan-outs. Returns the last of them. */
const forgetFanOuts = {
  name: 'forget_fan_outs',
  text: `WITH n AS MATERIALIZED (SELECT id, connection FROM fan_out WHERE id > $1 ORDER BY id LIMIT $2),
    d AS (DELETE FROM fan_out USING n WHERE fan_out.id = n.id AND n.connection = $3)
    SELECT max(id) AS id FROM n`,
}
const forgetKeys = {
  name: 'forget_keys',
  text: `DELETE FROM kept_key WHERE digest IN (SELECT digest FROM kept_key WHERE scope = $1 LIMIT $2) RETURNING digest`,
}

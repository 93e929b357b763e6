import { type Bus, createBus } from '#main/lib/bus.ts'
import { createSequence } from '#main/lib/sequence.ts'
import type { DeduplicationKey } from '#main/storage/deduplication-key.ts'
import type { LoggedEvent, NewEvent } from '#main/storage/event-log.ts'
import type {
  Claimed,
  EndedCounts,
  EndedPending,
  LaneCounts,
  LaneLimit,
  LaneLimits,
  NewRuns,
  RunClaim,
  RunDetails,
  RunEnd,
  RunPage,
  RunQuery,
  RunSelection,
  RunStep,
  RunStore,
  Started,
  StepFigures,
  WorkflowFigures,
} from '#main/storage/runs.ts'
import { ServiceError } from '#shared/errors.ts'
import { pageStart } from '../../rows/page-query.ts'
import {
  endRowOf,
  endStates,
  firstIdOf,
  idsOf,
  type LeftOut,
  type NewEventRow,
  type NewKey,
  type NewRunRow,
  newEventRowsOf,
  newRowsOf,
  numberOfRunId,
  runIdOf,
  startedOf,
} from '../../rows/run-rows.ts'
import type { PendingEnd } from './claimed-pending.ts'
import type { ReaderMethods } from './event-log-reader.ts'
import type { WriterMethods } from './event-log-writer.ts'
import type { Claim } from './run-table.ts'
import type { ThreadLink } from './thread-link.ts'

/** How the runs reach the threads of the event log. */
type RunLinks = {
  readonly append: (
    event: LoggedEvent | null,
    runs: readonly NewRunRow[],
    key: NewKey | null,
  ) => Promise<LeftOut | null>
  readonly appendAll: (events: readonly NewEventRow[], key: NewKey | null) => Promise<LeftOut | null>
  readonly isAppending: () => boolean
  /** Waits until all runs that were appended are written. */
  readonly flush: () => Promise<void>
  readonly write: ThreadLink<WriterMethods>['call']
  readonly read: ThreadLink<ReaderMethods>['call']
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Receives what a listener throws. */
  readonly onError: (error: unknown) => void
}

export type WithRuns = {
  readonly runs: RunStore
  /** Returns the number of the next event; see `Ids`. */
  nextEvent(): number
  setLanes(limits: LaneLimits): Promise<void>
}

/** The runs in the database of the event log. */
export class SqliteRuns implements RunStore {
  readonly changes: Bus<string | null>
  readonly cancelled: Bus<RunClaim>
  readonly #links
  readonly #limits = new Map<string, LaneLimit>()
  #nextId: (count?: number) => number

  constructor(links: RunLinks) {
    this.#links = links
    this.changes = createBus(links.onError)
    this.cancelled = createBus(links.onError)
    this.#nextId = createSequence(links.clock)
  }

  /** Ends the leases of an earlier process. Called once, after the writer has opened. */
  async recover(newestEvent: number): Promise<void> {
    const newest = await this.#links.write('recover')
    this.#nextId = createSequence(this.#links.clock, Math.max(newest, newestEvent))
  }

  /** The limits that were set: a writer that starts again needs them. */
  get limits(): LaneLimits {
    return [...this.#limits]
  }

  /** Resolves when no run is claimed by earlier limits any more. */
  async setLanes(limits: LaneLimits): Promise<void> {
    if (limits.length === 0) return
    for (const [lane, limit] of limits) this.#limits.set(lane, limit)
    await this.#links.write('setLanes', limits)
  }

  start(runs: NewRuns, eventId: string | null, key?: DeduplicationKey): Promise<Started> {
    return this.append(null, runs, eventId, key)
  }

  /** Stores runs, and the event that starts them unless it is null. */
  async append(
    event: LoggedEvent | null,
    runs: NewRuns,
    eventId: string | null,
    eventKey?: DeduplicationKey,
  ): Promise<Started> {
    const { ids, seq, leftOut } = this.#append(event, runs, eventId, eventKey)
    const started = startedOf(ids, seq, await leftOut)
    if (ids.length > 0) this.changes.publish(null)
    return started
  }

  /** Keeps no row until the runs are stored: collecting thousands of them as garbage takes longer than making them. */
  #append(event: LoggedEvent | null, runs: NewRuns, eventId: string | null, eventKey?: DeduplicationKey) {
    const { rows, event: seq, key } = newRowsOf(runs, eventId, this.#nextId, eventKey)
    const isNothing = event === null && rows.length === 0 && key === null
    return { ids: idsOf(rows), seq, leftOut: isNothing ? null : this.#links.append(event, rows, key) }
  }

  /** Stores the events of one request and their runs: see `EventLog.appendAll`. */
  async appendAll(
    events: readonly NewEvent[],
    persists: boolean,
    eventKey?: DeduplicationKey,
  ): Promise<Started[]> {
    const { events: rows, key } = newEventRowsOf(events, persists, this.#nextId, eventKey)
    const leftOut = await this.#links.appendAll(rows, key)
    if (rows.some(({ runs }) => runs.length > 0)) this.changes.publish(null)
    return rows.map(({ runs, seq }) => startedOf(idsOf(runs), seq, leftOut))
  }

  isAppending(): boolean {
    return this.#links.isAppending()
  }

  async claim(room: number, leaseMs: number): Promise<Claimed> {
    const now = this.#links.clock()
    const { runs, pending, nextDueAt } = await this.#links.write('claim', now, room, leaseMs)
    for (const { runId } of runs) this.changes.publish(runId)
    const ofFanOuts = pending.flatMap(({ shared, runs: claimed }) =>
      claimed.map(([id, workflowId]) => ({ ...shared, runId: runIdOf(id), workflowId, lane: workflowId })),
    )
    return { runs: [...runs, ...ofFanOuts], nextDueAt }
  }

  renew(claims: readonly RunClaim[], leaseMs: number): Promise<string[]> {
    return this.#links.write('renew', claims.map(claimOf), this.#links.clock() + leaseMs)
  }

  record(claim: RunClaim, steps: readonly RunStep[]): Promise<boolean> {
    return this.#changed(claim.runId, this.#links.write('record', claimOf(claim), steps))
  }

  retryAt(
    claim: RunClaim,
    dueAt: number,
    error: string | null,
    steps: readonly RunStep[] = [],
  ): Promise<boolean> {
    return this.#changed(claim.runId, this.#links.write('retryAt', claimOf(claim), dueAt, error, steps))
  }

  finish(claim: RunClaim, end: RunEnd, steps: readonly RunStep[] = []): Promise<boolean> {
    return this.#changed(claim.runId, this.#links.write('finish', claimOf(claim), end, steps))
  }

  async endPending(runs: readonly EndedPending[]): Promise<boolean[]> {
    const ends = runs.map((run): PendingEnd => {
      const { state, endedAt, error, steps } = endRowOf(run.ended, run.startedAt)
      return [claimOf(run).id, endStates.indexOf(state), endedAt, error, steps, run.ended.discard]
    })
    const kept = await this.#links.write('endPending', ends)
    this.changes.publish(null)
    return kept
  }

  async cancel(runId: string, end: Pick<RunEnd, 'endedAt' | 'discard'>): Promise<boolean> {
    const id = numberOfRunId(runId)
    if (id === null) return false
    const claimNumber = await this.#links.write('cancel', id, {
      ...{ ...end, state: 'cancelled', error: null, unseal: true },
    })
    if (claimNumber === null) return false
    this.cancelled.publish({ runId, claimNumber })
    this.changes.publish(runId)
    return true
  }

  async reopen(runId: string, summary?: string): Promise<boolean> {
    const id = numberOfRunId(runId)
    return id !== null && this.#changed(runId, this.#links.write('reopen', id, summary))
  }

  async hurry(runId: string): Promise<boolean> {
    const id = numberOfRunId(runId)
    return id !== null && this.#changed(runId, this.#links.write('hurry', id))
  }

  async forget(connectionId: string): Promise<void> {
    await this.#links.flush()
    // In steps, so that events are written in between.
    for (let after: number | null = -1; after !== null; )
      after = await this.#links.write('forgetPending', connectionId, after)
    for (let after: number | null = -1; after !== null; )
      after = await this.#links.write('forget', connectionId, after)
    await this.forgetKeys(connectionId)
    this.changes.publish(null)
  }

  async forgetKeys(scope: string): Promise<void> {
    await this.#links.flush()
    while (await this.#links.write('forgetKeys', scope)) {}
  }

  /** Announces a run if it has changed. */
  async #changed(runId: string, writing: Promise<boolean>): Promise<boolean> {
    const hasChanged = await writing
    if (hasChanged) this.changes.publish(runId)
    return hasChanged
  }

  async get(runId: string): Promise<RunDetails | null> {
    const id = numberOfRunId(runId)
    const run = id === null ? null : await this.#links.read('run', id)
    if (run === 'damaged') throw new ServiceError('damaged_run')
    return run
  }

  async list(query: RunQuery): Promise<RunPage> {
    const page = await this.#links.read('runs', query, pageStart(query, numberOfRunId))
    const nextBefore = page.nextBefore === null ? null : runIdOf(page.nextBefore)
    const damaged = page.damaged.map(runIdOf)
    return {
      ...{ runs: page.runs, nextBefore },
      ...(damaged.length > 0 && { damaged }),
      ...(page.searched !== null && { searched: page.searched }),
    }
  }

  laneCounts(): Promise<LaneCounts[]> {
    return this.#links.write('laneCounts')
  }

  oldestDue(now: number): Promise<number | null> {
    return this.#links.write('oldestDue', now)
  }

  async countEnded(query: RunSelection): Promise<EndedCounts> {
    const { workspaceId, workflowIds = null } = query
    const workflows = workspaceId === undefined ? workflowIds : await this.#links.read('workflowsOf', query)
    return this.#links.write('countEnded', workflows, firstIdOf(query))
  }

  async figures(workflowIds: readonly string[], now: number): Promise<WorkflowFigures[]> {
    const [figures, lastRuns] = await Promise.all([
      this.#links.write('figures', workflowIds, now),
      this.#links.read('lastRuns', workflowIds),
    ])
    return figures.map((one, index) => ({ ...one, lastRun: lastRuns[index] ?? null }))
  }

  stepFigures(workflowId: string): Promise<StepFigures> {
    return this.#links.read('stepFigures', workflowId)
  }
}

/** An id that no run has becomes -1. */
function claimOf({ runId, claimNumber }: RunClaim): Claim {
  return { id: numberOfRunId(runId) ?? -1, claimNumber }
}

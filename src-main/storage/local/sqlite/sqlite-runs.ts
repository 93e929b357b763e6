import { createSequence, sequenceOfEventId } from '#main/lib/sequence.ts'
import type {
  ClaimedRun,
  LaneLimit,
  NewRun,
  RunClaim,
  RunDetails,
  RunEnd,
  RunPage,
  RunQuery,
  RunStep,
  RunStore,
} from '#main/storage/runs.ts'
import type { ReplyValue, WriterNotice } from './protocol.ts'
import { invalid, requireLimit, unexpected } from './questions.ts'
import { type NewRunRow, numberOfRunId, runIdOf } from './run-rows.ts'
import type { Claim, RunAct } from './run-table.ts'

/** The ways from the runs to the threads of the event log. */
export type RunLinks = {
  readonly append: (runs: readonly NewRunRow[]) => Promise<void>
  readonly write: (question: { op: 'runs' } & RunAct) => Promise<ReplyValue>
  readonly read: (question: { op: string } & Record<string, unknown>) => Promise<ReplyValue>
  readonly notify: (notice: WriterNotice) => void
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** The runs in the database of the event log. */
export class SqliteRuns implements RunStore {
  readonly #links
  readonly #limits = new Map<string, LaneLimit>()
  #nextId: () => number

  constructor(links: RunLinks) {
    this.#links = links
    this.#nextId = createSequence(links.clock)
  }

  /** To be called once, after the writer has opened: no lease of an earlier process is in force any more. */
  async recover(newestEvent: number): Promise<void> {
    const newest = await this.#links.write({ op: 'runs', act: 'recover' })
    if (typeof newest !== 'number') throw unexpected()
    this.#nextId = createSequence(this.#links.clock, Math.max(newest, newestEvent))
  }

  /** Tells the writer all limits, since it has started again. */
  tellLimits(): void {
    for (const [lane, limit] of this.#limits) this.#links.notify({ op: 'lane', lane, limit })
  }

  /** Returns the runs with new ids, as the writer takes them. */
  rowsOf(runs: readonly NewRun[], eventId: string | null): NewRunRow[] {
    const event = eventId === null ? null : sequenceOfEventId(eventId)
    return runs.map(run => ({ ...run, id: this.#nextId(), event }))
  }

  async start(runs: readonly NewRun[], eventId: string | null): Promise<string[]> {
    if (eventId !== null && sequenceOfEventId(eventId) === null)
      throw new RangeError(`Not an event id: ${eventId}`)
    const rows = this.rowsOf(runs, eventId)
    if (rows.length > 0) await this.#links.append(rows)
    return rows.map(({ id }) => runIdOf(id))
  }

  setLane(lane: string, limit: LaneLimit): void {
    this.#limits.set(lane, limit)
    this.#links.notify({ op: 'lane', lane, limit })
  }

  async claim(now: number, room: number, leaseMs: number): Promise<ClaimedRun[]> {
    const answer = await this.#links.write({ op: 'runs', act: 'claim', now, room, leaseMs })
    if (answer === null || typeof answer !== 'object' || !('claimed' in answer)) throw unexpected()
    return [...answer.claimed]
  }

  async renew(claims: readonly RunClaim[], leaseEndsAt: number): Promise<string[]> {
    const answer = await this.#links.write({
      op: 'runs',
      act: 'renew',
      claims: claims.map(claimOf),
      leaseEndsAt,
    })
    if (!Array.isArray(answer)) throw unexpected()
    return answer
  }

  recordStep(claim: RunClaim, step: RunStep): Promise<boolean> {
    return this.#try({ act: 'step', claim: claimOf(claim), step })
  }

  retryAt(claim: RunClaim, dueAt: number, error: string | null): Promise<boolean> {
    return this.#try({ act: 'retry', claim: claimOf(claim), dueAt, error })
  }

  finish(claim: RunClaim, end: RunEnd): Promise<boolean> {
    return this.#try({ act: 'finish', claim: claimOf(claim), end })
  }

  async cancel(runId: string, end: Pick<RunEnd, 'endedAt' | 'discard'>): Promise<boolean> {
    const run = numberOfRunId(runId)
    return run !== null && this.#try({ act: 'cancel', run, end: { ...end, state: 'cancelled', error: null } })
  }

  async get(runId: string): Promise<RunDetails | null> {
    const id = numberOfRunId(runId)
    if (id === null) return null
    const run = await this.#links.read({ op: 'run', run: id })
    if (run === null || (typeof run === 'object' && 'steps' in run)) return run
    throw unexpected()
  }

  async list({ workflowId, connectionId, state, before, limit }: RunQuery): Promise<RunPage> {
    const beforeId = before === undefined ? Number.MAX_SAFE_INTEGER : numberOfRunId(before)
    if (beforeId === null) throw invalid('before', 'Must be a run id.')
    requireLimit(limit)
    const filter = {
      workflowId: workflowId ?? null,
      connectionId: connectionId ?? null,
      state: state ?? null,
    }
    const answer = await this.#links.read({ op: 'runs', ...filter, before: beforeId, limit })
    if (answer === null || typeof answer !== 'object' || !('runs' in answer)) throw unexpected()
    const runs = answer.runs.slice(0, limit)
    return { runs, nextBefore: answer.runs.length > limit ? (runs.at(-1)?.runId ?? null) : null }
  }

  async #try(act: RunAct): Promise<boolean> {
    return (await this.#links.write({ op: 'runs', ...act })) === true
  }
}

/** A run of no id is nobody's. */
function claimOf({ runId, attempt }: RunClaim): Claim {
  return { id: numberOfRunId(runId) ?? -1, attempt }
}

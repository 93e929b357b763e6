import { createSequence, sequenceOfEventId } from '#main/lib/sequence.ts'
import type { LaneLimit, NewRun, RunClaim, RunStore } from '#main/storage/runs.ts'
import { ServiceError } from '#shared/errors.ts'
import type { ReaderMethods } from './event-log-reader.ts'
import type { WriterMethods } from './event-log-writer.ts'
import { pageStart } from './page-query.ts'
import { type NewRunRow, newRowOf, numberOfRunId, runIdOf } from './run-rows.ts'
import type { Claim } from './run-table.ts'
import type { ThreadLink } from './thread-link.ts'

/** How the runs reach the threads of the event log. */
type RunLinks = {
  readonly append: (runs: readonly NewRunRow[]) => Promise<void>
  /** Waits until all runs that were appended are written. */
  readonly flush: () => Promise<void>
  readonly write: ThreadLink<WriterMethods>['call']
  readonly read: ThreadLink<ReaderMethods>['call']
  /** Tells the writer the limit of a lane. */
  readonly setLane: (lane: string, limit: LaneLimit) => void
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** The runs in the database of the event log. */
export type SqliteRuns = ReturnType<typeof createSqliteRuns>

export function createSqliteRuns(links: RunLinks) {
  const { append, flush, write, read, clock } = links
  const limits = new Map<string, LaneLimit>()
  let nextId = createSequence(clock)

  /** Returns the runs with new ids, as the writer takes them. */
  function rowsOf(runs: readonly NewRun[], eventId: string | null): NewRunRow[] {
    const event = eventId === null ? null : sequenceOfEventId(eventId)
    return runs.map(run => newRowOf(run, nextId(), event))
  }

  const store: RunStore = {
    async start(runs, eventId) {
      if (eventId !== null && sequenceOfEventId(eventId) === null)
        throw new RangeError(`Not an event id: ${eventId}`)
      const rows = rowsOf(runs, eventId)
      if (rows.length > 0) await append(rows)
      return rows.map(({ id }) => runIdOf(id))
    },
    setLane(lane, limit) {
      limits.set(lane, limit)
      links.setLane(lane, limit)
    },
    claim: (now, room, leaseMs) => write('claim', now, room, leaseMs),
    renew: (claims, leaseEndsAt) => write('renew', claims.map(claimOf), leaseEndsAt),
    record: (claim, steps) => write('record', claimOf(claim), steps),
    retryAt: (claim, dueAt, error, steps = []) => write('retryAt', claimOf(claim), dueAt, error, steps),
    finish: (claim, end, steps = []) => write('finish', claimOf(claim), end, steps),
    async cancel(runId, end) {
      const id = numberOfRunId(runId)
      return id !== null && write('cancel', id, { ...end, state: 'cancelled', error: null })
    },
    async reopen(runId) {
      const id = numberOfRunId(runId)
      return id !== null && write('reopen', id)
    },
    async forget(connectionId) {
      await flush()
      // In steps, so that events are written in between.
      for (let after: number | null = -1; after !== null; ) after = await write('forget', connectionId, after)
    },
    async get(runId) {
      const id = numberOfRunId(runId)
      const run = id === null ? null : await read('run', id)
      if (run === 'damaged') throw new ServiceError('damaged_run')
      return run
    },
    async list(query) {
      const page = await read('runs', query, pageStart(query, numberOfRunId))
      const nextBefore = page.nextBefore === null ? null : runIdOf(page.nextBefore)
      const damaged = page.damaged.map(runIdOf)
      return { runs: page.runs, nextBefore, ...(damaged.length > 0 && { damaged }) }
    },
    laneCounts: () => write('laneCounts'),
    countEnded: query => read('countEnded', query),
    figures: (workflowIds, now) => read('figures', workflowIds, now),
    stepFigures: workflowId => read('stepFigures', workflowId),
  }

  return {
    ...store,
    rowsOf,
    /** Ends the leases of an earlier process. Called once, after the writer has opened. */
    async recover(newestEvent: number) {
      nextId = createSequence(clock, Math.max(await write('recover'), newestEvent))
    },
    /** Tells a restarted writer all limits. */
    tellLimits() {
      for (const [lane, limit] of limits) links.setLane(lane, limit)
    },
  }
}

/** An id that no run has becomes -1. */
function claimOf({ runId, attempt }: RunClaim): Claim {
  return { id: numberOfRunId(runId) ?? -1, attempt }
}

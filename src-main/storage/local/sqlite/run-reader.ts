import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { sequenceOfEventId, sequenceOfTime } from '#main/lib/sequence.ts'
import {
  type EndedCounts,
  type ListedRun,
  mostRunsOfFigures,
  type RunDetails,
  type RunQuery,
  type RunSelection,
  type StepFigures,
  type WorkflowFigures,
} from '#main/storage/runs.ts'
import { hourMs } from '#shared/durations.ts'
import { subjectOfBody } from '#shared/model/subject.ts'
import { fold, searchable } from '../../fold.ts'
import { readableOrDamaged, reading } from './damaged-log.ts'
import { PendingRuns, type PendingSelection } from './pending-runs.ts'
import { eventNameOf, numberOfRunId, runOf, state, stepOf, stepsOfText } from './run-rows.ts'
import { fromStored, fromStoredOrNull, integer } from './stored-text.ts'

/** Ids that are read from an index at once. */
const idsAtOnce = 64
/** Runs that are checked before other requests get their turn. */
const chunkRuns = 256
/** Bounds of what one page checks: runs, and UTF-16 units of data that is searched. */
const mostChecked = 10_000
const mostText = 32 * 1024 * 1024
/** Attempts at steps that one answer about steps reads. */
const mostAttempts = 100_000

const allStates = Object.values(state)
const hoursShown = 24

/** The stored runs that an index finds by these values of its columns, or pending ones. */
type Source =
  | { readonly statement: StatementSync; readonly values: readonly (string | number)[] }
  | { readonly pending: PendingSelection }

type Row = Record<string, SQLOutputValue>

type Page = {
  readonly runs: ListedRun[]
  readonly damaged: number[]
  /** The next page has runs below it; null on the last page. */
  readonly nextBefore: number | null
}

/** Reads runs, in the reader's thread. */
export class RunReader {
  readonly #statements
  readonly #pending: PendingRuns

  constructor(database: DatabaseSync) {
    this.#statements = prepare(database)
    this.#pending = new PendingRuns(database)
  }

  /** Returns the row of a run, which may be stored between two of these reads. */
  #row(id: number): Row | undefined {
    const { one } = this.#statements
    return one.get(id) ?? this.#pending.row(id) ?? one.get(id)
  }

  get(id: number): RunDetails | null {
    return reading(() => {
      const row = this.#row(id)
      if (row === undefined) return null
      const steps =
        row.steps === null
          ? this.#statements.steps.all(id).map(stepOf)
          : stepsOfText(fromStored(row.steps), integer(row.started_at))
      return { ...this.#listed(runOf(row), row.data), data: fromStoredOrNull(row.data), steps }
    })
  }

  /** Returns the runs with ids below `before`, newest first, until the page is full or has checked its share. */
  async list(query: RunQuery, before: number): Promise<Page> {
    const matches = matcherOf(query)
    const runs: ListedRun[] = []
    const damaged: number[] = []
    let checked = 0
    let text = 0
    for (const id of this.#newestFirst(this.#sourcesOf(query), before, firstIdOf(query))) {
      if (runs.length + damaged.length === query.limit || checked === mostChecked || text > mostText)
        return { runs, damaged, nextBefore: id + 1 }
      const run = readableOrDamaged(() =>
        reading(() => {
          const row = this.#row(id)
          if (row === undefined) return null
          text += query.text === undefined || row.data === null ? 0 : fromStored(row.data).length
          const found = runOf(row)
          return matches(found, row.data) ? this.#listed(found, row.data) : null
        }),
      )
      if (run === 'damaged') damaged.push(id)
      else if (run !== null) runs.push(run)
      if (++checked % chunkRuns === 0) await setImmediate()
    }
    return { runs, damaged, nextBefore: null }
  }

  countEnded(query: RunSelection): EndedCounts {
    const { countOf } = this.#statements
    const first = firstIdOf(query)
    return reading(() => {
      const workflows = this.#workflowsOf(query)
      const count = (of: number) =>
        workflows.reduce((sum, id) => sum + integer(countOf.get(id, of, first)?.runs), 0)
      return {
        succeeded: count(state.succeeded),
        failed: count(state.failed),
        cancelled: count(state.cancelled),
      }
    })
  }

  /** @param now milliseconds since 1970. */
  async figures(workflowIds: readonly string[], now: number): Promise<WorkflowFigures[]> {
    const figures: WorkflowFigures[] = []
    for (const workflowId of workflowIds) {
      figures.push(reading(() => this.#figuresOf(workflowId, now)))
      await setImmediate()
    }
    return figures
  }

  async stepFigures(workflowId: string): Promise<StepFigures> {
    const begun = allStates.filter(one => one !== state.waiting)
    const steps = new Map<string, { key: string; runs: number; failures: number }>()
    let runs = 0
    let attempts = 0
    for (const id of this.#newestFirst(this.#ofWorkflow(workflowId, begun), Number.MAX_SAFE_INTEGER, 0)) {
      if (runs === mostRunsOfFigures || attempts >= mostAttempts) break
      const rows = reading(() => this.#statements.lastAttempts.all(id))
      attempts += rows.length
      const failed = new Map<string, boolean>()
      for (const row of rows) {
        const path = fromStored(row.path)
        const key = path.slice(path.lastIndexOf('.') + 1)
        failed.set(key, row.failed === 1 || failed.get(key) === true)
      }
      for (const [key, hasFailed] of failed) {
        const step = steps.get(key) ?? { key, runs: 0, failures: 0 }
        steps.set(key, step)
        step.runs++
        if (hasFailed) step.failures++
      }
      if (++runs % chunkRuns === 0) await setImmediate()
    }
    return { runs, steps: [...steps.values()] }
  }

  #figuresOf(workflowId: string, now: number): WorkflowFigures {
    const { ended, failedSince, durations } = this.#statements
    const firstHour = Math.floor(now / hourMs) - hoursShown + 1
    const hours = Array.from({ length: hoursShown }, () => ({ succeeded: 0, failed: 0 }))
    for (const row of ended.iterate(workflowId, firstHour * hourMs)) {
      const hour = hours[Math.min(integer(row.hour) - firstHour, hoursShown - 1)]
      if (hour !== undefined) hour[row.state === state.failed ? 'failed' : 'succeeded'] += integer(row.runs)
    }
    const succeeded = hours.reduce((sum, hour) => sum + hour.succeeded, 0)
    const slow = durations.get(workflowId, firstHour * hourMs, Math.floor(0.95 * Math.max(0, succeeded - 1)))
    const [newest] = this.#newestFirst(this.#ofLane(workflowId, allStates), Number.MAX_SAFE_INTEGER, 0)
    const row = newest === undefined ? undefined : this.#row(newest)
    return {
      workflowId,
      hours,
      failedLastHour: integer(failedSince.get(workflowId, now - hourMs)?.runs),
      p95Ms: slow === undefined ? null : integer(slow.took),
      lastRun: row === undefined ? null : runOf(row),
    }
  }

  #listed(run: ReturnType<typeof runOf>, data: unknown): ListedRun {
    const attempts = this.#statements.attempts.get(numberOfRunId(run.runId) ?? 0)?.attempt
    return {
      ...run,
      subject: data == null ? null : subjectOfBody(fromStored(data)),
      stepAttempts: typeof attempts === 'number' ? attempts : 1,
    }
  }

  /** Returns the smallest indexed sets with all runs that match, possibly with others. */
  #sourcesOf(query: RunQuery): Source[] {
    const { eventId, state: of } = query
    const { nearEvent, farFromEvent, all } = this.#statements
    // The indexes are in the order of the ids only within one state.
    const wanted = of === undefined ? allStates : [state[of]]
    if (eventId !== undefined) {
      const event = sequenceOfEventId(eventId) ?? -1
      const stored = [nearEvent, farFromEvent].map(statement => ({ statement, values: [event] }))
      return [{ pending: { event } }, ...stored]
    }
    if (of === undefined && query.workspaceId === undefined && query.workflowIds === undefined)
      return [{ pending: {} }, { statement: all, values: [] }]
    const stored = reading(() => this.#workflowsOf(query)).flatMap(id => this.#ofWorkflow(id, wanted))
    if (!wanted.includes(state.waiting)) return stored
    const pending = query.workflowIds?.map(workflowId => ({ pending: { workflowId } })) ?? [{ pending: {} }]
    return [...pending, ...stored]
  }

  #ofWorkflow(workflowId: string, states: readonly number[]): Source[] {
    return states.map(one => ({ statement: this.#statements.ofWorkflow, values: [workflowId, one] }))
  }

  /** Returns the sources of the runs in a workflow's own lane: without its tests. */
  #ofLane(workflowId: string, states: readonly number[]): Source[] {
    const stored = states.map(one => ({ statement: this.#statements.ofLane, values: [workflowId, one] }))
    return [{ pending: { workflowId } }, ...stored]
  }

  /** Returns the workflows to which a query is limited, deleted ones too. */
  #workflowsOf({ workspaceId, workflowIds }: RunSelection): readonly string[] {
    if (workspaceId === undefined && workflowIds !== undefined) return workflowIds
    const found: string[] = []
    // Each step skips the other runs of a workflow in the index.
    for (let last = ''; ; ) {
      const row = this.#statements.nextWorkflow.get(last)
      if (row === undefined) return found
      last = fromStored(row.workflow)
      const isInWorkspace = workspaceId === undefined || fromStored(row.workspace) === workspaceId
      if (isInWorkspace && workflowIds?.includes(last) !== false) found.push(last)
    }
  }

  /** Yields the ids of all sources from `first` to below `before`, newest first. */
  *#newestFirst(sources: readonly Source[], before: number, first: number): Generator<number> {
    const streams = sources.map(source => this.#idsOf(source, before, first))
    const heads = streams.map(stream => stream.next().value ?? -1)
    for (let last = before; ; ) {
      let at = -1
      for (let index = 0; index < heads.length; index++)
        if ((heads[index] ?? -1) > (heads[at] ?? -1)) at = index
      if (at === -1) return
      const id = heads[at] ?? -1
      heads[at] = streams[at]?.next().value ?? -1
      // A run that changed its state while this read is in two sources.
      if (id < last) yield id
      last = id
    }
  }

  *#idsOf(source: Source, before: number, first: number): Generator<number, undefined> {
    for (let below = before; ; ) {
      const ids = reading(() =>
        'pending' in source
          ? this.#pending.ids(source.pending, below, first, idsAtOnce)
          : source.statement.all(...source.values, below, first, idsAtOnce).map(row => integer(row.id)),
      )
      yield* ids
      const last = ids.at(-1)
      if (last === undefined || ids.length < idsAtOnce) return
      below = last
    }
  }
}

function firstIdOf({ since }: Pick<RunQuery, 'since'>): number {
  return since === undefined ? 0 : sequenceOfTime(since)
}

/** Returns the check of a run and its stored data. */
function matcherOf(query: RunQuery): (run: ReturnType<typeof runOf>, data: unknown) => boolean {
  const { workspaceId, connectionId, state: of, eventName } = query
  const workflowIds = query.workflowIds === undefined ? null : new Set(query.workflowIds)
  const text = query.text === undefined ? null : fold(query.text)
  return (run, data) => {
    if (workspaceId !== undefined && run.workspaceId !== workspaceId) return false
    if (workflowIds !== null && !workflowIds.has(run.workflowId)) return false
    if (connectionId !== undefined && run.connectionId !== connectionId) return false
    if (of !== undefined && run.state !== of) return false
    if (eventName === undefined && text === null) return true
    const name = eventNameOf(run)
    if (eventName !== undefined && name !== eventName) return false
    if (text === null) return true
    return [run.runId, name, fromStoredOrNull(data) ?? ''].some(one => searchable(one).includes(text))
  }
}

function prepare(database: DatabaseSync) {
  const ids = (which: string) =>
    database.prepare(`SELECT id FROM runs WHERE ${which} id < ? AND id >= ? ORDER BY id DESC LIMIT ?`)
  const { succeeded, failed } = state
  const ended =
    'FROM runs INDEXED BY runs_by_workflow WHERE workflow = ? AND ended_at >= ? AND (lane = workflow) = 1'
  return {
    one: database.prepare('SELECT * FROM runs WHERE id = ?'),
    steps: database.prepare('SELECT * FROM run_steps WHERE run = ? ORDER BY rowid'),
    // With max(), SQLite takes the other columns from the row that has it.
    attempts: database.prepare('SELECT max(rowid), attempt FROM run_steps WHERE run = ?'),
    lastAttempts: database.prepare(`
      SELECT path, max(attempt), error IS NOT NULL AS failed FROM (
        SELECT path, attempt, error FROM run_steps WHERE run = ?1
        UNION ALL SELECT coalesce(value ->> 0, value ->> 'path'), 1, coalesce(value ->> '$[4].error', value ->> 'error') FROM runs, json_each(runs.steps) WHERE runs.id = ?1)
      GROUP BY path LIMIT ${mostAttempts}`),
    all: ids(''),
    // The index on event has only the runs that the first statement does not find.
    nearEvent: database.prepare(`
      SELECT id FROM runs WHERE event = ?1 AND id < min(?2, ?1 + 16384) AND id >= max(?3, ?1)
      ORDER BY id DESC LIMIT ?4`),
    farFromEvent: ids('event = ? AND id NOT BETWEEN event AND event + 16383 AND'),
    ofWorkflow: ids('workflow = ? AND state = ? AND'),
    ofLane: ids('workflow = ? AND state = ? AND (lane = workflow) = 1 AND'),
    nextWorkflow: database.prepare(
      'SELECT workflow, workspace FROM runs WHERE workflow > ? ORDER BY workflow LIMIT 1',
    ),
    countOf: database.prepare(
      'SELECT count(*) AS runs FROM runs WHERE workflow = ? AND state = ? AND id >= ?',
    ),
    ended: database.prepare(`
      SELECT ended_at / ${hourMs} AS hour, state, count(*) AS runs ${ended}
      AND state IN (${succeeded}, ${failed}) GROUP BY 1, 2`),
    failedSince: database.prepare(`SELECT count(*) AS runs ${ended} AND state = ${failed}`),
    durations: database.prepare(`
      SELECT ended_at - started_at AS took ${ended} AND state = ${succeeded} ORDER BY took LIMIT 1 OFFSET ?`),
  }
}

import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { sequenceOfEventId } from '#main/lib/sequence.ts'
import { createTimeSlices } from '#main/lib/time-slices.ts'
import {
  type ListedRun,
  mostRunsOfFigures,
  type Run,
  type RunDetails,
  type RunQuery,
  type RunSelection,
  type StepFigures,
} from '#main/storage/runs.ts'
import type { Searched } from '#main/storage/searched.ts'
import { subjectOfBody } from '#shared/model/subject.ts'
import { checkedColumns, isSearch, runMatcherOf } from '../../rows/run-filters.ts'
import { firstIdOf, numberOfRunId, runOf, state, stepOf, stepsOfText } from '../../rows/run-rows.ts'
import { type SearchBounds, SearchBudget, searchBounds } from '../../rows/search-budget.ts'
import { fromStored, fromStoredOrNull, integer } from '../../rows/stored-text.ts'
import { readableOrDamaged, reading } from './damaged-log.ts'
import { PendingRuns, type PendingSelection } from './pending-runs.ts'
import { dataInSql, wholeRuns } from './shared-texts.ts'

/** Ids that are read from an index at first, and later: a page needs few of most workflows. */
const idsAtFirst = 4
const idsAtOnce = 64
/** Runs that are read before other requests get their turn. */
const chunkRuns = 256
/** Attempts at steps that one answer about steps reads. */
const mostAttempts = 100_000

const unbounded: SearchBounds = {
  rows: Number.POSITIVE_INFINITY,
  text: Number.POSITIVE_INFINITY,
  ms: Number.POSITIVE_INFINITY,
}

const allStates = Object.values(state)

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
  /** Null for a full page, and for the last one. */
  readonly searched: Searched | null
}

/** Reads runs, in the reader's thread. */
export class RunReader {
  readonly #bounds
  readonly #statements
  readonly #pending: PendingRuns
  readonly #slices = createTimeSlices({ sliceMs: 2, isBusy: () => false })

  constructor(database: DatabaseSync, bounds = searchBounds) {
    this.#bounds = bounds
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
      const duplicates = integer(this.#statements.duplicates.get(id)?.events)
      return { ...this.#listed(runOf(row), row.data), data: fromStoredOrNull(row.data), steps, duplicates }
    })
  }

  /** Returns the runs with ids below `before`, newest first, until the page is full or has checked its share. */
  async list(query: RunQuery, before: number): Promise<Page> {
    const matches = runMatcherOf(query)
    const budget = new SearchBudget(isSearch(query) ? this.#bounds : unbounded)
    const runs: ListedRun[] = []
    const damaged: number[] = []
    for (const id of this.#newestFirst(this.#sourcesOf(query), before, firstIdOf(query))) {
      if (runs.length + damaged.length === query.limit)
        return { runs, damaged, nextBefore: id + 1, searched: null }
      if (budget.isOver) {
        const searched = { count: budget.count, isIndexing: false }
        return { runs, damaged, nextBefore: id + 1, searched }
      }
      const run = readableOrDamaged(() =>
        reading(() => {
          // Most rows of a search need not be read any further.
          const checked = this.#statements.checked.get(id) ?? this.#row(id)
          if (checked === undefined) return null
          budget.add(typeof checked.data === 'string' ? checked.data.length : 0)
          const row = matches(checked) ? this.#row(id) : undefined
          return row === undefined ? null : this.#listed(runOf(row), row.data)
        }),
      )
      if (run === 'damaged') damaged.push(id)
      else if (run !== null) runs.push(run)
      if (budget.isSliceOver) {
        await setImmediate()
        budget.resume()
      }
    }
    return { runs, damaged, nextBefore: null, searched: null }
  }

  /** Returns the newest run in the lane of each workflow, in their order; null for none. */
  async lastRuns(workflowIds: readonly string[]): Promise<(Run | null)[]> {
    const runs: (Run | null)[] = []
    for (const workflowId of workflowIds) {
      runs.push(await this.#slices.run(() => reading(() => this.#lastRunOf(workflowId))))
    }
    return runs
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

  #lastRunOf(workflowId: string): Run | null {
    const { ofLane } = this.#statements
    const newest = allStates.map(of => ofLane.get(workflowId, of, Number.MAX_SAFE_INTEGER, 0, 1)?.id ?? -1)
    const pending = this.#pending.ids({ workflowId }, Number.MAX_SAFE_INTEGER, 0, 1)
    const row = this.#row(Math.max(...newest.map(integer), ...pending))
    return row === undefined ? null : runOf(row)
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
    // A search reads most runs in any case, so that it need not merge those of each workflow.
    const isOfMost = query.text !== undefined || query.eventName !== undefined
    const isOfAll = query.workflowIds === undefined && (isOfMost || query.workspaceId === undefined)
    if (of === undefined && isOfAll) return [{ pending: {} }, { statement: all, values: [] }]
    const stored = reading(() => this.workflowsOf(query)).flatMap(id => this.#ofWorkflow(id, wanted))
    if (!wanted.includes(state.waiting)) return stored
    const pending = query.workflowIds?.map(workflowId => ({ pending: { workflowId } })) ?? [{ pending: {} }]
    return [...pending, ...stored]
  }

  #ofWorkflow(workflowId: string, states: readonly number[]): Source[] {
    return states.map(one => ({ statement: this.#statements.ofWorkflow, values: [workflowId, one] }))
  }

  /** Returns the workflows to which a query is limited, deleted ones too. */
  workflowsOf({ workspaceId, workflowIds }: RunSelection): readonly string[] {
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
    let below = before
    for (let limit = idsAtFirst; ; limit = idsAtOnce) {
      const ids = reading(() =>
        'pending' in source
          ? this.#pending.ids(source.pending, below, first, limit)
          : source.statement.all(...source.values, below, first, limit).map(row => integer(row.id)),
      )
      yield* ids
      const last = ids.at(-1)
      if (last === undefined || ids.length < limit) return
      below = last
    }
  }
}

function prepare(database: DatabaseSync) {
  const ids = (which: string) =>
    database.prepare(`SELECT id FROM runs WHERE ${which} id < ? AND id >= ? ORDER BY id DESC LIMIT ?`)
  return {
    one: database.prepare(`${wholeRuns} WHERE id = ?`),
    checked: database.prepare(`SELECT ${checkedColumns.join()}, ${dataInSql} FROM runs WHERE id = ?`),
    duplicates: database.prepare('SELECT count(*) AS events FROM events WHERE duplicate_of = ?'),
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
  }
}

import { hourMs, minuteMs } from '#shared/durations.ts'
import { subjectOfBody } from '#shared/model/subject.ts'
import { roundedUp } from '../rows/durations.ts'
import { pageStart } from '../rows/page-query.ts'
import { isSearch, runMatcherOf } from '../rows/run-filters.ts'
import { firstIdOf, numberOfRunId, runIdOf, state, stepOf, stepsOfText } from '../rows/run-rows.ts'
import type { SearchBounds } from '../rows/search-budget.ts'
import {
  type EndedCounts,
  type LaneCounts,
  type ListedRun,
  mostRunsOfFigures,
  type RunDetails,
  type RunPage,
  type RunQuery,
  type RunSelection,
  type RunStep,
  type StepFigures,
  type WorkflowFigures,
} from '../runs.ts'
import type { Row } from './connect.ts'
import { FanOutReader, type RunChunk, type RunRange, type Tally } from './fan-out-reader.ts'
import type { Pool } from './pool.ts'
import type { RunLists } from './run-lists.ts'
import { chunkOf, sourceOf } from './run-pages.ts'
import { readable, runOfRow } from './run-row.ts'
import { fromStored, toStored, toStoredOrNull } from './stored-text.ts'

/** Runs that are read at once for a search, and the bytes of their data. */
const chunkRuns = 1000
const searchedBytes = 512 * 1024
/** Attempts at steps that one answer about steps reads. */
const mostAttempts = 100_000
const hoursShown = 24

/** Reads the runs of all nodes. */
export class RunReader {
  readonly #pool
  readonly #fanOuts
  readonly #bounds

  constructor(pool: Pool, lists: RunLists, bounds: SearchBounds) {
    this.#pool = pool
    this.#fanOuts = new FanOutReader(pool, lists)
    this.#bounds = bounds
  }

  async get(runId: string): Promise<RunDetails | null> {
    const id = numberOfRunId(runId)
    if (id === null) return null
    const [own] = await this.#pool.query(one, [id])
    // It may have become a row meanwhile.
    const row = own ?? (await this.#fanOuts.get(id)) ?? (await this.#pool.query(one, [id]))[0]
    if (row === undefined) return null
    const [listed] = await this.#listed([row])
    if (listed === undefined) return null
    const data = row.data === null ? null : fromStored(String(row.data))
    return { ...listed, data, steps: await this.#stepsOf(id, row), duplicates: Number(row.duplicates ?? 0) }
  }

  async #stepsOf(id: number, row: Row): Promise<RunStep[]> {
    if (typeof row.steps === 'string') return stepsOfText(String(row.steps), Number(row.started_at))
    const steps = await this.#pool.query(stepsOf, [id])
    return steps.map(step => stepOf(readable(step)))
  }

  /** Adds what lists show to rows of runs with their data. */
  async #listed(rows: readonly Row[]): Promise<ListedRun[]> {
    const attempts = await this.#pool.query(lastAttempts, [rows.map(({ id }) => id)])
    const byRun = new Map(attempts.map(({ run, attempt }) => [run, Number(attempt)]))
    return rows.map(row => ({
      ...runOfRow(row),
      subject: row.data === null ? null : subjectOfBody(fromStored(String(row.data))),
      stepAttempts: byRun.get(row.id) ?? 1,
    }))
  }

  /** Reads the newest runs first, and checks each that may match. */
  async list(query: RunQuery): Promise<RunPage> {
    const { limit, text } = query
    const start = pageStart(query, numberOfRunId)
    const isBounded = isSearch(query)
    const matches = runMatcherOf(query)
    const until = performance.now() + this.#bounds.ms
    const bytes = text === undefined ? null : searchedBytes
    let [left, textLeft, checked] = [this.#bounds.rows, this.#bounds.text, 0]
    const found: Row[] = []
    for (let before = start; ; ) {
      const most = isBounded ? Math.min(chunkRuns, left) : limit + 1 - found.length
      const { rows, from } = await this.#chunk(query, { before, first: firstIdOf(query), most, bytes })
      for (const row of rows) {
        before = Number(row.id)
        checked++
        textLeft -= Number(row.size)
        if (!matches(readable(row))) continue
        if (found.length === limit) return this.#page(found, before + 1, null)
        found.push(row)
      }
      left -= rows.length
      if (from === null) return this.#page(found, null, null)
      before = from
      if (isBounded && (left <= 0 || textLeft <= 0 || performance.now() >= until))
        return this.#page(found, before, found.length === limit ? null : checked)
    }
  }

  /**
   * Returns a part of the runs that may match, from the newest: those of fan-outs, and those that are rows. They become rows,
   * and never the reverse: read in this order, none is missed.
   */
  async #chunk(query: RunQuery, range: RunRange): Promise<RunChunk> {
    const { before, first, most, bytes } = range
    const fanned = await this.#fanOuts.chunk(query, range)
    const source = sourceOf(query)
    const lowest = Math.max(first, fanned.from ?? 0)
    const values = [before, lowest, most, bytes !== null, bytes ?? 1, ...source.values]
    const rows = await this.#pool.query(chunkOf(source.text), values)
    const [last] = rows.slice(-1)
    const isAll = last === undefined || (last.is_last === true && rows.length < most)
    const from = isAll ? fanned.from : Number(last?.id)
    const own = new Set(rows.map(({ id }) => id))
    const others = fanned.rows.filter(({ id }) => !own.has(id) && Number(id) >= (from ?? 0))
    return { rows: [...rows, ...others].sort((a, b) => Number(b.id) - Number(a.id)), from }
  }

  async #page(found: readonly Row[], before: number | null, checked: number | null): Promise<RunPage> {
    const isFanned = ({ fan_out: fanOut }: Row) => fanOut !== undefined
    const fanned = found.filter(isFanned)
    const data = await this.#fanOuts.dataOf(fanned)
    const ids = found.filter(row => !isFanned(row)).map(({ id }) => id)
    const own = ids.length === 0 ? [] : await this.#pool.query(many, [ids])
    const rows: Row[] = [...own, ...fanned.map(row => ({ ...row, data: data.get(row.fan_out) ?? null }))]
    return {
      runs: await this.#listed(rows.sort((a, b) => Number(b.id) - Number(a.id))),
      nextBefore: before === null ? null : runIdOf(before),
      ...(checked !== null && { searched: { count: checked, isIndexing: false } }),
    }
  }

  async laneCounts(): Promise<LaneCounts[]> {
    // First, so that each is counted that becomes a row meanwhile.
    const together = sumsOf(await this.#fanOuts.waiting())
    const lanes = new Map<string, { lane: string; waiting: number; retrying: number; running: number }>()
    for (const { lane, state: of, runs } of await this.#pool.query(counts)) {
      const key = fromStored(String(lane))
      const found = lanes.get(key) ?? { lane: key, waiting: 0, retrying: 0, running: 0 }
      lanes.set(key, found)
      found[of === state.waiting ? 'waiting' : of === state.retrying ? 'retrying' : 'running'] += Number(runs)
    }
    for (const [lane, waiting] of together) {
      const found = lanes.get(lane) ?? { lane, waiting: 0, retrying: 0, running: 0 }
      lanes.set(lane, { ...found, waiting: found.waiting + waiting })
    }
    return [...lanes.values()].filter(({ waiting, retrying, running }) => waiting + retrying + running > 0)
  }

  async oldestDue(now: number): Promise<number | null> {
    const [row] = await this.#pool.query(oldestDue, [now])
    return row?.at == null ? null : Number(row.at)
  }

  async countEnded(query: RunSelection): Promise<EndedCounts> {
    const { workspaceId, workflowIds } = query
    const values = [toStoredOrNull(workspaceId), workflowIds?.map(toStored) ?? null, firstIdOf(query)]
    const rows = await this.#pool.query(countEnded, values)
    const of = (ended: number) => Number(rows.find(row => row.state === ended)?.runs ?? 0)
    const together = sumsOf(await this.#fanOuts.ended(query, firstIdOf(query)))
    const more = [...together.values()].reduce((sum, runs) => sum + runs, 0)
    return { succeeded: of(state.succeeded) + more, failed: of(state.failed), cancelled: of(state.cancelled) }
  }

  async figures(workflowIds: readonly string[], now: number): Promise<WorkflowFigures[]> {
    const firstHour = Math.floor(now / hourMs) - hoursShown + 1
    const firstMinute = Math.floor((now - hourMs) / minuteMs)
    const [byHour, failed, durations, last] = [
      await this.#pool.query(endedByHour, [workflowIds, firstHour * hourMs, hourMs]),
      await this.#pool.query(failedSince, [
        workflowIds,
        Math.max(firstMinute * minuteMs, firstHour * hourMs),
      ]),
      await this.#pool.query(byDuration, [workflowIds, firstHour * hourMs]),
      await this.#pool.query(lastRuns, [workflowIds]),
    ]
    const together = await this.#fanOuts.endedSince(workflowIds, firstHour * hourMs, hourMs)
    const lastIds = new Map(last.map(({ workflow, id }) => [fromStored(String(workflow)), Number(id)]))
    const newest = await this.#fanOuts.newest(new Map(workflowIds.map(id => [id, lastIds.get(id) ?? 0])))
    return workflowIds.map(workflowId => {
      const ofWorkflow = (row: Row) => row.workflow === workflowId
      const more = together.filter(ofWorkflow)
      const hours = Array.from({ length: hoursShown }, () => ({ succeeded: 0, failed: 0 }))
      const add = (hour: unknown, runs: unknown, outcome: 'succeeded' | 'failed') => {
        const found = hours[Math.min(Number(hour) - firstHour, hoursShown - 1)]
        if (found) found[outcome] += Number(runs)
      }
      for (const { hour, state: of, runs } of byHour.filter(ofWorkflow))
        add(hour, runs, of === state.failed ? 'failed' : 'succeeded')
      for (const { row, runs } of more) add(row.hour, runs, 'succeeded')
      const ofAll: Row[] = [
        ...durations.filter(ofWorkflow),
        ...more.map(({ row, runs }) => ({ ms: row.ms, runs })),
      ]
      const lastRun = [last.find(ofWorkflow), newest.get(workflowId)]
        .flatMap((row): Row[] => (row === undefined ? [] : [row]))
        .toSorted((a, b) => Number(b.id) - Number(a.id))[0]
      return {
        ...{ workflowId, hours, failedLastHour: Number(failed.find(ofWorkflow)?.runs ?? 0) },
        p95Ms: p95Of(ofAll),
        lastRun: lastRun === undefined ? null : runOfRow(lastRun),
      }
    })
  }

  async stepFigures(workflowId: string): Promise<StepFigures> {
    const own = await this.#pool.query(newestBegun, [toStored(workflowId), mostRunsOfFigures])
    const after = own.length < mostRunsOfFigures ? 0 : Number(own.at(-1)?.id)
    const { rows, from } = await this.#fanOuts.newestEnded(workflowId, after, mostRunsOfFigures)
    const runs = [...own, ...rows]
      .filter(({ id }) => Number(id) >= (from ?? 0))
      .sort((a, b) => Number(b.id) - Number(a.id))
      .slice(0, mostRunsOfFigures)
    const attempts = await this.#pool.query(lastOfPaths, [runs.map(({ id }) => id), mostAttempts])
    const failedByRun = new Map(runs.map(({ id }) => [id, new Map<string, boolean>()]))
    const add = (run: unknown, path: string, hasFailed: boolean) => {
      const key = path.slice(path.lastIndexOf('.') + 1)
      const failed = failedByRun.get(run)
      failed?.set(key, hasFailed || failed.get(key) === true)
    }
    for (const { run, path, failed } of attempts) add(run, fromStored(String(path)), failed === true)
    for (const { id, steps, started_at: startedAt } of runs)
      if (typeof steps === 'string')
        for (const { path, error } of stepsOfText(String(steps), Number(startedAt)))
          add(id, path, error !== null)
    const steps = new Map<string, { key: string; runs: number; failures: number }>()
    for (const failed of failedByRun.values())
      for (const [key, hasFailed] of failed) {
        const step = steps.get(key) ?? { key, runs: 0, failures: 0 }
        steps.set(key, step)
        step.runs++
        if (hasFailed) step.failures++
      }
    return { runs: runs.length, steps: [...steps.values()] }
  }
}

/** Returns how many runs each workflow has. */
function sumsOf(tallies: readonly Tally[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { workflow, runs } of tallies) sums.set(workflow, (sums.get(workflow) ?? 0) + runs)
  return sums
}

/** Returns the duration that 95 of 100 do not exceed. @param rows durations, and how many runs more or less took each. */
function p95Of(rows: readonly Row[]): number | null {
  const byMs = new Map<number, number>()
  for (const { ms, runs } of rows) byMs.set(Number(ms), (byMs.get(Number(ms)) ?? 0) + Number(runs))
  const total = [...byMs.values()].reduce((sum, runs) => sum + runs, 0)
  let left = Math.floor(0.95 * Math.max(0, total - 1))
  for (const [ms, runs] of [...byMs].sort(([one], [other]) => one - other)) {
    if (left < runs) return roundedUp(ms)
    left -= runs
  }
  return null
}

const columns = 'run.*, b.data'
const withData = 'LEFT JOIN run_body AS b ON b.id = run.body'

const one = {
  name: 'run',
  text: `SELECT ${columns}, own.steps, (SELECT count(*) FROM event WHERE duplicate_of = run.id) AS duplicates
    FROM run ${withData} LEFT JOIN run_body AS own ON own.id = run.id WHERE run.id = $1`,
}
const many = {
  name: 'runs',
  text: `SELECT ${columns} FROM run ${withData} WHERE run.id = ANY ($1::bigint[]) ORDER BY run.id DESC`,
}
const stepsOf = { name: 'steps', text: 'SELECT * FROM run_step WHERE run = $1 ORDER BY place' }
const lastAttempts = {
  name: 'last_attempts',
  text: `SELECT ids.run, s.attempt FROM unnest($1::bigint[]) AS ids(run) CROSS JOIN LATERAL (
    SELECT attempt FROM run_step WHERE run_step.run = ids.run ORDER BY place DESC LIMIT 1) AS s`,
}
const counts = {
  name: 'lane_counts',
  text: `SELECT lane, state, count(*) AS runs FROM run WHERE state < 2 GROUP BY lane, state
    UNION ALL SELECT lane, 2, count(*) FROM run WHERE state = 2 GROUP BY lane`,
}
/** The index of each lane has its oldest run first. Those of an ordered lane wait for a retry. */
const oldestDue = {
  name: 'oldest_due_run',
  text: `SELECT least(min(d.at), (SELECT queued_at FROM fan_out WHERE ended_at IS NULL AND due_at <= $1 ORDER BY place LIMIT 1)) AS at
    FROM (SELECT lane, is_ordered AND EXISTS (SELECT FROM run WHERE run.lane = lane.lane AND state = 1) AS is_blocked
        FROM lane WHERE most > 0) AS l CROSS JOIN LATERAL (
      (SELECT queued_at AS at FROM run WHERE NOT l.is_blocked AND run.lane = l.lane AND state = 0 AND due_at <= 0
        ORDER BY due_at, place LIMIT 1)
      UNION ALL
      (SELECT due_at FROM run WHERE NOT l.is_blocked AND run.lane = l.lane AND state = 0 AND due_at > 0 AND due_at <= $1
        ORDER BY due_at LIMIT 1)
      UNION ALL
      (SELECT due_at FROM run WHERE run.lane = l.lane AND state = 1 AND due_at > 0 AND due_at <= $1 ORDER BY due_at LIMIT 1)
    ) AS d`,
}
const countEnded = {
  name: 'count_ended',
  text: `SELECT state, count(*) AS runs FROM run
    WHERE state > 2 AND ($1::text IS NULL OR workspace = $1) AND ($2::text[] IS NULL OR workflow = ANY ($2)) AND id >= $3
    GROUP BY state`,
}
const endedByHour = {
  name: 'ended_by_hour',
  text: `SELECT workflow, state, ended_at / $3::bigint AS hour, count(*) AS runs FROM run
    WHERE workflow = ANY ($1::text[]) AND state IN (3, 4) AND ended_at >= $2 AND lane = workflow GROUP BY 1, 2, 3`,
}
const failedSince = {
  name: 'failed_since',
  text: `SELECT workflow, count(*) AS runs FROM run
    WHERE workflow = ANY ($1::text[]) AND state = 4 AND ended_at >= $2 AND lane = workflow GROUP BY workflow`,
}
const byDuration = {
  name: 'ended_by_duration',
  text: `SELECT workflow, ended_at - coalesce(started_at, ended_at) AS ms, count(*) AS runs FROM run
    WHERE workflow = ANY ($1::text[]) AND state = 3 AND ended_at >= $2 AND lane = workflow GROUP BY 1, 2 ORDER BY 1, 2`,
}
const lastRuns = {
  name: 'last_runs',
  text: `SELECT run.* FROM unnest($1::text[]) AS w(workflow) CROSS JOIN LATERAL (
      SELECT r.id FROM unnest('{0,1,2,3,4,5}'::int[]) AS s(state) CROSS JOIN LATERAL (
        SELECT id FROM run WHERE run.workflow = w.workflow AND run.state = s.state AND run.lane = w.workflow
        ORDER BY id DESC LIMIT 1) AS r
      ORDER BY r.id DESC LIMIT 1) AS newest
    JOIN run USING (id)`,
}
const newestBegun = {
  name: 'newest_begun',
  text: `SELECT r.id, run.started_at, b.steps FROM (
      SELECT r.id FROM unnest('{1,2,3,4,5}'::int[]) AS s(state) CROSS JOIN LATERAL (
        SELECT id FROM run WHERE workflow = $1 AND run.state = s.state ORDER BY id DESC LIMIT $2) AS r
      ORDER BY r.id DESC LIMIT $2) AS r
    JOIN run USING (id) LEFT JOIN run_body AS b ON b.id = run.id`,
}
const lastOfPaths = {
  name: 'last_of_paths',
  text: `SELECT DISTINCT ON (run, path) run, path, error IS NOT NULL AS failed FROM run_step
    WHERE run = ANY ($1::bigint[]) ORDER BY run, path, attempt DESC LIMIT $2`,
}

import { sequenceOfEventId } from '#main/lib/sequence.ts'
import { state } from '../rows/run-rows.ts'
import type { RunQuery, RunSelection } from '../runs.ts'
import type { Row } from './connect.ts'
import { endInSql, nthInSql, nthOf, spanOf } from './ids.ts'
import type { Pool } from './pool.ts'
import { queryOn } from './repeats.ts'
import type { ListOfRuns, RunLists } from './run-lists.ts'
import { fromStored, toStored, toStoredOrNull } from './stored-text.ts'
import { fanOutOf, mostTogether } from './together.ts'

type Lists = ReadonlyMap<number, ListOfRuns>

/** Runs that are read at once: those below `before` and from `first` on. */
export type RunRange = {
  readonly before: number
  readonly first: number
  /** About how many are read, the newest first, with their data until these have so many bytes; null for none. */
  readonly most: number
  readonly bytes: number | null
}

/** Part of a range, newest first. All of its runs from `from` on are there; null for all. */
export type RunChunk = { readonly rows: readonly Row[]; readonly from: number | null }

/** How many runs a workflow has of those that a query groups by some columns. */
export type Tally = { readonly workflow: string; readonly row: Row; readonly runs: number }

/** Reads the runs of fan-outs (migrations/007.ts), as rows of `run`. */
export class FanOutReader {
  readonly #pool
  readonly #lists

  constructor(pool: Pool, lists: RunLists) {
    this.#pool = pool
    this.#lists = lists
  }

  /** Reads rows with a column `list`, and the lists of these. */
  #read(
    statement: { readonly name?: string; readonly text: string },
    values: readonly unknown[],
  ): Promise<{ readonly rows: readonly Row[]; readonly lists: Lists }> {
    return this.#pool.use(async connection => {
      const rows = await queryOn(connection, statement, values)
      return {
        rows,
        lists: await this.#lists.read(
          connection,
          rows.map(({ list }) => Number(list)),
        ),
      }
    })
  }

  /** Returns a run with its data, and with the text of its steps or null; undefined if no fan-out has it. */
  async get(id: number): Promise<Row | undefined> {
    const { rows, lists } = await this.#read(one, [id])
    const [row] = rows
    return row && runAt(row, lists, Number(row.nth), stepsAt(row.steps, Number(row.nth)))
  }

  /** Returns a part of the runs that may match a query, from the newest. */
  async chunk(query: RunQuery, range: RunRange): Promise<RunChunk> {
    const { state: of, workflowIds } = query
    if (of !== undefined && of !== 'waiting' && of !== 'succeeded') return { rows: [], from: null }
    const { before, first, most, bytes } = range
    const source = sourceOf(query)
    const counted = workflowIds === undefined ? 'f.runs' : '1'
    const { rows, lists } = await this.#read({ text: chunkOf(source.text, counted) }, [
      ...[before, first - widestSpan, most, bytes !== null, bytes ?? 0],
      ...source.values,
    ])
    const wanted = workflowIds && new Set(workflowIds)
    const runs = rows.flatMap(row => allOf(row, lists, workflow => wanted?.has(workflow) ?? true))
    const last = rows.find(({ is_last: isLast }) => isLast === false)
    const from = last === undefined || Number(last.oldest) <= first ? null : Number(last.oldest)
    const inRange = ({ id }: Row) => Number(id) < before && Number(id) >= Math.max(first, from ?? 0)
    return { rows: runs.filter(inRange).sort((a, b) => Number(b.id) - Number(a.id)), from }
  }

  /** Returns the data of runs of `chunk`, by `fan_out`. */
  async dataOf(rows: readonly Row[]): Promise<ReadonlyMap<unknown, unknown>> {
    const ids = [...new Set(rows.map(row => row.fan_out))]
    const found = ids.length === 0 ? [] : await this.#pool.query(dataOf, [ids])
    return new Map(found.map(({ id, data }) => [id, data]))
  }

  /** Returns how many wait of each workflow. */
  waiting(): Promise<Tally[]> {
    return this.#tally('ended_at IS NULL', '', [])
  }

  /** Returns how many have ended of each workflow of a selection. @param first the lowest id. */
  async ended({ workspaceId, workflowIds }: RunSelection, first: number): Promise<Tally[]> {
    const values = [first, toStoredOrNull(workspaceId), storedOf(workflowIds)]
    const counted = await this.#tally(`id >= $1 AND ${endedOf}`, '', values, workflowIds)
    if (first === 0) return counted
    const { rows, lists } = await this.#read({ text: endedAround }, values)
    const wanted = workflowIds && new Set(workflowIds)
    const around = rows.flatMap(row => allOf(row, lists, workflow => wanted?.has(workflow) ?? true))
    const isIn = ({ id }: Row) => Number(id) >= first
    return [
      ...counted,
      ...around.filter(isIn).map(row => ({ workflow: fromStored(String(row.workflow)), row, runs: 1 })),
    ]
  }

  /** Returns how many have ended of workflows from a time on, by `hour` and by duration, `ms`. @param hourMs of an hour. */
  endedSince(workflowIds: readonly string[], since: number, hourMs: number): Promise<Tally[]> {
    const which = `ended_at >= $1 AND list IN (SELECT l.id FROM run_list AS l WHERE l.workflows && $2::text[])`
    const groups = ', ended_at / $3::bigint AS hour, ended_at - started_at AS ms'
    return this.#tally(which, groups, [since, storedOf(workflowIds), hourMs], workflowIds)
  }

  /** Counts fan-outs by their lists and more, and each of their workflows as often, but for those that are elsewhere. */
  async #tally(
    which: string,
    groups: string,
    values: readonly unknown[],
    workflowIds?: readonly string[],
  ): Promise<Tally[]> {
    const { rows, lists } = await this.#read({ text: tallyOf(which, groups) }, values)
    const wanted = workflowIds && new Set(workflowIds)
    return rows.flatMap(row => {
      const { workflows = [] } = lists.get(Number(row.list)) ?? {}
      const gone = goneOf(row)
      return workflows.flatMap((workflow, nth) =>
        gone.has(nth) || wanted?.has(workflow) === false ? [] : { workflow, row, runs: Number(row.runs) },
      )
    })
  }

  /** Returns the newest run of each workflow, but none up to the given one. */
  async newest(after: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, Row>> {
    const { rows, lists } = await this.#read(newestOf, [
      [...after.keys()].map(toStored),
      Array.from(after.values(), id => id - widestSpan),
    ])
    return new Map(
      rows.map(row => {
        const { workflows = [] } = lists.get(Number(row.list)) ?? {}
        return [workflows[Number(row.nth)] ?? '', runAt(row, lists, Number(row.nth), null)]
      }),
    )
  }

  /**
   * Returns the newest runs of a workflow that have ended, with the texts of their steps, but none up to an id. There are fewer
   * where their fan-outs have many steps: then they are all from `from` on.
   */
  async newestEnded(workflowId: string, after: number, most: number): Promise<RunChunk> {
    const { rows, lists } = await this.#read(newestEndedOf, [toStored(workflowId), after - widestSpan, most])
    const runs = rows.map(row => runAt(row, lists, Number(row.nth), stepsAt(row.steps, Number(row.nth))))
    return { rows: runs, from: rows.length < Number(rows[0]?.found ?? 0) ? Number(runs.at(-1)?.id) : null }
  }
}

const storedOf = (workflowIds: readonly string[] | undefined) => workflowIds?.map(toStored) ?? null

/** Returns run `nth` of a fan-out as a row of `run`, with its fan-out. */
function runAt(row: Row, lists: Lists, nth: number, steps: string | null): Row {
  const list = lists.get(Number(row.list))
  const workflow = toStored(list?.workflows[nth] ?? '')
  const hasEnded = row.ended_at !== null
  return {
    ...{
      id: nthOf(Number(row.id), nth),
      ...{ fan_out: row.id, nth },
      workflow,
      workspace: toStored(list?.workspaceId ?? ''),
    },
    ...{ connection: row.connection, event: row.event, lane: workflow, due_at: 0, queued_at: row.queued_at },
    ...{ state: hasEnded ? state.succeeded : state.waiting, attempt: hasEnded ? 1 : 0, error: null },
    ...{ started_at: hasEnded ? row.started_at : null, ended_at: row.ended_at },
    ...{ summary: row.summary, data: row.data ?? null, size: row.size ?? 0, steps },
  }
}

/** Returns the indexes of the runs that are not in a fan-out any more. */
const goneOf = ({ gone }: Row) => new Set<unknown>(Array.isArray(gone) ? gone : [])

/** Returns the runs of a fan-out whose workflows are wanted. */
function allOf(row: Row, lists: Lists, isWanted: (workflow: string) => boolean): Row[] {
  const { workflows = [] } = lists.get(Number(row.list)) ?? {}
  const gone = goneOf(row)
  return workflows.flatMap((workflow, nth): Row[] =>
    gone.has(nth) || !isWanted(workflow) ? [] : [runAt(row, lists, nth, null)],
  )
}

/**
 * Yields the runs of a fan-out that has ended, as rows of `run` with the texts of their steps.
 *
 * @param row of `fan_out`, with the columns `workspace` and `workflows` of its list.
 */
export function* endedRunsOf(row: Row): Generator<Row> {
  const workflows = Array.isArray(row.workflows) ? row.workflows.map(one => fromStored(String(one))) : []
  const lists: Lists = new Map([
    [Number(row.list), { workspaceId: fromStored(String(row.workspace)), workflows }],
  ])
  const steps = entriesOf(row.steps)
  for (const run of allOf(row, lists, () => true))
    yield { ...run, data: row.data, steps: textAt(steps, Number(run.nth)) }
}

/** Returns the JSON of the steps of a run; null if it has none. @param text see `stepsOfAll`. */
const stepsAt = (text: unknown, nth: number) => textAt(entriesOf(text), nth)

function entriesOf(text: unknown): readonly unknown[] {
  const entries: unknown = typeof text === 'string' ? JSON.parse(text) : null
  return Array.isArray(entries) ? entries : []
}

function textAt(entries: readonly unknown[], nth: number): string | null {
  const entry = entries[nth]
  const steps = typeof entry === 'number' ? entries[entry] : entry
  return steps === null || steps === undefined ? null : JSON.stringify(steps)
}

/** Bytes of steps that are read for the figures of one workflow. A fan-out has those of others, too. */
const mostStepsRead = 8 * 1024 * 1024
/** The ids of a fan-out follow its own for at most so much. */
const widestSpan = spanOf(mostTogether)

type Source = { readonly text: string; readonly values: readonly unknown[] }

/** Selects the ids below $1, the newest $3 of them, of the fan-outs that may have runs that a query is limited to. */
function sourceOf({ workspaceId, workflowIds, connectionId, eventId, state: of }: RunQuery): Source {
  const values: unknown[] = []
  const add = (value: unknown) => `$${values.push(value) + 5}`
  const range = ['id < $1', 'id >= $2']
  const also = [
    ...(connectionId === undefined ? [] : [`connection = ${add(toStored(connectionId ?? ''))}`]),
    ...(of === undefined ? [] : [`ended_at IS ${of === 'waiting' ? '' : 'NOT '}NULL`]),
  ]
  const newest = (...which: string[]) =>
    `(SELECT id FROM fan_out WHERE ${[...range, ...also, ...which].join(' AND ')} ORDER BY id DESC LIMIT $3)`
  const newestOf = (...parts: string[]) => ({
    text: `SELECT id FROM (${parts.join(' UNION ALL ')}) AS parts ORDER BY id DESC LIMIT $3`,
    values,
  })
  if (eventId !== undefined) {
    const event = add(sequenceOfEventId(eventId) ?? -1)
    return newestOf(
      newest(`event = ${event}`, `id BETWEEN ${event} AND ${event}::bigint + 16383`),
      newest(`event = ${event}`, 'id NOT BETWEEN event AND event + 16383'),
    )
  }
  if (workflowIds === undefined && workspaceId === undefined) return newestOf(newest())
  const ofLists = [
    ...(workspaceId === undefined ? [] : [`workspace = ${add(toStored(workspaceId))}`]),
    ...(workflowIds === undefined ? [] : [`workflows && ${add(workflowIds.map(toStored))}::text[]`]),
  ].join(' AND ')
  const waiting = newest('ended_at IS NULL', `list IN (SELECT l.id FROM run_list AS l WHERE ${ofLists})`)
  const ended = `(SELECT e.id FROM run_list AS l CROSS JOIN LATERAL ${newest('list = l.id', 'ended_at IS NOT NULL')} AS e
    WHERE ${ofLists} ORDER BY e.id DESC LIMIT $3)`
  return newestOf(waiting, ended)
}

const columns =
  'f.id, f.list, f.event, f.queued_at, f.connection, f.started_at, f.ended_at, f.gone, f.summary'

/**
 * Reads fan-outs until they have $3 runs, with their data if $4, until these have $5 bytes. Each row says whether all were
 * read, and which is the oldest otherwise; then those are added that have ids among these.
 *
 * @param counted how many runs a fan-out has.
 */
const chunkOf = (ids: string, counted: string) => `
  WITH ids AS MATERIALIZED (${ids}),
  x AS MATERIALIZED (
    SELECT ${columns}, ${counted} AS counted, CASE WHEN $4::boolean THEN f.data END AS data,
      CASE WHEN $4::boolean THEN coalesce(octet_length(f.data), 0) ELSE 0 END AS size
    FROM ids JOIN fan_out AS f USING (id)),
  y AS MATERIALIZED (
    SELECT x.*, sum(size) OVER newest AS upto, sum(counted) OVER newest AS runs_upto FROM x WINDOW newest AS (ORDER BY id DESC)),
  z AS MATERIALIZED (SELECT * FROM y WHERE runs_upto - counted < $3::int AND (NOT $4::boolean OR upto - size < $5::bigint)),
  edge AS MATERIALIZED (
    SELECT min(id) AS oldest, count(*) < $3::int AND count(*) = (SELECT count(*) FROM y) AS is_last FROM z)
  SELECT z.*, edge.* FROM z CROSS JOIN edge
  UNION ALL
  SELECT ${columns}, 0, CASE WHEN $4::boolean THEN f.data END, 0, 0, 0, edge.* FROM edge CROSS JOIN fan_out AS f
    WHERE NOT is_last AND f.id < oldest AND f.id >= oldest - ${widestSpan} AND ${endInSql('f.id', 'f.runs')} > oldest`

/** Ended ones of workspace $2 and of workflows $3. */
const endedOf = `ended_at IS NOT NULL AND list IN (SELECT l.id FROM run_list AS l
      WHERE ($2::text IS NULL OR l.workspace = $2) AND ($3::text[] IS NULL OR l.workflows && $3))`
/** Those with ids on both sides of $1. */
const endedAround = `SELECT ${columns.replaceAll('f.', '')} FROM fan_out
  WHERE id < $1 AND id >= $1::bigint - ${widestSpan} AND ${endInSql('id', 'runs')} > $1 AND ${endedOf}`

const tallyOf = (which: string, groups: string) =>
  `SELECT list, gone${groups}, count(*) AS runs FROM fan_out WHERE ${which} GROUP BY 1, 2${groups === '' ? '' : ', 3, 4'}`

const one = { name: 'run_of_fan_out', text: fanOutOf(`${columns.replaceAll('f.', '')}, data, steps`) }
const dataOf = {
  name: 'data_of_fan_outs',
  text: 'SELECT id, data FROM fan_out WHERE id = ANY ($1::bigint[])',
}

/** The place of workflow `w` in list `l`. */
const nthIn = (workflow: string) => `array_position(l.workflows, ${workflow}) - 1`
const newestOf = {
  name: 'newest_of_fan_outs',
  text: `SELECT ${columns.replaceAll('f.', 'r.')}, r.nth FROM unnest($1::text[], $2::bigint[]) AS w(workflow, after) CROSS JOIN LATERAL (
      SELECT f.*, ${nthIn('w.workflow')} AS nth FROM run_list AS l CROSS JOIN LATERAL (
        (SELECT * FROM fan_out WHERE list = l.id AND ended_at IS NOT NULL AND id > w.after AND NOT ${nthIn('w.workflow')} = ANY (gone)
          ORDER BY id DESC LIMIT 1)
        UNION ALL
        (SELECT * FROM fan_out WHERE list = l.id AND ended_at IS NULL AND id > w.after AND NOT ${nthIn('w.workflow')} = ANY (gone)
          ORDER BY id DESC LIMIT 1)) AS f
      WHERE l.workflows @> ARRAY[w.workflow] ORDER BY ${nthInSql('f.id', `(${nthIn('w.workflow')})`)} DESC LIMIT 1) AS r`,
}
const newestEndedOf = {
  name: 'newest_ended_of_fan_outs',
  text: `WITH newest AS (
      SELECT f.* FROM run_list AS l CROSS JOIN LATERAL (
        SELECT *, ${nthIn('$1::text')} AS nth FROM fan_out WHERE list = l.id AND ended_at IS NOT NULL AND id > $2
          AND NOT ${nthIn('$1::text')} = ANY (gone) ORDER BY id DESC LIMIT $3) AS f
      WHERE l.workflows @> ARRAY[$1::text] ORDER BY f.id DESC LIMIT $3),
    summed AS (
      SELECT *, count(*) OVER () AS found, octet_length(steps) AS size, sum(octet_length(steps)) OVER (ORDER BY id DESC) AS upto
      FROM newest)
    SELECT ${columns}, f.steps, f.nth, f.found FROM summed AS f WHERE upto - size < ${mostStepsRead} ORDER BY f.id DESC`,
}

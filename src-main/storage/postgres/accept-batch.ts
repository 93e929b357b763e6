import type { LoggedEvent } from '../event-log.ts'
import { flagsOf } from '../rows/event-rows.ts'
import { type NewRunRow, state } from '../rows/run-rows.ts'
import type { Statement } from './connect.ts'
import { isUnfenced } from './fence.ts'
import { nthInSql } from './ids.ts'
import { toStored } from './stored-text.ts'
import { absent, Texts } from './texts.ts'
import type { Together } from './together.ts'

/** An event, or null if only runs are started, and the runs that are stored with it. */
export type Accepted = {
  readonly seq: number | null
  readonly event: LoggedEvent | null
  readonly runs: readonly NewRunRow[]
  /** The runs that are stored in one row each, with the number of its list. */
  readonly together: readonly (Together & { readonly listNumber: number })[]
  /** The run that has the key of a run that this event would have started. */
  readonly duplicateOf: number | null
}

const text = (at: string, length: string) =>
  `convert_from(substr($1::bytea, ${at}::int, ${length}::int), 'UTF8')`
const textOrNull = (at: string, length: string) => `CASE WHEN ${length} >= 0 THEN ${text(at, length)} END`
const name = (index: string) => `($2::text[])[${index}::int]`
const nullIfAbsent = (value: string) => `nullif(${value}, ${absent})`
const columns = (from: number, names: readonly string[]) =>
  `unnest(${names.map((_, index) => `$${from + index}::bigint[]`).join(', ')}) AS u(${names.join(', ')})`

const eventColumns = [
  'seq',
  'connection',
  'name',
  'received_at',
  'flags',
  'replay_of',
  'duplicate_of',
  'h',
  'hl',
  'b',
  'bl',
]
const runColumns = [
  ...[
    'id',
    'event',
    'workflow',
    'workspace',
    'connection',
    'lane',
    'state',
    'due_at',
    'queued_at',
    'ended_at',
    'summary',
  ],
  ...['d', 'dl', 's', 'sl', 'e', 'el'],
]

const togetherColumns = [
  ...['id', 'list', 'runs', 'event', 'queued_at', 'connection', 'ended_at', 'gone', 'summary'],
  ...['s', 'sl', 'd', 'dl'],
]

const insertEvents = (from: number) => `
  e AS (INSERT INTO event (seq, connection, name, received_at, flags, replay_of, duplicate_of, headers, body)
    SELECT seq, connection, ${name('name')}, received_at, flags, ${name('replay_of')}, ${nullIfAbsent('duplicate_of')},
      ${text('h', 'hl')}, ${text('b', 'bl')}
    FROM ${columns(from, eventColumns)} WHERE (SELECT ok FROM unfenced))`

/** The workflow and the lane of each run; those of a fan-out are in one text. */
const single = `CROSS JOIN LATERAL (SELECT 0 AS nth, ${name('w.workflow')} AS wf, ${name('w.lane')} AS la) AS m`
const fanned = `CROSS JOIN LATERAL (
    SELECT 0 AS nth, ${name('w.workflow')} AS wf, ${name('w.lane')} AS la WHERE w.lane > 0
    UNION ALL SELECT f.nth - 1, f.id, f.id
      FROM jsonb_array_elements_text(CASE WHEN w.lane > 0 THEN '[]' ELSE ${name('w.workflow')} END::jsonb)
        WITH ORDINALITY AS f(id, nth)) AS m`

/** The transaction has its number before it takes places, so that claims know which may still appear. */
const insertRuns = (from: number, workflows: string) => `
  w AS MATERIALIZED (SELECT * FROM ${columns(from, runColumns)} WHERE (SELECT ok FROM unfenced)),
  r AS (INSERT INTO run (id, place, workflow, workspace, connection, event, lane, state, due_at, attempt, queued_at,
      started_at, ended_at, body, is_fanned, error, summary)
    SELECT ${nthInSql('w.id', 'm.nth')}, nextval('run_place'), m.wf, ${name('w.workspace')}, ${name('w.connection')},
      ${nullIfAbsent('w.event')}, m.la, w.state, w.due_at, (w.state > ${state.running})::int, w.queued_at,
      CASE WHEN w.state > ${state.running} THEN w.queued_at END, ${nullIfAbsent('w.ended_at')},
      CASE WHEN w.dl >= 0 THEN w.id END, w.lane = 0, ${textOrNull('w.e', 'w.el')}, ${name('w.summary')}
    FROM w ${workflows} WHERE pg_current_xact_id() IS NOT NULL),
  b AS (INSERT INTO run_body (id, runs, data, steps)
    SELECT w.id, CASE WHEN w.lane > 0 THEN 1 ELSE jsonb_array_length(${name('w.workflow')}::jsonb) END,
      ${textOrNull('w.d', 'w.dl')}, ${textOrNull('w.s', 'w.sl')}
    FROM w WHERE w.dl >= 0 OR w.sl >= 0)`

/** Those that are not decided get places, as runs do. */
const insertTogether = (from: number) => `
  f AS (INSERT INTO fan_out (id, place, list, runs, event, queued_at, connection, attempt, started_at, ended_at, gone, steps,
      summary, data)
    SELECT id, CASE WHEN ended_at = ${absent} THEN nextval('run_place') END, list, runs, ${nullIfAbsent('event')}, queued_at,
      ${name('connection')}, (ended_at <> ${absent})::int, ${nullIfAbsent('ended_at')}, ${nullIfAbsent('ended_at')},
      ${name('gone')}::int[], ${textOrNull('s', 'sl')}, ${name('summary')}, ${textOrNull('d', 'dl')}
    FROM ${columns(from, togetherColumns)} WHERE (SELECT ok FROM unfenced) AND pg_current_xact_id() IS NOT NULL)`

/** Nothing is stored if the version $3 is fenced off. */
const unfenced = `unfenced AS MATERIALIZED (SELECT ${isUnfenced('$3::bigint')} AS ok)`
const isStored = 'SELECT ok FROM unfenced'
const firstColumn = 4
/** Which rows a batch has besides events. */
type Parts = { readonly hasRuns: boolean; readonly hasFanOuts: boolean; readonly hasTogether: boolean }

/** Statements by their names. */
const statements = new Map<string, Statement>()

function statementOf({ hasRuns, hasFanOuts, hasTogether }: Parts): Statement {
  const runs = hasFanOuts ? '_fan_outs' : hasRuns ? '_runs' : ''
  const statement = `accept_events${runs}${hasTogether ? '_together' : ''}`
  const known = statements.get(statement)
  if (known !== undefined) return known
  let next = firstColumn
  const take = (names: readonly string[]) => {
    next += names.length
    return next - names.length
  }
  const inserts = [
    insertEvents(take(eventColumns)),
    ...(hasRuns ? [insertRuns(take(runColumns), hasFanOuts ? fanned : single)] : []),
    ...(hasTogether ? [insertTogether(take(togetherColumns))] : []),
  ]
  const made = { name: statement, text: `WITH ${unfenced}, ${inserts.join(',')} ${isStored}` }
  statements.set(statement, made)
  return made
}

/**
 * Returns the statement that stores all of a batch, and its values: one text of all texts, names that several rows share,
 * and an array for each column. It returns whether it has: nothing is stored that was decided by a version of the
 * configuration which is fenced off.
 *
 * @param numberOf returns the number of a connection.
 * @param version of the configuration that the oldest of them was decided by.
 */
export function acceptStatement(
  accepted: readonly Accepted[],
  numberOf: (connectionId: string) => number,
  version: number,
): { readonly statement: Statement; readonly values: unknown[] } {
  const texts = new Texts()
  const names = new Map<string, number>()
  const named = (one: string) => {
    const known = names.get(one)
    if (known !== undefined) return known
    names.set(one, names.size + 1)
    return names.size
  }
  const events: number[][] = eventColumns.map(() => [])
  const runs: number[][] = runColumns.map(() => [])
  const inOneRow: number[][] = togetherColumns.map(() => [])
  let hasFanOuts = false
  for (const { seq, event, runs: started, together, duplicateOf } of accepted) {
    let body: readonly [at: number, length: number] | null = null
    if (event !== null && seq !== null) {
      const { reading, headerLines, bodyText, bodyBytes } = event
      const headers = texts.add(reading === undefined ? headerLines : `${reading}\n${headerLines}`)
      body = bodyBytes === undefined ? texts.add(bodyText) : texts.addBytes(bodyBytes, bodyText)
      push(events, [
        ...[
          seq,
          numberOf(event.connectionId),
          named(toStored(event.eventName)),
          event.receivedAt,
          flagsOf(event),
        ],
        ...[
          event.replayOf === null ? absent : named(event.replayOf),
          duplicateOf ?? absent,
          ...headers,
          ...body,
        ],
      ])
    }
    for (const run of started) {
      const { ended, lane, data } = run
      hasFanOuts ||= lane === null
      push(runs, [
        ...[
          run.id,
          run.event ?? absent,
          named(run.workflowId),
          named(run.workspaceId),
          named(run.connectionId),
        ],
        ...[lane === null ? 0 : named(lane), ended === undefined ? state.waiting : state[ended.state]],
        ...[run.dueAt ?? 0, run.queuedAt, ended?.endedAt ?? absent, named(toStored(run.summary))],
        ...(body !== null && data === event?.bodyText ? body : texts.add(data)),
        ...texts.add(ended?.steps ?? null),
        ...texts.add(ended?.error ?? null),
      ])
    }
    for (const { id, size, gone, shared, ended, listNumber } of together)
      push(inOneRow, [
        ...[id, listNumber, size, shared.event ?? absent, shared.queuedAt, named(shared.connectionId)],
        ...[ended?.endedAt ?? absent, named(`{${gone.join(',')}}`), named(toStored(shared.summary))],
        ...texts.add(ended?.steps ?? null),
        ...(body !== null && shared.data === event?.bodyText ? body : texts.add(shared.data)),
      ])
  }
  const [hasRuns, hasTogether] = [runs[0]?.length !== 0, inOneRow[0]?.length !== 0]
  const values = [
    ...[texts.bytes(), [...names.keys()], version, ...events],
    ...(hasRuns ? runs : []),
    ...(hasTogether ? inOneRow : []),
  ]
  return { statement: statementOf({ hasRuns, hasFanOuts, hasTogether }), values }
}

function push(columns: readonly number[][], row: readonly number[]): void {
  for (let index = 0; index < columns.length; index++) columns[index]?.push(row[index] ?? absent)
}

import { state, textsOf } from '../rows/run-rows.ts'
import type { RunStep } from '../runs.ts'
import { isUnfenced } from './fence.ts'
import { absent, Texts } from './texts.ts'

/** A change of a claimed run. */
export type RunChange = {
  readonly id: number
  readonly claimNumber: number
  /** The new state, when it is due or its lease ends, and how it ended; undefined to keep them. */
  readonly state?: number
  readonly dueAt?: number
  readonly endedAt?: number
  readonly error?: string | null
  readonly discard?: boolean
  readonly unseal?: boolean | undefined
  readonly steps?: readonly RunStep[]
  /** All steps of a run of a fan-out, as they are stored. */
  readonly stepsText?: string
  /** The version of the configuration by which the run goes on afterwards, or was decided; undefined for a mere result. */
  readonly version?: number
}

/** A column of the rows of a statement, and what it has of each. A text has two parameters: its place and its length. */
type Column<Of> = { readonly name: string } & (
  | { readonly number: (of: Of) => number }
  | { readonly text: (of: Of) => string | null }
)

const changeColumns: readonly Column<RunChange>[] = [
  { name: 'id', number: change => change.id },
  { name: 'attempt', number: change => change.claimNumber },
  { name: 'state', number: change => change.state ?? absent },
  { name: 'due_at', number: change => change.dueAt ?? absent },
  { name: 'ended_at', number: change => change.endedAt ?? absent },
  { name: 'has_error', number: change => Number(change.error !== undefined) },
  { name: 'error', text: change => change.error ?? null },
  { name: 'version', number: change => change.version ?? absent },
  { name: 'discard', number: change => Number(change.discard ?? false) },
  { name: 'steps', text: change => change.stepsText ?? null },
]

/** Returns what is stored of a step. */
const rowOf = (run: number, step: RunStep) => ({ ...step, ...textsOf(step), run })
type StepRow = ReturnType<typeof rowOf>

/** The columns of `run_step`, with the SQL of what is stored; by default the number or the text itself. */
const stepColumns: readonly (Column<StepRow> & { readonly isKey?: true; readonly stored?: string })[] = [
  { name: 'run', number: step => step.run, isKey: true },
  { name: 'path', text: step => step.path, isKey: true },
  { name: 'attempt', number: step => step.attempt, isKey: true },
  { name: 'type', text: step => step.type },
  { name: 'started_at', number: step => step.startedAt },
  { name: 'ended_at', number: step => step.endedAt ?? absent, stored: `nullif(ended_at, ${absent})` },
  { name: 'error', text: step => step.error },
  { name: 'call', text: step => step.callId },
  { name: 'input', text: step => step.input },
  { name: 'output', text: step => step.output },
  { name: 'is_cut', number: step => Number(step.isCut ?? false), stored: 'is_cut = 1' },
  { name: 'absent', text: ({ absent: names }) => (names.length === 0 ? '' : JSON.stringify(names)) },
]

const parametersOf = (columns: readonly Column<never>[]) =>
  columns.flatMap(column => ('text' in column ? [column.name, `${column.name}_length`] : [column.name]))

/** Returns the SQL of the rows of these columns, with `nth`. @param from the number of the first parameter. */
function rowsInSql(from: number, columns: readonly Column<never>[]): string {
  const names = parametersOf(columns)
  const parameters = names.map((_, index) => `$${from + index}::bigint[]`)
  return `unnest(${parameters.join(', ')}) WITH ORDINALITY AS u(${names.join(', ')}, nth)`
}

/** Returns the values of the parameters of these columns. */
function valuesOf<Of>(columns: readonly Column<Of>[], rows: readonly Of[], texts: Texts): number[][] {
  return columns.flatMap(column => {
    if ('number' in column) return [rows.map(column.number)]
    const places = rows.map(row => texts.add(column.text(row)))
    return [places.map(([at]) => at), places.map(([, length]) => length)]
  })
}

const text = (column: string) =>
  `CASE WHEN ${column}_length >= 0
    THEN convert_from(substr($1::bytea, ${column}::int, ${column}_length::int), 'UTF8') END`
const orKeep = (column: string) => `CASE WHEN u.${column} = ${absent} THEN run.${column} ELSE u.${column} END`

const stored = stepColumns.map(
  column => column.stored ?? ('text' in column ? text(column.name) : column.name),
)
const replaced = stepColumns.flatMap(({ name, isKey }) => (isKey ? [] : [`${name} = excluded.${name}`]))
const insertSteps = (rows: string) => `
  INSERT INTO run_step (${stepColumns.map(({ name }) => name).join(', ')})
  SELECT ${stored.join(', ')} FROM ${rows} ORDER BY nth
  ON CONFLICT (run, path, attempt) DO UPDATE SET ${replaced.join(', ')}`

/** After the texts and the slot. */
const firstColumn = 3
/** A run that is fenced off is claimed again by who may carry it out. */
const update = `
  WITH w AS MATERIALIZED (
    SELECT *, u.version <> ${absent} AND NOT ${isUnfenced('u.version')} AS is_fenced FROM ${rowsInSql(firstColumn, changeColumns)}),
  r AS (
    UPDATE run SET state = CASE WHEN u.is_fenced THEN ${state.retrying} ELSE ${orKeep('state')} END,
      due_at = CASE WHEN u.is_fenced THEN 0 ELSE ${orKeep('due_at')} END, ended_at = ${orKeep('ended_at')},
      error = CASE WHEN u.has_error = 1 THEN ${text('u.error')} ELSE run.error END,
      body = CASE WHEN u.discard = 1 THEN NULL ELSE run.body END
    FROM w AS u WHERE run.id = u.id AND run.attempt = u.attempt AND run.state = ${state.running}
      AND run.node = $2::int AND NOT (u.steps_length >= 0 AND u.is_fenced)
    RETURNING run.id, NOT u.is_fenced AS goes_on),
  t AS (
    INSERT INTO run_body (id, steps) SELECT w.id, ${text('w.steps')} FROM w JOIN r USING (id) WHERE w.steps_length >= 0
    ON CONFLICT (id) DO UPDATE SET steps = excluded.steps)`
const held = 'SELECT id FROM r WHERE goes_on'
const withoutSteps = { name: 'write_runs', text: `${update} ${held}` }
const changedSteps = `${rowsInSql(firstColumn + parametersOf(changeColumns).length, stepColumns)} JOIN r ON r.id = u.run`
const withSteps = {
  name: 'write_runs_and_steps',
  text: `${update}, s AS (${insertSteps(changedSteps)}) ${held}`,
}
const stepsAlone = { name: 'write_steps', text: insertSteps(rowsInSql(2, stepColumns)) }

/**
 * Returns the statement that makes changes of claimed runs and returns the ids of those that were still held, without those
 * that may not go on because their version is fenced off.
 *
 * @param slot of the node that has claimed them.
 */
export function changeStatement(changes: readonly RunChange[], slot: number) {
  const texts = new Texts()
  const steps = changes.flatMap(({ id, steps: of = [] }) => lastOfEach(of).map(step => rowOf(id, step)))
  const ofChanges = valuesOf(changeColumns, changes, texts)
  const ofSteps = steps.length === 0 ? [] : valuesOf(stepColumns, steps, texts)
  const statement = steps.length === 0 ? withoutSteps : withSteps
  return { statement, values: [texts.bytes(), slot, ...ofChanges, ...ofSteps] }
}

/** Returns the statement that adds steps to a run. */
export function stepStatement(id: number, steps: readonly RunStep[]) {
  const texts = new Texts()
  const rows = steps.map(step => rowOf(id, step))
  const values = valuesOf(stepColumns, rows, texts)
  return { statement: stepsAlone, values: [texts.bytes(), ...values] }
}

/** Returns the last record of each attempt, in the order of the first: one statement changes a row only once. */
function lastOfEach(steps: readonly RunStep[]): RunStep[] {
  const byAttempt = new Map<string, RunStep>()
  for (const step of steps) byAttempt.set(`${step.attempt} ${step.path}`, step)
  return [...byAttempt.values()]
}

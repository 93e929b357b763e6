import type { EndRow, NewRunRow } from '../rows/run-rows.ts'
import { distanceInSql, isOfSlotInSql, nthOf, spanOf } from './ids.ts'
import type { RunList } from './run-lists.ts'

/** The runs of an event that are stored in one row, each of another workflow. */
export type Together = {
  /** The id of the first. */
  readonly id: number
  readonly list: RunList
  readonly size: number
  /** The indexes of those that are stored in another way. */
  readonly gone: readonly number[]
  /** One of them, for what they share. */
  readonly shared: NewRunRow
  /** When they have ended, with the steps of each; null if each has to be decided. */
  readonly ended: { readonly endedAt: number; readonly steps: string } | null
  /** Those of `gone`, each as a run of its own. */
  readonly beside: readonly NewRunRow[]
  /** All of them, where they cannot be stored in one row. */
  readonly runs: readonly NewRunRow[]
}

type Sorted = {
  readonly together: readonly Together[]
  /** The others. */
  readonly alone: readonly NewRunRow[]
}

/** Returns the workflows of a fan-out's row. */
export function workflowsOf(list: string): readonly string[] {
  const known = parsedLists.get(list)
  if (known !== undefined) return known
  const parsed: unknown = JSON.parse(list)
  const workflows = Array.isArray(parsed) ? parsed.map(String) : []
  if (parsedLists.size > 256) parsedLists.clear()
  parsedLists.set(list, workflows)
  return workflows
}
const parsedLists = new Map<string, readonly string[]>()

/** Fan-outs of more are stored as rows: a row of `fan_out` is decided as a whole. */
export const mostTogether = 4096

/**
 * Sorts the runs of an event by how they are stored. Those of a workflow that is carried out in order take their places
 * with the event.
 *
 * @param isOrdered whether the runs of a lane are carried out in order.
 */
export function sortRuns(runs: readonly NewRunRow[], isOrdered: (lane: string) => boolean): Sorted {
  const together: Together[] = []
  const alone: NewRunRow[] = []
  const decided: NewRunRow[] = []
  for (const run of runs) {
    if (run.lane === null) {
      const fanOut = pendingOf(run, isOrdered)
      if (fanOut === null) alone.push(run)
      else together.push(fanOut)
    } else if (isDecided(run)) {
      if (!follows(run, decided)) together.push(...decidedOf(decided.splice(0)))
      decided.push(run)
    } else alone.push(run)
  }
  together.push(...decidedOf(decided))
  return { together, alone }
}

/** Runs beside a fan-out each have its data. Those that are stored as rows share it. */
const mostBeside = 4

function pendingOf(run: NewRunRow, isOrdered: (lane: string) => boolean): Together | null {
  const workflows = workflowsOf(run.workflowId)
  if (workflows.length > mostTogether || run.data === null) return null
  const gone = workflows.flatMap((workflow, index) => (isOrdered(workflow) ? index : []))
  if (gone.length === workflows.length || gone.length > mostBeside) return null
  const list = { workspaceId: run.workspaceId, workflows: run.workflowId }
  const beside = gone.map(index => {
    const workflowId = workflows[index] ?? ''
    return { ...run, id: nthOf(run.id, index), workflowId, lane: workflowId }
  })
  return { id: run.id, list, size: workflows.length, gone, shared: run, ended: null, beside, runs: [run] }
}

/** Whether a run that began at a time has ended as those in a row of `fan_out` have. */
export const hasOnlyDecided = ({ state, endedAt, error }: Omit<EndRow, 'steps'>, at: number) =>
  state === 'succeeded' && endedAt === at && error === null

/** Whether a run is stored as one that has only decided. */
const isDecided = ({ ended, lane, workflowId, deduplicationKey, queuedAt, dueAt }: NewRunRow) =>
  ended !== undefined &&
  hasOnlyDecided(ended, queuedAt) &&
  lane === workflowId &&
  deduplicationKey === undefined &&
  (dueAt ?? 0) === 0

/** Whether a run can be stored with those before it. */
function follows(run: NewRunRow, decided: readonly NewRunRow[]): boolean {
  const [first] = decided
  return (
    first === undefined ||
    (decided.length < mostTogether &&
      run.id === nthOf(first.id, decided.length) &&
      run.event === first.event &&
      run.workspaceId === first.workspaceId &&
      run.connectionId === first.connectionId &&
      run.queuedAt === first.queuedAt &&
      run.summary === first.summary &&
      run.data === first.data &&
      !decided.some(({ workflowId }) => workflowId === run.workflowId))
  )
}

function decidedOf(runs: readonly NewRunRow[]): Together[] {
  const [first] = runs
  if (first?.ended === undefined) return []
  const isOne = runs.length === 1
  const workflows = isOne
    ? listOfOne(first.workflowId)
    : JSON.stringify(runs.map(({ workflowId }) => workflowId))
  const steps = isOne ? `[${first.ended.steps}]` : stepsOfAll(runs.map(({ ended }) => ended?.steps ?? null))
  return [
    {
      ...{ id: first.id, list: { workspaceId: first.workspaceId, workflows }, size: runs.length, gone: [] },
      ...{ shared: first, ended: { endedAt: first.ended.endedAt, steps }, beside: [], runs },
    },
  ]
}

/** The list of a single workflow is that of most events. */
const listsOfOne = new Map<string, string>()

function listOfOne(workflowId: string): string {
  const known = listsOfOne.get(workflowId)
  if (known !== undefined) return known
  if (listsOfOne.size > 256) listsOfOne.clear()
  const list = JSON.stringify([workflowId])
  listsOfOne.set(workflowId, list)
  return list
}

/**
 * Returns the JSON of the steps of several runs, by their indexes: a number is the index of an earlier run with the same
 * ones.
 *
 * @param texts the JSON of the steps of each; null for a run that is stored in another way.
 */
export function stepsOfAll(texts: readonly (string | null)[]): string {
  const first = new Map<string, number>()
  const entries = texts.map((text, index) => {
    const known = text === null ? undefined : first.get(text)
    if (text !== null && known === undefined) first.set(text, index)
    return String(known ?? text)
  })
  return `[${entries.join(',')}]`
}

/** Selects the fan-out whose ids may include $1, and the index of it. */
export const fanOutOf = (columns: string) => `
  SELECT ${columns}, nth FROM (
    SELECT f.*, ${distanceInSql('f.id', '$1::bigint')}::int AS nth FROM fan_out AS f
    WHERE f.id <= $1::bigint AND f.id > $1::bigint - ${spanOf(mostTogether)} AND ${isOfSlotInSql('f.id', '$1::bigint')}
    ORDER BY f.id DESC LIMIT 1) AS f
  WHERE nth < runs AND NOT nth = ANY (gone)`

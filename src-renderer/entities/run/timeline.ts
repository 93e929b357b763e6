import type { RunDetails, RunStep, StepAttempt } from '#shared/model/run.ts'
import { isStepType, kindOf, type Step, type StepType, stepLists } from '#shared/workflows/steps/kinds.ts'
import type { ActionsOf } from '#shared/workflows/steps/step-kind.ts'
import { capitalized } from '../../ui/format.ts'
import { pathKey, placedSteps, stepNumbers } from '../workflow/step-paths.ts'
import { BranchOutput } from '../workflow/steps/branch.tsx'
import { LoopOutput } from '../workflow/steps/each.tsx'
import type { NamedAction } from '../workflow/steps/step-view.ts'
import { outcomeOf, stepTitle } from '../workflow/steps/views.ts'
import { hasEnded, type Status } from './run-labels.ts'
import { underWayOf } from './under-way.ts'

/** A step of the workflow, or one that the run took and that the workflow no longer has. */
export type StepRow = {
  readonly kind: 'step'
  readonly id: string
  /** As in the builder: `2.1` is the first step inside the second. Null for a step that the workflow no longer has. */
  readonly number: string | null
  readonly depth: number
  readonly title: string
  readonly type: string
  /** The step as the workflow has it now. */
  readonly step: Step | null
  readonly status: Status
  /** Why it was taken or not; null where the step itself says enough. */
  readonly detail: string | null
  /** The only attempt, which has no row of its own. */
  readonly attempt: StepAttempt | null
  /** Milliseconds since 1970 as `to`, which is null while it goes on; null for a step that was not taken. */
  readonly from: number | null
  readonly to: number | null
}

/** One of several attempts at the step above. */
export type AttemptRow = {
  readonly kind: 'attempt'
  readonly id: string
  readonly depth: number
  readonly attempt: StepAttempt
  readonly from: number
  readonly to: number | null
  /** When the attempt after it began or is due; null for the last. */
  readonly nextAt: number | null
}

/** The attempt that is due. */
export type NextRow = {
  readonly kind: 'next'
  readonly id: string
  readonly depth: number
  readonly number: number
  readonly at: number
}

/** An item of a loop. */
export type ItemRow = {
  readonly kind: 'item'
  readonly id: string
  readonly depth: number
  readonly title: string
}

export type TimelineRow = StepRow | AttemptRow | NextRow | ItemRow

type Lists = ReturnType<typeof stepLists>

/** Returns a title for a step that the workflow no longer has: `lines.0.reserve_stock` becomes “Reserve stock, item 1”. */
function titleOfPath(path: string): string {
  const parts = path.split('.')
  const words = (parts.at(-1) ?? '').replaceAll('_', ' ')
  const items = parts.filter(part => /^\d+$/.test(part)).map(part => Number(part) + 1)
  const title = capitalized(words)
  return items.length === 0 ? title : `${title}, item ${items.join('.')}`
}

function numbersByKey(steps: readonly Step[]): ReadonlyMap<string, string> {
  const byPath = stepNumbers(steps)
  return new Map(placedSteps(steps).map(({ step, path }) => [step.key, byPath.get(pathKey(path)) ?? '']))
}

/**
 * Returns the rows of a run: the steps of the workflow in its order, whether taken or not, each with its attempts.
 *
 * @param steps of the workflow as it is now; null if it was deleted: then only what was taken is known.
 * @param actionsOf returns the actions of a connection, whose names are titles.
 */
export function timelineOf(
  run: RunDetails,
  steps: readonly Step[] | null,
  actionsOf: ActionsOf<NamedAction>,
): readonly TimelineRow[] {
  const rows: TimelineRow[] = []
  const numbers = numbersByKey(steps ?? [])
  const underWay = steps === null ? null : underWayOf(run, steps)
  const decisions = new Map(underWay?.decisions.map(decision => [decision.step.path, decision]))
  const left = new Map(run.steps.map(step => [step.path, step]))
  for (const [path, { step }] of decisions) left.set(path, step)
  const isOver = hasEnded(run)
  /** The title of the last step that was or will be taken, which the next one follows. */
  let before: string | null = null
  /** Whether the step that is under way has been met: all after it are ahead. */
  let isAhead = false

  type Place = { readonly prefix: string; readonly depth: number }

  function walk(list: readonly Step[], place: Place, skipped: string | null): void {
    for (const step of list) {
      const path = place.prefix + step.key
      const taken = left.get(path)
      left.delete(path)
      add(step, taken, path, place.depth, skipped)
      const inside = { prefix: place.prefix, depth: place.depth + 1 }
      const lists = stepLists(step)
      if (kindOf(step).inside?.itemsOf(step) != null)
        for (const { steps: items } of lists) loop(items, taken, path, inside, skipped)
      else branch(lists, taken, inside, skipped)
    }
  }

  function branch(lists: Lists, taken: RunStep | undefined, inside: Place, skipped: string | null): void {
    const chosen = chosenOf(taken, lists, inside.prefix)
    for (const [index, { steps: list }] of lists.entries()) {
      const isOther = chosen !== null && chosen !== index
      walk(list, inside, skipped ?? (isOther ? 'Not on this branch' : null))
    }
  }

  /** Returns the index of the list that a branch took; null if it was not reached, or if that is not known. */
  function chosenOf(taken: RunStep | undefined, lists: Lists, prefix: string): number | null {
    if (taken === undefined) return null
    const output = BranchOutput.safeParse(taken.output)
    if (output.success) return output.data.case ?? lists.length - 1
    const found = lists.findIndex(({ steps: list }) => list.some(({ key }) => left.has(prefix + key)))
    return found === -1 ? null : found
  }

  function loop(
    list: readonly Step[],
    taken: RunStep | undefined,
    path: string,
    inside: Place,
    skipped: string | null,
  ): void {
    const known = LoopOutput.safeParse(taken?.output)
    const begun = itemsBegun(path)
    const count = known.success ? known.data.items : begun
    if (taken === undefined || count === 0) {
      walk(list, inside, skipped ?? (taken?.status === 'succeeded' ? 'The list has no items' : null))
      return
    }
    for (let item = 0; item < Math.min(count, begun + 1); item++) {
      const id = `${path}.${item}`
      rows.push({ kind: 'item', id, depth: inside.depth, title: `Item ${item + 1} of ${count}` })
      walk(list, { ...inside, prefix: `${id}.`, depth: inside.depth + 1 }, skipped)
    }
    const more = count - begun - 1
    if (more > 0)
      rows.push({
        ...{ kind: 'item', id: `${path}.more`, depth: inside.depth },
        title: `${more} more ${more === 1 ? 'item' : 'items'} not reached`,
      })
  }

  function itemsBegun(path: string): number {
    let begun = 0
    for (const taken of left.keys())
      if (taken.startsWith(`${path}.`))
        begun = Math.max(begun, Number.parseInt(taken.slice(path.length + 1), 10) + 1)
    return begun
  }

  function add(
    step: Step | null,
    taken: RunStep | undefined,
    path: string,
    depth: number,
    skipped: string | null,
  ): void {
    const number = step === null ? null : (numbers.get(step.key) ?? null)
    const title = step === null ? titleOfPath(path) : stepTitle(step, actionsOf)
    const status: Status =
      skipped !== null ? 'skipped' : taken === undefined ? statusAhead(path) : statusOf(step, taken)
    const attempts = taken?.attempts ?? []
    const next = nextOf(taken)
    const isSingle = attempts.length === 1 && next === null
    rows.push({
      ...{ kind: 'step', id: path, number, depth, title, step, status },
      type: (step?.type ?? taken?.type ?? '') satisfies StepType | string,
      detail: skipped ?? detailOf(step, taken, status),
      attempt: isSingle ? (attempts[0] ?? null) : null,
      ...spanOf(attempts),
    })
    if (!isSingle) addAttempts(path, attempts, next, depth)
    if (status === 'running' || status === 'waiting' || status === 'ahead') isAhead = true
    if (skipped === null) before = title
  }

  /** A step is stored when its attempt has ended. */
  function statusAhead(path: string): Status {
    const isUnderWay = underWay === null ? !isAhead : path === underWay.path
    return run.status === 'running' && isUnderWay ? 'running' : 'ahead'
  }

  function statusOf(step: Step | null, taken: RunStep): Status {
    if (taken.status === 'failed') {
      if (isOver || !isLast(taken)) return 'failed'
      if (underWay !== null) return taken.path === underWay.path ? 'running' : 'failed'
      if (run.status === 'running') return step?.onFailure === 'continue' ? 'failed' : 'running'
      return 'waiting'
    }
    if (taken.status === 'succeeded') return 'succeeded'
    return run.status === 'cancelled' ? 'cancelled' : run.status === 'running' ? 'running' : 'waiting'
  }

  /** A run that goes on repeats its last step if that has failed, unless it was passed over. */
  function isLast(taken: RunStep): boolean {
    return run.steps.at(-1)?.path === taken.path
  }

  function detailOf(step: Step | null, taken: RunStep | undefined, status: Status): string | null {
    if (taken === undefined) {
      if (isOver) return 'Not reached'
      return status === 'ahead' && before !== null ? `After ${before}` : null
    }
    const input = taken.attempts[0]?.input ?? decisions.get(taken.path)?.input
    if (!isStepType(taken.type)) return null
    const nextAt = status === 'waiting' ? run.nextAttemptAt : null
    const ran = { input, output: taken.output, nextAt, began: Date.parse(run.queuedAt) }
    return outcomeOf(step, taken.type, ran)
  }

  /** Returns when the next attempt of a failed step is due, and its number. */
  function nextOf(taken: RunStep | undefined): { readonly number: number; readonly at: number } | null {
    if (taken?.status !== 'failed' || run.status !== 'waiting' || run.nextAttemptAt === null) return null
    const last = taken.attempts.at(-1)
    if (!isLast(taken) || last === undefined) return null
    return { number: last.attempt + 1, at: Date.parse(run.nextAttemptAt) }
  }

  function addAttempts(
    path: string,
    attempts: readonly StepAttempt[],
    next: { readonly number: number; readonly at: number } | null,
    depth: number,
  ): void {
    for (const [index, attempt] of attempts.entries()) {
      const following = attempts[index + 1]
      rows.push({
        ...{ kind: 'attempt', id: `${path}#${attempt.attempt}`, depth, attempt },
        ...{ from: Date.parse(attempt.startedAt), to: timeOf(attempt.endedAt) },
        nextAt: following === undefined ? (next?.at ?? null) : Date.parse(following.startedAt),
      })
    }
    if (next !== null) rows.push({ kind: 'next', id: `${path}#next`, depth, ...next })
  }

  if (steps !== null) walk(steps, { prefix: '', depth: 0 }, null)
  for (const taken of left.values()) add(null, taken, taken.path, 0, null)
  return rows
}

const timeOf = (at: string | null): number | null => (at === null ? null : Date.parse(at))

/** Returns when the first attempt began and the last one ended. */
function spanOf(attempts: readonly StepAttempt[]): Pick<StepRow, 'from' | 'to'> {
  return {
    from: timeOf(attempts[0]?.startedAt ?? null),
    to: timeOf(attempts.at(-1)?.endedAt ?? null),
  }
}

/** Returns the row with the attempt to show first: of the step at which the run is or ended, else of the last call. */
export function firstChosen(rows: readonly TimelineRow[]): string | null {
  const withAttempt = rows.filter(row => attemptOf(row) !== null)
  const current = currentStep(rows)?.id ?? null
  const own = withAttempt.findLast(({ id }) => id === current || id.startsWith(`${current}#`))
  const called = withAttempt.findLast(row => attemptOf(row)?.callId != null)
  return (own ?? called ?? withAttempt.at(-1))?.id ?? null
}

export function attemptOf(row: TimelineRow): StepAttempt | null {
  return row.kind === 'step' || row.kind === 'attempt' ? row.attempt : null
}

/** Returns the step at which a run is, waits or has failed; null for one that is not known. */
export function currentStep(rows: readonly TimelineRow[]): StepRow | null {
  const steps = rows.filter(row => row.kind === 'step')
  return (
    steps.find(({ status }) => status === 'running' || status === 'waiting') ??
    steps.findLast(({ status }) => status === 'failed' || status === 'cancelled') ??
    null
  )
}

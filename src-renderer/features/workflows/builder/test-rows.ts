import type { RunDetails, RunStep } from '#shared/model/run.ts'
import { kindOf, type Step } from '#shared/workflows/steps/kinds.ts'
import { placedSteps } from '../../../entities/workflow/step-paths.ts'
import type { NameOf } from '../../../entities/workflow/steps/step-view.ts'
import { viewOf } from '../../../entities/workflow/steps/views.ts'

/** A step of a test run, or one that it did not reach. */
export type TestRow = {
  readonly id: string
  readonly step: Step
  /** Undefined for a step that the run did not take. */
  readonly ran: RunStep | undefined
  /** Whether the run took a later step. */
  readonly isPast: boolean
  /** The position in the loops around it, from 1: “2”, “2.1”; empty outside of loops. */
  readonly item: string
  /** Milliseconds after the run's start, and how long it took; null while that is not known. */
  readonly startMs: number | null
  readonly ms: number | null
}

/** Returns the rows of a test run: its steps in the order in which they began, the others where they would be. */
export function testRows(steps: readonly Step[], run: RunDetails): TestRow[] {
  const placed = placedSteps(steps)
  const byKey = new Map(placed.map(({ step }) => [step.key, step]))
  const startedAt = Date.parse(run.startedAt ?? run.queuedAt)
  const rows: TestRow[] = run.steps.flatMap(ran => {
    const step = byKey.get(ran.key)
    if (step === undefined) return []
    const first = ran.attempts[0]
    const last = ran.attempts.at(-1)
    const start = first === undefined ? null : Date.parse(first.startedAt)
    const end = last === undefined || last.endedAt === null ? null : Date.parse(last.endedAt)
    return [
      {
        id: ran.path,
        step,
        ran,
        isPast: false,
        item: itemOf(ran.path),
        startMs: start === null ? null : start - startedAt,
        ms: start === null || end === null ? null : end - start,
      },
    ]
  })
  let at = 0
  for (const { step } of placed) {
    const last = rows.findLastIndex(row => row.step === step)
    if (last >= 0) at = Math.max(at, last + 1)
    else
      rows.splice(at++, 0, {
        id: step.key,
        step,
        ran: undefined,
        isPast: false,
        item: '',
        startMs: null,
        ms: null,
      })
  }
  const last = rows.findLastIndex(({ ran }) => ran !== undefined)
  return rows.map((row, index) => ({ ...row, isPast: index < last }))
}

/** Returns the positions in the loops of a step's path: `lines.1.reserve` is in item 2. */
function itemOf(path: string): string {
  return path
    .split('.')
    .filter(part => /^\d+$/.test(part))
    .map(part => Number(part) + 1)
    .join('.')
}

/** Returns one line about what a step of a test run did. @param nameOf returns the name of a connection. */
export function outcomeText(
  { step, ran, isPast }: TestRow,
  run: Pick<RunDetails, 'status' | 'dryRun'>,
  nameOf: NameOf,
): string {
  if (ran === undefined) return run.status === 'failed' && !isPast ? 'Not reached' : 'Not taken'
  const attempt = ran.attempts.at(-1)
  if (attempt?.error) return attempt.error.message
  const view = viewOf(step)
  const target = view.target(step, nameOf, () => null)
  if (target !== null)
    return run.dryRun ? 'Not sent in a dry run' : ran.status === 'succeeded' ? `${target.from} answered` : ''
  if (kindOf(step).does === 'wait') return 'Skipped in a test'
  return view.outcome(step, { input: attempt?.input, output: ran.output, nextAt: null, began: 0 }) ?? ''
}

/** Returns what a test really does outside the service: what it calls, each once, and whether it notifies. */
export function effectsOf(steps: readonly Step[], nameOf: NameOf) {
  const all = placedSteps(steps).map(({ step }) => step)
  const calls = all.flatMap(step => viewOf(step).target(step, nameOf, () => null)?.text ?? [])
  return { calls: [...new Set(calls)], notifies: all.some(step => kindOf(step).does === 'notify') }
}

/** Returns the outputs of a run's steps by their keys, for the previews of later steps. */
export function outputsOf(run: RunDetails | null): ReadonlyMap<string, unknown> {
  const succeeded = (run?.steps ?? []).filter(
    ({ status, output }) => status === 'succeeded' && output !== null,
  )
  return new Map(succeeded.map(({ key, output }) => [key, output]))
}

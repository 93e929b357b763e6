import { z } from 'zod'
import { isObject } from '#shared/json/exact-json.ts'
import type { RunDetails, RunStep } from '#shared/model/run.ts'
import type { Step } from '#shared/workflows/steps/kinds.ts'
import { textOf } from '#shared/workflows/templates.ts'
import { branchWords } from '../../../entities/workflow/condition-words.ts'
import { placedSteps } from '../../../entities/workflow/step-paths.ts'
import { hostOf } from '../../../entities/workflow/words.ts'

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

const Decided = z.object({ case: z.number().nullable() })

/** Returns one line about what a step of a test run did. @param nameOf returns the name of a connection. */
export function outcomeText(
  { step, ran, isPast }: TestRow,
  run: Pick<RunDetails, 'status' | 'dryRun'>,
  nameOf: (connectionId: string) => string,
): string {
  if (ran === undefined) return run.status === 'failed' && !isPast ? 'Not reached' : 'Not taken'
  const attempt = ran.attempts.at(-1)
  if (attempt?.error) return attempt.error.message
  const { output } = ran
  switch (step.type) {
    case 'branch': {
      const { data } = Decided.safeParse(output)
      return data === undefined ? '' : branchWords(attempt?.input, data.case, step.cases.length === 1)
    }
    case 'each':
      return isObject(output) ? counted(textOf(output.items)) : ''
    case 'wait':
      return 'Skipped in a test'
    case 'notify':
      return isObject(output) ? textOf(output.message) : ''
    case 'stop':
      return `Ended the run as ${step.outcome}`
    default: {
      const name = step.type === 'action' ? nameOf(step.connectionId) : hostOf(step.url)
      return run.dryRun ? 'Not sent in a dry run' : ran.status === 'succeeded' ? `${name} answered` : ''
    }
  }
}

const counted = (count: string) => (count === '1' ? '1 item' : `${count} items`)

/** Returns the outputs of a run's steps by their keys, for the previews of later steps. */
export function outputsOf(run: RunDetails | null): ReadonlyMap<string, unknown> {
  const succeeded = (run?.steps ?? []).filter(
    ({ status, output }) => status === 'succeeded' && output !== null,
  )
  return new Map(succeeded.map(({ key, output }) => [key, output]))
}

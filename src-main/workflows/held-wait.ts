import { z } from 'zod'
import type { Run, RunPage, RunStore } from '#main/storage/runs.ts'
import { dayMs, hourMs } from '#shared/durations.ts'
import { parseJson } from '#shared/json/parse-json.ts'
import type { FailurePolicy, StepError } from '#shared/workflows/steps/step-kind.ts'
import type { Attempted } from './attempt-records.ts'

/**
 * Why a run waits, as it is stored with the run: since when, at which step, and for which connection. With another code,
 * it waits for its next attempt at a step that was held up before.
 */
const StoredWait = z.object({
  code: z.string(),
  since: z.int(),
  path: z.string(),
  connectionId: z.string(),
})

/** A server cannot hold a run up for longer: its answers count as attempts then. */
const longestWaitMs = dayMs

type Wait = { readonly dueAt: number; readonly error: StepError & z.infer<typeof StoredWait> }

/**
 * Returns how a run waits until its connection takes calls again; null if what was attempted counts as an attempt. A wait
 * is not an attempt: nothing was sent, or the answer asked to come again. The longer a run has waited for pauses, the more
 * it is spread, so that not all come at the same time.
 *
 * @param now milliseconds since 1970. @param random from 0 to 1.
 */
export function heldWait(
  run: Pick<Run, 'error'>,
  path: string,
  attempted: Extract<Attempted, { ok: false }>,
  policy: FailurePolicy,
  now: number,
  random: number,
): Wait | null {
  const { held, callId, error } = attempted
  if (held === undefined) return null
  const stored = storedWait(run)
  const since = stored?.path === path ? stored.since : now
  const isAnswered = callId !== null
  if (isAnswered && (policy === 'stop' || now - since > longestWaitMs)) return null
  const { connectionId, until, isPaused } = held
  const spreadMs = isPaused ? Math.round(random * Math.min(now - since, hourMs)) : 0
  const { message } = error
  return { dueAt: until + spreadMs, error: { code: 'rate_limited', message, since, path, connectionId } }
}

/** Returns the error of an attempt as it is stored with its run: attempts do not begin the day of waiting again. */
export function errorWithWait(run: Pick<Run, 'error'>, path: string, error: StepError): StepError {
  const stored = storedWait(run)
  return stored?.path === path ? { ...stored, ...error } : error
}

/** Runs of a page of those that wait. */
const runsOfPage = 200

/** Makes the runs due that wait until a connection takes calls again. Returns false if it was stopped. */
export async function hurryWaiting(
  runs: Pick<RunStore, 'list' | 'hurry'>,
  connectionId: string,
  isStopped: () => boolean,
): Promise<boolean> {
  for (let before: string | null | undefined; before !== null; ) {
    const page: RunPage = await runs.list({
      ...{ state: 'retrying', limit: runsOfPage },
      ...(before && { before }),
    })
    // A run of the page may have ended meanwhile, and then stays ended.
    for (const run of page.runs) if (waitsFor(run, connectionId)) await runs.hurry(run.runId)
    before = page.nextBefore
    if (isStopped()) return false
  }
  return true
}

/** Returns whether a run waits until a connection takes calls again. */
export function waitsFor(run: Pick<Run, 'error'>, connectionId: string): boolean {
  const stored = storedWait(run)
  return stored?.code === 'rate_limited' && stored.connectionId === connectionId
}

function storedWait({ error }: Pick<Run, 'error'>): z.infer<typeof StoredWait> | null {
  return (error !== null && StoredWait.safeParse(parseJson(error)).data) || null
}

import type { RunDetails } from '#shared/model/run.ts'
import { hasEnded } from '../../entities/run/run-labels.ts'

/** The time that a run's timeline shows, in milliseconds since 1970. */
export type Axis = {
  readonly from: number
  /** Later than `from`. */
  readonly to: number
  /** Null for a run that has ended. */
  readonly now: number | null
}

/** Returns the time from a run's first attempt to its end, or to now and its next attempt. */
export function axisOf(run: RunDetails, now: number): Axis {
  const { queuedAt, startedAt, endedAt, nextAttemptAt, steps } = run
  const attempts = steps.flatMap(step => step.attempts)
  const from = Math.min(
    Date.parse(startedAt ?? queuedAt),
    ...attempts.map(attempt => Date.parse(attempt.startedAt)),
  )
  const isOver = hasEnded(run)
  const ends = [...attempts.map(attempt => attempt.endedAt), endedAt, nextAttemptAt]
    .filter(at => at !== null)
    .map(at => Date.parse(at))
  const to = Math.max(from + 1, ...ends, ...(isOver ? [] : [now]))
  return { from, to, now: isOver ? null : now }
}

/** Returns where a time is on the axis: 0 at its start, 1 at its end. */
export function shareOf({ from, to }: Axis, at: number): number {
  return Math.max(0, Math.min(1, (at - from) / (to - from)))
}

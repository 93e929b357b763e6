import type { ClockDetails } from '#shared/model/alert.ts'
import type { ConnectionNumbers } from '../numbers.ts'
import type { Rule } from '../rule.ts'

/** Fewer events tell nothing of a clock. */
const least = 10
/** The newest events that have to be right before it closes, and the share of the threshold that is right. */
const calmEvents = 10
const calmShare = 0.8

/** The clock of a sender is off: its events are refused at 5 minutes. */
export const clock: Rule<ConnectionNumbers> = {
  unit: 'ms',
  read(
    {
      connection,
      thresholds: {
        clock: { enabled, seconds },
      },
      measured: { offsetsMs },
    },
    _now,
    previous,
  ) {
    if (!enabled || !connection.enabled || offsetsMs.length === 0) return null
    const threshold = seconds * 1000
    const newest = offsetsMs.slice(-calmEvents)
    let over = 0
    for (const ms of newest) if (Math.abs(ms) > threshold) over++
    const isOff = over * 2 > newest.length
    const calm = { opens: false, isCalm: true, calmMs: 0, value: null, threshold, message: () => '' }
    // Most clocks are right, and their medians need not be known.
    if (!isOff && previous === null) return calm
    const details = clockDetails(offsetsMs)
    if (details === null) return null
    return {
      // The newest alone too, or it would open again right after it has closed.
      opens: offsetsMs.length >= least && isOff && Math.abs(details.medianMs) > threshold,
      isCalm: newest.length >= calmEvents && newest.every(ms => Math.abs(ms) < threshold * calmShare),
      ...{ calmMs: 0, value: Math.abs(details.medianMs), threshold, details },
      message: () =>
        `The clock of ${connection.name} is ${spoken(Math.abs(details.medianMs))} ${details.medianMs < 0 ? 'behind' : 'ahead'}.`,
    }
  },
}

/** Returns how far a clock is off; null if that is not known. */
export function clockDetails(offsetsMs: readonly number[]): ClockDetails | null {
  if (offsetsMs.length === 0) return null
  return {
    medianMs: quantile(offsetsMs, 0.5),
    p95Ms: quantile(offsetsMs.map(Math.abs), 0.95),
    samples: offsetsMs.length,
    refusedFrom: null,
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0
}

/** “1 min 52 s”. */
function spoken(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60]
  return [minutes > 0 ? `${minutes} min` : '', rest > 0 ? `${rest} s` : ''].filter(Boolean).join(' ')
}

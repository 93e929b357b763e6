import { minuteMs } from '#shared/durations.ts'
import classes from './alerts.module.css'

/** Requests with a timestamp further away are refused. */
const windowMs = 5 * minuteMs

/** Draws how far a clock is off between −5 and +5 minutes, and how much of it opens no alert. */
export function ClockScale({ medianMs, seconds }: { readonly medianMs: number; readonly seconds: number }) {
  const share = (ms: number) => Math.max(0, Math.min(100, 50 + (ms * 50) / windowMs))
  const right = seconds * 1000
  return (
    <div className={classes.scale} aria-hidden="true" data-off={Math.abs(medianMs) > right || undefined}>
      <span style={{ left: `${share(-right)}%`, right: `${100 - share(right)}%` }} />
      <i style={{ left: `${share(medianMs)}%` }} />
    </div>
  )
}

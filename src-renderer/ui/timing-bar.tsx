import type { CallTimings } from '#shared/model/call.ts'
import { formatMsFigure } from './format.ts'
import classes from './timing-bar.module.css'
import { phasesOf } from './timing-phases.ts'

/** Where the time of a call went, in its order, with the figures in milliseconds. */
export function TimingBar({ timings }: { readonly timings: CallTimings }) {
  const { phases, isReused } = phasesOf(timings)
  return (
    <div>
      <div className={classes.bar} aria-hidden="true">
        {phases.map(({ name, ms }) => (
          <i key={name} className={classes.phase} data-phase={name} style={{ flexGrow: ms }} />
        ))}
      </div>
      <ul className={classes.legend} aria-label="Time of each phase, in milliseconds">
        {isReused && <li>Connection reused</li>}
        {phases.map(({ name, ms }) => (
          <li key={name}>
            <i className={classes.phase} data-phase={name} aria-hidden="true" />
            {name} <b>{formatMsFigure(ms)}</b>
          </li>
        ))}
      </ul>
    </div>
  )
}

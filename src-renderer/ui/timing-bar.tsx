import type { CallTimings } from '#shared/model/call.ts'
import { formatMsFigure } from './format.ts'
import classes from './timing-bar.module.css'
import { type Phase, phasesOf } from './timing-phases.ts'

/** The theme's colour of each phase. */
const colors: Readonly<Record<Phase['name'], string>> = {
  Setup: 'var(--cc-line-strong)',
  DNS: 'var(--cc-t-dns)',
  Connect: 'var(--cc-t-tcp)',
  TLS: 'var(--cc-t-tls)',
  Waiting: 'var(--cc-t-wait)',
  Download: 'var(--cc-t-down)',
}

/** The phases of a call in order, with their times in milliseconds. */
export function TimingBar({ timings }: { readonly timings: CallTimings }) {
  const { phases, isReused } = phasesOf(timings)
  return (
    <div>
      <div className={classes.bar} aria-hidden="true">
        {phases.map(({ name, ms }) => (
          <i key={name} className={classes.phase} style={{ flexGrow: ms, background: colors[name] }} />
        ))}
      </div>
      <ul className={classes.legend} aria-label="Time of each phase, in milliseconds">
        {isReused && <li>Connection reused</li>}
        {phases.map(({ name, ms }) => (
          <li key={name}>
            <i className={classes.phase} style={{ background: colors[name] }} aria-hidden="true" />
            {name} <b>{formatMsFigure(ms)}</b>
          </li>
        ))}
      </ul>
    </div>
  )
}

import { percent } from '../../ui/css-variables.ts'
import classes from './time-marks.module.css'

/** The marks of a row on a time axis, as shares of it. */
export type Marks = {
  readonly bar?: { readonly from: number; readonly to: number; readonly tone: string }
  /** Where the dashed line behind the bar ends. */
  readonly until?: number
  /** Something that is due. */
  readonly next?: number
}

/** Draws the marks of a row in its lane. @param props.now the share of the present; null if it is not on the axis. */
export function TimeMarks({ bar, until, next, now }: Marks & { readonly now: number | null }) {
  return (
    <>
      {now !== null && <i className={classes.now} style={{ left: percent(now) }} />}
      {next !== undefined && <i className={classes.next} style={{ left: percent(next) }} />}
      {bar !== undefined && until !== undefined && (
        <i
          className={classes.until}
          style={{ left: percent(bar.to), width: percent(Math.max(0, until - bar.to)) }}
        />
      )}
      {bar !== undefined && (
        <i
          className={classes.bar}
          data-tone={bar.tone}
          style={{
            left: `min(${percent(bar.from)}, 100% - 4px)`,
            width: percent(Math.max(0, bar.to - bar.from)),
          }}
        />
      )}
    </>
  )
}

import { Button } from '@mantine/core'
import { formatDay, formatHourMinute } from '../format.ts'
import { Note } from '../note.tsx'
import classes from './restored-note.module.css'

/** Says when a form was changed on an earlier page of this tab, and what it lacks. */
export type Restored = {
  /** When it was changed last, in milliseconds since 1970. */
  readonly at: number
  /** The names of what was typed and was not stored. */
  readonly missing: readonly string[]
}

/** Says that a form has the changes of before a reload, and what has to be typed again. */
export function RestoredNote(props: {
  readonly restored: Restored | null
  /** Null if there is nothing but what has to be typed again. */
  readonly onDiscard: (() => void) | null
  readonly onClose: () => void
}) {
  const { restored, onDiscard, onClose } = props
  if (restored === null) return null
  const { at, missing } = restored
  return (
    <div className={classes.note} role="status" data-restored>
      <Note>
        <div className={classes.line}>
          <span className="grow">
            {onDiscard !== null && <span className="w5">Restored from {timeOf(at, Date.now())}. </span>}
            {missing.length > 0 && `Type again, because it is not kept over a reload: ${missing.join(', ')}.`}
          </span>
          <Button size="xs" onClick={onDiscard ?? onClose}>
            {onDiscard === null ? 'Dismiss' : 'Discard'}
          </Button>
        </div>
      </Note>
    </div>
  )
}

/** 19:24; 19 Nov, 19:24 on another day than `now`. */
function timeOf(at: number, now: number): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString()
  return isToday ? formatHourMinute(at) : `${formatDay(at)}, ${formatHourMinute(at)}`
}

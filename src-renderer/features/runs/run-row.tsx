import { memo } from 'react'
import type { Run } from '#shared/model/run.ts'
import { hasEnded, runDetails, runLabel, runTime } from '../../entities/run/run-labels.ts'
import { StatusIcon, statusColor } from '../../entities/run/status-icon.tsx'
import lists from '../../ui/followed-list.module.css'
import { formatClock, formatExact } from '../../ui/format.ts'
import classes from './runs.module.css'
import { useRunClock } from './use-runs.ts'

/** Two lines: the workflow and the state of its run, then the event and the time. */
export const RunRow = memo(function RunRow({ run, name }: { readonly run: Run; readonly name: string }) {
  const { status, eventName, queuedAt } = run
  const now = useRunClock(hasEnded(run))
  const time = runTime(run, now)
  return (
    <div className={lists.item}>
      <span className={classes.shape}>
        <StatusIcon status={status} isNamed />
      </span>
      <span className="cut w5">{name}</span>
      <span className={`${classes.word} ${statusColor(status)}`}>{runLabel(run)}</span>
      <span className={`cut t3 ${lists.second} ${classes.second}`}>
        <code>{eventName}</code> {runDetails(run).join(' · ')}
      </span>
      <span className={`num ${lists.moment} ${classes.moment}`}>
        <time dateTime={queuedAt} title={formatExact(queuedAt)}>
          {formatClock(queuedAt, now)}
        </time>
        {time !== null && <span className="t3"> · {time}</span>}
      </span>
    </div>
  )
})

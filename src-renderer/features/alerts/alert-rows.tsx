import { dayMs } from '#shared/durations.ts'
import type { Alert } from '#shared/model/alert.ts'
import { RelativeTime } from '../../ui/badges.tsx'
import { Dot } from '../../ui/pill.tsx'
import { useNow } from '../../ui/use-now.ts'
import classes from './alerts.module.css'

type AlertRowsProps = {
  readonly alerts: readonly Alert[]
  /** The id of the alert that is shown beside the list. */
  readonly chosen: string | null
  readonly choose: (alert: Alert) => void
}

/** Lists alerts, each with its message and the time of its last change. */
export function AlertRows({ alerts, chosen, choose }: AlertRowsProps) {
  return (
    <ul className={classes.rows}>
      {alerts.map(alert => (
        <li key={alert.alertId}>
          <button
            type="button"
            className={classes.row}
            aria-current={alert.alertId === chosen || undefined}
            onClick={() => choose(alert)}
          >
            <Dot tone={alert.state === 'closed' ? 'ok' : alert.muted ? 'off' : 'bad'} />
            <span>
              {alert.message}
              {alert.muted && <span className="sm t3"> muted</span>}
            </span>
            <span className="sm t3">
              <RelativeTime at={alert.closedAt ?? alert.openedAt} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Lists the alerts that have closed in the last 24 hours. */
export function OverLately({ alerts, ...choice }: AlertRowsProps) {
  const now = useNow()
  const over = alerts.filter(({ closedAt }) => now - Date.parse(closedAt ?? '') < dayMs)
  if (over.length === 0) return null
  return (
    <section aria-label="Over in the last 24 hours">
      <h2 className={`h3 ${classes.head}`}>
        Over <span className="sm t3">last 24 hours</span>
      </h2>
      <AlertRows alerts={over} {...choice} />
    </section>
  )
}

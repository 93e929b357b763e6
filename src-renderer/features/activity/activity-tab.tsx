import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { HistoryChart } from '../../entities/connection/history-chart.tsx'
import classes from './activity.module.css'
import { ActivityView, useActivityView } from './activity-view.tsx'

/** A connection's events and calls, and the details of the open one. */
export function ActivityTab() {
  const { connectionId } = useCurrentConnection()
  const view = useActivityView()
  const above = (
    <div className={classes.history}>
      <HistoryChart connectionId={connectionId} />
    </div>
  )
  return <ActivityView view={view} above={above} size={392} />
}

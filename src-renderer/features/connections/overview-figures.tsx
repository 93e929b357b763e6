import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ConnectionStatistics } from '#shared/model/statistics.ts'
import { formatMs, formatNumber } from '../../ui/format.ts'
import { rejectionWords } from '../../ui/rejection-words.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import classes from './overview-tab.module.css'

/** A connection's last 24 hours in four figures. */
export function OverviewFigures(props: {
  readonly connectionId: string
  readonly statistics: ConnectionStatistics | undefined
}) {
  const { connectionId, statistics } = props
  const { accepted = 0, rejected = 0, calls = 0, callsOk = 0 } = statistics ?? {}
  const { lastEvent = null, lastRejection = null } = statistics ?? {}
  const { medianAnswerMs = null, medianCallMs = null } = statistics ?? {}
  return (
    <section className={classes.figures} aria-label="Last 24 hours">
      <Figure
        caption="Last event"
        value={lastEvent === null ? 'None yet' : <RelativeTime at={lastEvent.at} />}
      >
        {lastEvent === null ? 'Send one with T' : <code>{lastEvent.eventName}</code>}
      </Figure>
      <Figure caption="Accepted, 24 h" value={formatNumber(accepted)}>
        {medianAnswerMs === null ? 'Nothing to answer yet' : `Median ${formatMs(medianAnswerMs)} to answer`}
      </Figure>
      <Figure caption="Rejected, 24 h" value={formatNumber(rejected)}>
        {rejected === 0 || lastRejection === null ? (
          'Nothing was refused'
        ) : (
          <Link
            className="link"
            to="/connections/$connectionId/activity"
            params={{ connectionId }}
            search={{ show: 'rejected' }}
          >
            Last: {rejectionWords(lastRejection.code, lastRejection.diagnosis)}
          </Link>
        )}
      </Figure>
      <Figure caption="Action calls, 24 h" value={formatNumber(calls)}>
        {calls === 0
          ? 'None called yet'
          : [
              `${formatNumber(callsOk)} succeeded`,
              ...(medianCallMs === null ? [] : [`median ${formatMs(medianCallMs)}`]),
            ].join(' · ')}
      </Figure>
    </section>
  )
}

function Figure(props: {
  readonly caption: string
  readonly value: ReactNode
  readonly children: ReactNode
}) {
  return (
    <div className={classes.figure}>
      <span className="xs t3 w5">{props.caption}</span>
      <span className={classes.value}>{props.value}</span>
      <span className="sm t3 cut">{props.children}</span>
    </div>
  )
}

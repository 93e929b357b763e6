import { Link } from '@tanstack/react-router'
import type { ConnectionStatistics } from '#shared/model/statistics.ts'
import { FailedLink } from '../../entities/connection/failed-link.tsx'
import { rejectionTitle } from '../../entities/snippet/explanations.ts'
import { RelativeTime, Unknown } from '../../ui/badges.tsx'
import { Figure, Figures } from '../../ui/figures.tsx'
import { formatMs, formatNumber } from '../../ui/format.ts'

/** Four figures of a connection's last 24 hours. */
export function OverviewFigures(props: {
  readonly connectionId: string
  readonly statistics: ConnectionStatistics | undefined
}) {
  const { connectionId, statistics } = props
  if (statistics === undefined)
    return (
      <Figures label="Last 24 hours">
        {captions.map(caption => (
          <Figure key={caption} caption={caption} value={<Unknown />} />
        ))}
      </Figures>
    )
  const { status, accepted, rejected, calls, callsOk, callsNotMade, lastEvent, lastRejection } = statistics
  const failed = calls - callsOk
  const { medianAnswerMs, medianCallMs, oldSecret } = statistics
  return (
    <Figures label="Last 24 hours">
      <Figure
        caption={captions[0]}
        value={lastEvent === null ? 'None yet' : <RelativeTime at={lastEvent.at} />}
      >
        {lastEvent === null ? 'Send one with T' : <code>{lastEvent.eventName}</code>}
      </Figure>
      <Figure caption={captions[1]} value={formatNumber(accepted)}>
        {oldSecret !== null ? (
          <span className="warn">
            {formatNumber(oldSecret.count)} with an old secret, the last{' '}
            <RelativeTime at={oldSecret.lastAt} />
          </span>
        ) : medianAnswerMs === null ? (
          'Nothing to answer yet'
        ) : (
          `Median ${formatMs(medianAnswerMs)} to answer`
        )}
      </Figure>
      <Figure caption={captions[2]} value={formatNumber(rejected)}>
        {rejected === 0 || lastRejection === null ? (
          'Nothing was rejected'
        ) : (
          <Link
            className="link"
            to="/connections/$connectionId/activity"
            params={{ connectionId }}
            search={{ show: 'rejected', item: lastRejection.attemptId ?? undefined }}
          >
            Last: {rejectionTitle(lastRejection.code, lastRejection.diagnosis)}
          </Link>
        )}
      </Figure>
      <Figure caption={captions[3]} value={formatNumber(calls)}>
        {failed > 0 && (
          <>
            <FailedLink connectionId={connectionId} of="failed" isLoud={status.cause === 'calls'}>
              {formatNumber(failed)} failed
            </FailedLink>
            {' · '}
          </>
        )}
        {calls === 0
          ? callsNotMade === 0 && 'None called yet'
          : [
              `${formatNumber(callsOk)} succeeded`,
              ...(medianCallMs === null ? [] : [`median ${formatMs(medianCallMs)}`]),
            ].join(' · ')}
        {callsNotMade > 0 && (
          <>
            {calls === 0 ? '' : ' · '}
            <FailedLink connectionId={connectionId} of="unmade">
              {formatNumber(callsNotMade)} not made
            </FailedLink>
          </>
        )}
      </Figure>
    </Figures>
  )
}

const captions = ['Last event', 'Accepted, 24 h', 'Rejected, 24 h', 'Calls, 24 h'] as const

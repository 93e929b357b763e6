import type { ConnectionStatistics } from '#shared/model/statistics.ts'
import { useLiveState } from '../../client/live-provider.tsx'
import { formatExact, formatTime } from '../../ui/format.ts'
import { Dot } from '../../ui/pill.tsx'
import { rejectionTitle } from '../../ui/rejection-title.ts'
import { StatusCode } from '../../ui/status-code.tsx'
import { Unknown } from '../../ui/unknown.tsx'
import classes from './code-card.module.css'
import { lastOutcome } from './last-outcome.ts'

/** What became of the last request to this connection, as it happens. */
export function LastOutcomeLine({ statistics }: { readonly statistics: ConnectionStatistics | undefined }) {
  const outcome = lastOutcome(statistics)
  const isLost = useLiveState() === 'lost'
  return (
    <div className={`row sm ${classes.outcome}`}>
      <Dot tone={isLost ? 'mute' : outcome?.kind === 'rejected' ? 'warn' : 'ok'} live={!isLost} />
      <span className="nowrap">
        {isLost ? 'Not up to date: the service does not answer.' : 'Run it and watch this line.'}
      </span>
      <span className={`row t3 push cut ${classes.last}`} role="status">
        {statistics === undefined ? (
          <Unknown />
        ) : outcome === null ? (
          'Nothing yet'
        ) : (
          <>
            <span className="cut">
              Last:{' '}
              {outcome.kind === 'accepted' ? (
                <code>{outcome.eventName}</code>
              ) : (
                rejectionTitle(outcome.code, outcome.diagnosis)
              )}
            </span>
            <StatusCode status={outcome.status} />
            <time dateTime={outcome.at} title={formatExact(outcome.at)} className="num nowrap">
              {formatTime(outcome.at)}
            </time>
          </>
        )}
      </span>
    </div>
  )
}

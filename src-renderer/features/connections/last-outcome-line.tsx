import type { ConnectionStatistics } from '#shared/model/statistics.ts'
import { formatExact, formatTime } from '../../ui/format.ts'
import { Dot } from '../../ui/pill.tsx'
import { rejectionWords } from '../../ui/rejection-words.ts'
import { StatusCode } from '../../ui/status-code.tsx'
import classes from './code-card.module.css'
import { lastOutcome } from './last-outcome.ts'

/** What became of the last request to this connection, as it happens. */
export function LastOutcomeLine({ statistics }: { readonly statistics: ConnectionStatistics | undefined }) {
  const outcome = lastOutcome(statistics)
  return (
    <div className={`row sm ${classes.outcome}`}>
      <Dot tone={outcome?.kind === 'rejected' ? 'warn' : 'ok'} live />
      <span className="nowrap">Run it and watch this line.</span>
      <span className={`row t3 push cut ${classes.last}`} role="status">
        {outcome === null ? (
          'Nothing yet'
        ) : (
          <>
            <span className="cut">
              Last:{' '}
              {outcome.kind === 'accepted' ? (
                <code>{outcome.eventName}</code>
              ) : (
                rejectionWords(outcome.code, outcome.diagnosis)
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

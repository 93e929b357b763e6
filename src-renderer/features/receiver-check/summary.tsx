import type { Action } from '#shared/model/action.ts'
import { reportUrl } from '#shared/receiver-check/report/report.ts'
import { countsOf, outcomeText } from '#shared/receiver-check/words.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { formatExact, formatMoment, formatNumber } from '../../ui/format.ts'
import classes from './receiver-check.module.css'
import type { Outcome } from './use-receiver-check.ts'

const parts = [
  ['passed', 'passed', 'ok'],
  ['look', 'to look at', 'warn'],
  ['failed', 'failed', 'bad'],
] as const

/** The outcome in a few words, with a bar of its parts. */
export function Summary({ outcome, action }: { readonly outcome: Outcome; readonly action: Action }) {
  const { baseUrl } = useCurrentConnection()
  const { check, at } = outcome
  const counts = countsOf(check)
  const shown = parts.filter(([verdict]) => counts[verdict] > 0)
  const words = [
    ...shown.map(([verdict, label]) => `${formatNumber(counts[verdict])} ${label}`),
    ...(counts.skipped > 0 ? [`${formatNumber(counts.skipped)} not sent`] : []),
  ]
  return (
    <div className={classes.summary} role="status">
      <h2 className={classes.outcome}>{outcomeText(check)}</h2>
      <span className={classes.meter} role="img" aria-label={words.join(', ')}>
        {shown.map(([verdict, , tone]) => (
          <i key={verdict} data-tone={tone} style={{ flexGrow: counts[verdict] }} />
        ))}
      </span>
      <span className="sm t3 cut">
        {reportUrl(baseUrl, action.path).replace(/^https?:\/\//, '')} ·{' '}
        <time dateTime={at} title={formatExact(at)}>
          {formatMoment(at)}
        </time>
      </span>
      <span className="sm t3 num">{words.join(' · ')}</span>
    </div>
  )
}

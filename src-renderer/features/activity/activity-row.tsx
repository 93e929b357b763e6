import { Check } from 'lucide-react'
import { memo } from 'react'
import type { ListedOccurrence } from '#shared/model/activity.ts'
import { StatusCode } from '../../ui/badges.tsx'
import lists from '../../ui/followed-list.module.css'
import { formatClock, formatExact, formatMs } from '../../ui/format.ts'
import classes from './activity.module.css'
import { kindOf } from './kinds.ts'

/** Two lines: the event, call or other item and its result, then details and the time. */
export const ActivityRow = memo(function ActivityRow(props: {
  readonly item: ListedOccurrence
  /** The name of its connection, if the list is of several. */
  readonly connection: string | undefined
  /** Undefined where rows cannot be checked. */
  readonly isChecked?: boolean | undefined
  readonly onToggle?: (item: ListedOccurrence) => void
}) {
  const { item, connection, isChecked, onToggle } = props
  const { at } = item
  const { row, shows, icon: Icon } = kindOf(item)
  const [channel] = shows
  const { isBad, title, isName, status, code, details, ms } = row(item)
  return (
    <div className={lists.item} data-checks={isChecked !== undefined || undefined}>
      {isChecked !== undefined && (
        // The list checks the row with Space, and says whether it is.
        // biome-ignore lint/a11y/useKeyWithClickEvents: see above
        // biome-ignore lint/a11y/noStaticElementInteractions: see above
        <span
          className={lists.check}
          data-checked={isChecked}
          onClick={event => {
            event.stopPropagation()
            onToggle?.(item)
          }}
        >
          {isChecked && <Check size={12} strokeWidth={3} />}
        </span>
      )}
      <span className={`${isBad ? 'bad' : 't3'} ${classes.direction}`}>
        <Icon />
        {channel !== undefined && (
          <span className="sr">{channel === 'inbound' ? 'Inbound' : 'Outbound'}</span>
        )}
      </span>
      {isName ? (
        <code className={`cut ${classes.name}`}>{title}</code>
      ) : (
        <span className="cut w5">{title}</span>
      )}
      <span className={classes.status}>
        <StatusCode status={status} text={status === null ? code : null} />
      </span>
      <span className={`cut t3 ${lists.second}`}>
        {details.map(({ text, isWarning }, index) => (
          // An event's own field may also be “replay”.
          // biome-ignore lint/suspicious/noArrayIndexKey: details are never reordered
          <span key={index} className={isWarning === true ? 'warn' : undefined}>
            {index > 0 && ' · '}
            {text}
          </span>
        ))}
        {connection !== undefined && `${details.length > 0 ? ' · ' : ''}${connection}`}
      </span>
      <span className={`num ${lists.moment}`}>
        <time dateTime={at} title={formatExact(at)}>
          {formatClock(at, Date.now())}
        </time>
        {ms !== null && <span className="t3"> · {formatMs(ms)}</span>}
      </span>
    </div>
  )
})

import { ChevronRight } from 'lucide-react'
import { memo } from 'react'
import { StatusCode } from '../../ui/badges.tsx'
import lists from '../../ui/followed-list.module.css'
import { formatClock, formatNumber } from '../../ui/format.ts'
import classes from './activity.module.css'
import type { GroupRow as Row } from './feed-rows.ts'
import { groupNouns, groupStatus, groupTitle } from './group-labels.ts'
import { kindOf } from './kinds.ts'

/** Two lines: how often what has failed, then where and when. */
export const GroupRow = memo(function GroupRow(props: {
  readonly row: Row
  readonly connection: string | undefined
}) {
  const { group } = props.row
  const { kind, count, firstAt, lastAt, connectionId } = group
  const { icon: Icon } = kindOf({ type: kind })
  const now = Date.now()
  const connection = connectionId === null ? 'No connection' : props.connection
  return (
    <div className={lists.item} data-checks>
      <span className={lists.check}>
        <ChevronRight size={14} />
      </span>
      <span className={`bad ${classes.direction}`}>
        <Icon />
      </span>
      <span className="cut w5">
        <span className="num">{formatNumber(count)}</span> × {groupTitle(group)}
      </span>
      <span className={classes.status}>
        <StatusCode status={groupStatus(group)} />
      </span>
      <span className={`cut t3 ${lists.second}`}>
        {[groupNouns[kind], connection].filter(Boolean).join(' · ')}
      </span>
      <span className={`num ${lists.moment}`}>
        {count > 1 && `${formatClock(firstAt, now)} – `}
        {formatClock(lastAt, now)}
      </span>
    </div>
  )
})

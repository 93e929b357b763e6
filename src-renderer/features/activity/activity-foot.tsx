import { formatCount, formatNumber } from '../../ui/format.ts'
import { Foot, type Hint } from '../../ui/page.tsx'
import { useCurrentConnection } from '../connections/current-connection.tsx'
import { useConnectionStatistics } from '../connections/use-connection-statistics.ts'

/** Of an event that is not stored, only what its memory allows is offered. */
export type OpenKind = 'event' | 'unstored' | 'rejection' | 'other' | null

const follow: Hint = { keys: 'f', does: 'follow newest' }
const search: Hint = { keys: '/', does: 'search' }
const select: Hint = { keys: 'updown', does: 'select' }
const hints: Readonly<Record<Exclude<OpenKind, null> | 'none', readonly Hint[]>> = {
  none: [select, follow, search],
  other: [select, follow, search],
  rejection: [select, follow, search, { keys: 'c', does: 'copy for the sender' }],
  unstored: [select, { keys: 'e', does: 'edit and send' }, { keys: 'd', does: 'compare' }, follow],
  event: [
    select,
    { keys: 'r', does: 'replay' },
    { keys: 'e', does: 'edit and send' },
    { keys: 'd', does: 'compare' },
    { keys: 'backspace', does: 'delete' },
  ],
}

/** What the keyboard does here, and the figures of the day. */
export function ActivityFoot({ open }: { readonly open: OpenKind }) {
  const { connectionId } = useCurrentConnection()
  const own = useConnectionStatistics(connectionId)
  return (
    <Foot hints={hints[open ?? 'none']}>
      {own !== undefined && (
        <span className="num">
          {formatCount(own.accepted, 'event')} · {formatCount(own.calls, 'call')} ·{' '}
          {formatNumber(own.rejected)} rejected in 24 hours
        </span>
      )}
    </Foot>
  )
}

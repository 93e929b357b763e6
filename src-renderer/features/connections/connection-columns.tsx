import { Link } from '@tanstack/react-router'
import { ArrowDownLeft, ArrowUpRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { callWords, eventWords } from '../../entities/connection/connection-history.ts'
import { FailedLink } from '../../entities/connection/failed-link.tsx'
import { Unsigned } from '../../entities/connection/unsigned.tsx'
import type { ConnectionRow } from '../../entities/connection/use-connections.ts'
import { copyInboundUrl } from '../../entities/connection/use-secret.ts'
import { useSwitchConnection } from '../../entities/connection/use-update-connection.ts'
import { RelativeTime, Unknown } from '../../ui/badges.tsx'
import { formatNumber } from '../../ui/format.ts'
import { HourBars } from '../../ui/hour-bars.tsx'
import table from '../../ui/list-table.module.css'
import type { ListColumn } from '../../ui/list-table.tsx'
import { Pill } from '../../ui/pill.tsx'
import { WriteSwitch } from '../../ui/write-button.tsx'
import { ConnectionMenu } from './connection-menu.tsx'
import classes from './connection-table.module.css'

type Cell = { readonly row: ConnectionRow }

/** The columns of the list: the connection, its status and its switch. */
export const connectionColumns: readonly ListColumn<ConnectionRow>[] = [
  { head: 'Name', cell: NameCell, skeleton: [null, null] },
  { head: 'Status', card: 'side', className: classes.status, cell: StatusCell, skeleton: [84] },
  {
    head: 'Events, 24 h',
    icon: ArrowDownLeft,
    card: 'half',
    className: classes.day,
    cell: EventsCell,
    skeleton: [158],
  },
  {
    head: 'Calls, 24 h',
    icon: ArrowUpRight,
    card: 'half',
    className: classes.day,
    cell: CallsCell,
    skeleton: [158],
  },
  {
    head: 'Last event',
    width: 156,
    className: classes.lastEvent,
    cell: LastEventCell,
    skeleton: [96, 56],
  },
  { head: 'Enabled', isHeadHidden: true, card: 'none', width: 88, cell: ControlsCell, skeleton: [28] },
]

function NameCell({ row: { connectionId, name, baseUrl } }: Cell) {
  return (
    <div className="col">
      <Link
        to="/connections/$connectionId"
        params={{ connectionId }}
        className={`${table.open} cut`}
        title={name.length > 30 ? name : undefined}
      >
        {name}
      </Link>
      {baseUrl === null ? (
        <span className="sm t3 cut">Inbound only: no base URL</span>
      ) : (
        <span className={`sm t3 cut mono ${classes.url}`}>{baseUrl}</span>
      )}
    </div>
  )
}

function StatusCell({ row: { status, unsigned } }: Cell) {
  return (
    <span className={classes.state}>
      {status.state === 'unknown' ? <Unknown /> : <Pill tone={status.tone}>{status.label}</Pill>}
      {unsigned && <Unsigned />}
    </span>
  )
}

function LastEventCell({ row: { connectionId, statistics } }: Cell) {
  if (statistics === undefined) return <Unknown />
  const { lastEvent } = statistics
  if (lastEvent === null)
    return (
      <button
        type="button"
        className={`${classes.start} ${table.above}`}
        onClick={() => copyInboundUrl(connectionId)}
      >
        Copy the URL to start
      </button>
    )
  return (
    <div className="col">
      <span className={`mono cut ${classes.eventName}`}>{lastEvent.eventName}</span>
      <span className={`sm t3 ${table.above}`}>
        <RelativeTime at={lastEvent.at} />
      </span>
    </div>
  )
}

function EventsCell({ row: { connectionId, statistics, status } }: Cell) {
  if (statistics === undefined) return <Unknown />
  const { hours, accepted, rejected } = statistics
  return (
    <Direction
      bars={
        <HourBars
          className={classes.bars}
          hours={hours.map(hour => ({ good: hour.accepted, bad: hour.rejected }))}
          words={eventWords}
        />
      }
      count={accepted}
    >
      {rejected > 0 && (
        <FailedLink connectionId={connectionId} of="rejected" isLoud={status.state === 'rejecting'}>
          {formatNumber(rejected)} rejected
        </FailedLink>
      )}
    </Direction>
  )
}

function CallsCell({ row: { connectionId, baseUrl, statistics, status } }: Cell) {
  if (statistics === undefined) return <Unknown />
  const { hours, calls, callsOk, callsNotMade } = statistics
  if (baseUrl === null && calls === 0 && callsNotMade === 0) return <span className="sm t3">No base URL</span>
  const failed = calls - callsOk
  return (
    <Direction
      bars={
        <HourBars
          className={classes.bars}
          hours={hours.map(hour => ({ good: hour.calls - hour.callsFailed, bad: hour.callsFailed }))}
          words={callWords}
          isOutbound
        />
      }
      count={calls}
    >
      {failed > 0 ? (
        <FailedLink
          connectionId={connectionId}
          of="failed"
          isLoud={status.state === 'failing' || status.state === 'attention'}
        >
          {formatNumber(failed)} failed
        </FailedLink>
      ) : (
        callsNotMade > 0 && (
          <FailedLink connectionId={connectionId} of="unmade">
            {formatNumber(callsNotMade)} not made
          </FailedLink>
        )
      )}
    </Direction>
  )
}

/** The bars of one direction, how many there were, and what went wrong. */
function Direction(props: {
  readonly bars: ReactNode
  readonly count: number
  readonly children: ReactNode
}) {
  const { bars, count, children } = props
  return (
    <div className={`row ${table.above} ${classes.direction}`}>
      {bars}
      <div className={`col push ${classes.counts}`}>
        <span className="num">{formatNumber(count)}</span>
        {children}
      </div>
    </div>
  )
}

function ControlsCell({ row }: Cell) {
  const { connectionId, name, enabled } = row
  const switchConnection = useSwitchConnection()
  return (
    <div className={`${table.switches} ${table.above}`}>
      <WriteSwitch
        aria-label={`Enable ${name}`}
        checked={enabled}
        onChange={event => switchConnection(connectionId, event.currentTarget.checked)}
      />
      <ConnectionMenu connection={row} size="xs" />
    </div>
  )
}

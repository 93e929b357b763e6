import { Switch } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { HourCounts } from '#shared/model/statistics.ts'
import type { ConnectionRow } from '../../entities/connection/use-connections.ts'
import { copyInboundUrl } from '../../entities/connection/use-secret.ts'
import { useSwitchConnection } from '../../entities/connection/use-update-connection.ts'
import { RelativeTime, Unknown } from '../../ui/badges.tsx'
import { formatNumber } from '../../ui/format.ts'
import type { Hour } from '../../ui/hour-bar-heights.ts'
import { DayBars } from '../../ui/hour-bars.tsx'
import table from '../../ui/list-table.module.css'
import type { ListColumn } from '../../ui/list-table.tsx'
import { Pill } from '../../ui/pill.tsx'
import { ConnectionMenu } from './connection-menu.tsx'
import classes from './connection-table.module.css'

type Cell = { readonly row: ConnectionRow }

/** The columns of the list: the connection, its status and its switch. */
export const connectionColumns: readonly ListColumn<ConnectionRow>[] = [
  { head: 'Name', cell: NameCell, skeleton: [null, null] },
  { head: 'Status', width: 180, cell: StatusCell, skeleton: [84] },
  { head: 'Last event', width: 156, cell: LastEventCell, skeleton: [96, 56] },
  { head: 'Last 24 hours', width: 186, className: classes.day, cell: DayCell, skeleton: [158] },
  {
    head: 'Actions',
    width: 60,
    className: classes.actions,
    isNumber: true,
    cell: ({ row }) => <Count of={row.actionCount} />,
    skeleton: [14],
  },
  {
    head: 'Event types',
    width: 84,
    className: classes.events,
    isNumber: true,
    cell: ({ row }) => <Count of={row.eventTypeCount} />,
    skeleton: [14],
  },
  { head: 'Enabled', isHeadHidden: true, width: 88, cell: ControlsCell, skeleton: [28] },
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

function StatusCell({ row: { status } }: Cell) {
  return status.state === 'unknown' ? <Unknown /> : <Pill tone={status.tone}>{status.label}</Pill>
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

function DayCell({ row: { statistics } }: Cell) {
  const hours = statistics && eventsByHour(statistics.hours)
  return <DayBars hours={hours} words={eventWords} sum={statistics?.accepted} />
}

const eventWords = { of: 'Events', good: 'accepted', bad: 'rejected' }

const eventsByHour = (hours: readonly HourCounts[]): Hour[] =>
  hours.map(({ accepted, rejected }) => ({ good: accepted, bad: rejected }))

function Count({ of }: { readonly of: number }) {
  return <span className={of === 0 ? 't3' : undefined}>{formatNumber(of)}</span>
}

function ControlsCell({ row }: Cell) {
  const { connectionId, name, enabled } = row
  const switchConnection = useSwitchConnection()
  return (
    <div className={`${table.switches} ${table.above}`}>
      <Switch
        aria-label={`Enable ${name}`}
        checked={enabled}
        onChange={event => switchConnection(connectionId, event.currentTarget.checked)}
      />
      <ConnectionMenu connection={row} size="xs" />
    </div>
  )
}

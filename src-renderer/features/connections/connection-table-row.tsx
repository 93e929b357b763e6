import { Switch } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { HourCounts } from '#shared/model/statistics.ts'
import { RelativeTime, Unknown } from '../../ui/badges.tsx'
import { formatNumber } from '../../ui/format.ts'
import type { Hour } from '../../ui/hour-bar-heights.ts'
import { HourBars } from '../../ui/hour-bars.tsx'
import table from '../../ui/list-table.module.css'
import { Pill } from '../../ui/pill.tsx'
import { ConnectionMenu } from './connection-menu.tsx'
import classes from './connection-table.module.css'
import type { ConnectionRow } from './use-connections.ts'
import { copyInboundUrl } from './use-secret.ts'
import { useSwitchConnection } from './use-update-connection.ts'

type Props = {
  readonly row: ConnectionRow
  /** The number of the row in the table. The header is row 1. */
  readonly position: number
  readonly isSelected: boolean
  readonly onSelect: (connectionId: string) => void
}

/** A row of the list: the connection, its status and its switch. */
export const ConnectionTableRow = memo(function ConnectionTableRow(props: Props) {
  const { row, position, isSelected, onSelect } = props
  const { connectionId, name, baseUrl, enabled, actionCount, eventTypeCount, statistics, status } = row
  const switchConnection = useSwitchConnection()
  const lastEvent = statistics?.lastEvent ?? null
  return (
    <tr
      className={table.row}
      aria-rowindex={position}
      data-connection={connectionId}
      data-selected={isSelected || undefined}
      data-off={!enabled || undefined}
      onFocus={() => onSelect(connectionId)}
    >
      <td>
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
      </td>
      <td>{status.state === 'unknown' ? <Unknown /> : <Pill tone={status.tone}>{status.label}</Pill>}</td>
      <td>
        {statistics === undefined ? (
          <Unknown />
        ) : lastEvent === null ? (
          <button
            type="button"
            className={`${classes.start} ${table.above}`}
            onClick={() => copyInboundUrl(connectionId)}
          >
            Copy the URL to start
          </button>
        ) : (
          <div className="col">
            <span className={`mono cut ${classes.eventName}`}>{lastEvent.eventName}</span>
            <span className={`sm t3 ${table.above}`}>
              <RelativeTime at={lastEvent.at} />
            </span>
          </div>
        )}
      </td>
      <td className={classes.day}>
        <div className={`row ${table.above}`} style={{ gap: 12 }}>
          {statistics === undefined ? (
            <Unknown />
          ) : (
            <>
              <HourBars hours={eventsByHour(statistics.hours)} words={eventWords} />
              <span className={`num sm t2 ${table.count}`}>{formatNumber(statistics.accepted)}</span>
            </>
          )}
        </div>
      </td>
      <td className={`${classes.actions} ${table.number}`}>
        <span className={actionCount === 0 ? 't3' : undefined}>{formatNumber(actionCount)}</span>
      </td>
      <td className={`${classes.events} ${table.number}`}>
        <span className={eventTypeCount === 0 ? 't3' : undefined}>{formatNumber(eventTypeCount)}</span>
      </td>
      <td>
        <div className={`${table.switches} ${table.above}`}>
          <Switch
            aria-label={`Enable ${name}`}
            checked={enabled}
            onChange={event => switchConnection(connectionId, event.currentTarget.checked)}
          />
          <ConnectionMenu connection={row} size="xs" />
        </div>
      </td>
    </tr>
  )
})

const eventWords = { of: 'Events', good: 'accepted', bad: 'rejected' }

const eventsByHour = (hours: readonly HourCounts[]): Hour[] =>
  hours.map(({ accepted, rejected }) => ({ good: accepted, bad: rejected }))

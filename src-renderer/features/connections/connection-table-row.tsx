import { Switch } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { RelativeTime, Unknown } from '../../ui/badges.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Pill } from '../../ui/pill.tsx'
import { ConnectionMenu } from './connection-menu.tsx'
import classes from './connection-table.module.css'
import { HourBars } from './hour-bars.tsx'
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
      className={classes.row}
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
            className={`${classes.open} cut`}
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
            className={`${classes.start} ${classes.above}`}
            onClick={() => copyInboundUrl(connectionId)}
          >
            Copy the URL to start
          </button>
        ) : (
          <div className="col">
            <span className={`mono cut ${classes.eventName}`}>{lastEvent.eventName}</span>
            <span className={`sm t3 ${classes.above}`}>
              <RelativeTime at={lastEvent.at} />
            </span>
          </div>
        )}
      </td>
      <td className={classes.day}>
        <div className={`row ${classes.above}`} style={{ gap: 12 }}>
          {statistics === undefined ? (
            <Unknown />
          ) : (
            <>
              <HourBars hours={statistics.hours} />
              <span className={`num sm t2 ${classes.count}`}>{formatNumber(statistics.accepted)}</span>
            </>
          )}
        </div>
      </td>
      <td className={`${classes.actions} ${classes.number}`}>
        <span className={actionCount === 0 ? 't3' : undefined}>{formatNumber(actionCount)}</span>
      </td>
      <td className={`${classes.events} ${classes.number}`}>
        <span className={eventTypeCount === 0 ? 't3' : undefined}>{formatNumber(eventTypeCount)}</span>
      </td>
      <td>
        <div className={`${classes.switches} ${classes.above}`}>
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

import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Alert, ConnectionWatch } from '#shared/model/alert.ts'
import type { ConnectionRow } from '../../entities/connection/use-connections.ts'
import { Unknown } from '../../ui/badges.tsx'
import { formatCount, formatDuration } from '../../ui/format.ts'
import table from '../../ui/list-table.module.css'
import type { ListColumn } from '../../ui/list-table.tsx'
import { Dot } from '../../ui/pill.tsx'
import classes from './alerts.module.css'
import { ClockScale } from './clock-scale.tsx'
import { signedTime } from './signed-time.ts'
import { useWatch } from './use-watch.ts'

/** A connection with its open alerts. */
export type WatchedRow = ConnectionRow & { readonly alerts: readonly Alert[] }
type Cell = { readonly row: WatchedRow }

/** The columns of the page Alerts. */
export const watchColumns: readonly ListColumn<WatchedRow>[] = [
  { head: 'Connection', cell: NameCell, skeleton: [null] },
  { head: 'Silent for', width: 104, cell: SilentCell, skeleton: [56, 40] },
  { head: 'Refused, 1 h', width: 104, cell: RefusedCell, skeleton: [40] },
  { head: 'Payloads', width: 108, className: classes.wide, cell: PayloadCell, skeleton: [72] },
  { head: 'Sender’s clock', width: 124, className: classes.wide, cell: ClockCell, skeleton: [64, 92] },
]

function NameCell({ row: { connectionId, name, enabled, alerts } }: Cell) {
  const tone = alerts.some(({ muted }) => !muted)
    ? 'bad'
    : alerts.length > 0
      ? 'warn'
      : enabled
        ? 'ok'
        : 'off'
  return (
    <div className={classes.name}>
      <Dot tone={tone} />
      <Link
        to="/alerts"
        search={before => ({ ...before, connection: connectionId, alert: undefined })}
        replace
        className={`${table.open} cut`}
        title={name.length > 24 ? name : undefined}
      >
        {name}
        {alerts.length > 0 && <span className="sr">, {formatCount(alerts.length, 'alert')}</span>}
      </Link>
    </div>
  )
}

/** Shows a figure of a connection once it is known. */
function Figure(props: { readonly row: WatchedRow; readonly of: (watch: ConnectionWatch) => ReactNode }) {
  const { data } = useWatch(props.row.connectionId)
  if (!props.row.enabled) return <span className="t3">Not watched</span>
  return data === undefined ? <Unknown /> : props.of(data)
}

function SilentCell({ row }: Cell) {
  return (
    <Figure
      row={row}
      of={({ silent, now: { silentForMs } }) => (
        <div className="col">
          <span className="nowrap">
            {silentForMs === null ? 'Never sent' : formatDuration(Math.max(1000, silentForMs))}
          </span>
          <span className="sm t3 nowrap">{silent.enabled ? `alert at ${silent.hours} h` : 'alert off'}</span>
        </div>
      )}
    />
  )
}

function RefusedCell({ row }: Cell) {
  return (
    <Figure
      row={row}
      of={({ refused, now: { refusedPercent } }) =>
        refusedPercent === null ? (
          <span className="t3">No events</span>
        ) : (
          <span className={refused.enabled && refusedPercent >= refused.percent ? classes.bad : undefined}>
            {refusedPercent}%
          </span>
        )
      }
    />
  )
}

function PayloadCell({ row }: Cell) {
  return (
    <Figure
      row={row}
      of={({ payload, now: { payloads } }) => {
        if (!payload.enabled) return <span className="t3">Not watched</span>
        if (payloads === null) return <span className="t3">No sample</span>
        const fields = payloads.reduce((sum, one) => sum + one.fields.length, 0)
        return fields === 0 ? (
          <span className="t2">As declared</span>
        ) : (
          <span className={classes.warn}>
            {formatCount(fields, 'field')} {fields === 1 ? 'differs' : 'differ'}
          </span>
        )
      }}
    />
  )
}

function ClockCell({ row }: Cell) {
  return (
    <Figure
      row={row}
      of={({ clock: { enabled, seconds }, now: { clock } }) =>
        !enabled ? (
          <span className="t3">Not watched</span>
        ) : clock === null ? (
          <span className="t3">No events</span>
        ) : (
          <div className="col">
            <span className={`nowrap ${Math.abs(clock.medianMs) > seconds * 1000 ? classes.warn : ''}`}>
              {signedTime(clock.medianMs)}
            </span>
            <ClockScale medianMs={clock.medianMs} seconds={seconds} />
          </div>
        )
      }
    />
  )
}

import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { hourMs } from '#shared/durations.ts'
import type { Alert, WatchedConnection } from '#shared/model/alert.ts'
import type { ConnectionRow } from '../../entities/connection/use-connections.ts'
import { Unknown } from '../../ui/badges.tsx'
import { formatCount, formatDuration, formatNumber } from '../../ui/format.ts'
import table from '../../ui/list-table.module.css'
import type { ListColumn } from '../../ui/list-table.tsx'
import { Dot } from '../../ui/pill.tsx'
import classes from './alerts.module.css'
import { ClockScale } from './clock-scale.tsx'
import { signedTime } from './signed-time.ts'

/** A connection with its open alerts, and what is measured; undefined until that is read. */
export type WatchedRow = ConnectionRow & {
  readonly alerts: readonly Alert[]
  readonly watched: WatchedConnection | undefined
}
type Cell = { readonly row: WatchedRow }

/** The columns of the page Alerts. */
export const watchColumns: readonly ListColumn<WatchedRow>[] = [
  { head: 'Connection', cell: NameCell, skeleton: [null] },
  { head: 'Silent for', card: 'half', width: 104, cell: SilentCell, skeleton: [56, 40] },
  { head: 'Refused, 1 h', card: 'half', width: 104, cell: RefusedCell, skeleton: [40] },
  { head: 'Payloads', card: 'half', width: 108, className: classes.wide, cell: PayloadCell, skeleton: [72] },
  {
    head: 'Sender’s clock',
    card: 'half',
    width: 124,
    className: classes.wide,
    cell: ClockCell,
    skeleton: [64, 92],
  },
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
function Figure(props: { readonly row: WatchedRow; readonly of: (watched: WatchedConnection) => ReactNode }) {
  const { enabled, watched } = props.row
  if (!enabled) return <span className="t3">Not watched</span>
  return watched === undefined ? <Unknown /> : props.of(watched)
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
          {silent.enabled ? (
            <Silence forMs={silentForMs} hours={silent.hours} />
          ) : (
            <span className="sm t3 nowrap">alert off</span>
          )}
        </div>
      )}
    />
  )
}

/** Draws how much of a silence has passed before its alert opens. */
function Silence({ forMs, hours }: { readonly forMs: number | null; readonly hours: number }) {
  const share = Math.min(1, (forMs ?? 0) / (hours * hourMs))
  return (
    <span className={`sm t3 nowrap ${classes.silence}`} data-over={share === 1 || undefined}>
      <span className={classes.silenceBar} aria-hidden="true">
        <span className={classes.silenceFill} style={{ width: `${share * 100}%` }} />
      </span>
      <span className="sr">alert at </span>
      {formatHours(hours)}
    </span>
  )
}

/** “12 h”, “3 days”. */
const formatHours = (hours: number) =>
  hours >= 48 && hours % 24 === 0 ? formatCount(hours / 24, 'day') : `${formatNumber(hours)} h`

function RefusedCell({ row }: Cell) {
  return (
    <Figure
      row={row}
      of={({ now: { refusedPercent, lastHour } }) =>
        refusedPercent === null ? (
          <span className="t3">No events</span>
        ) : (
          <div className="col">
            <span className={row.alerts.some(({ kind }) => kind === 'refused') ? classes.bad : undefined}>
              {formatNumber(refusedPercent)}%
            </span>
            <span className="sm t3 nowrap">
              {lastHour.refused > 0 && `${formatNumber(lastHour.refused)} `}of{' '}
              {formatNumber(lastHour.requests)}
            </span>
          </div>
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

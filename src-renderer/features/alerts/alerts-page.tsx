import { Button, NativeSelect, SegmentedControl } from '@mantine/core'
import { useRef } from 'react'
import { z } from 'zod'
import { type Alert, AlertKind } from '#shared/model/alert.ts'
import { maxPage } from '#shared/model/page.ts'
import { useAlerts } from '../../entities/alert/use-alerts.ts'
import { useConnectionPages } from '../../entities/connection/use-connections.ts'
import { Counted } from '../../ui/badges.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { useRowKeys } from '../../ui/keyboard-list.ts'
import { ListTable, type ListTableHandle } from '../../ui/list-table.tsx'
import { MasterDetail } from '../../ui/master-detail.tsx'
import { optionsOf } from '../../ui/options-of.ts'
import { Body, Foot, Top, useTitle } from '../../ui/page.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { useSearchState } from '../../ui/search-state.ts'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { useDerivedNow } from '../../ui/use-now.ts'
import { AlertDetail } from './alert-detail.tsx'
import { titles } from './alert-labels.ts'
import { AlertRows, OverLately } from './alert-rows.tsx'
import classes from './alerts.module.css'
import { ConnectionDetail } from './connection-detail.tsx'
import { FailedDeliveries } from './failed-deliveries.tsx'
import { QuietButton } from './quiet-button.tsx'
import { useWatchedConnections } from './use-watch.ts'
import { type WatchedRow, watchColumns } from './watch-columns.tsx'

const noAlerts: readonly Alert[] = []

/** The connections with what is measured of them, alerts of workflows and the service, and those that are over. */
export function AlertsPage() {
  useTitle('Alerts')
  const open = useAlerts('open')
  const closed = useAlerts('closed')
  const [place, change] = useSearchState('/alerts')
  const { alert: alertId = null, connection: connectionId = null, text = '', only: show, kind } = place
  const ofKind = (alert: Alert) => kind === undefined || alert.kind === kind
  const all = open.data ?? noAlerts
  const alerts = all.filter(ofKind)
  const over = (closed.data ?? noAlerts).filter(ofKind)
  const alerting = [...new Set(alerts.flatMap(one => one.connectionId ?? []))]
  const isAlerting = show === 'alerting' || kind !== undefined
  const pages = useConnectionPages({
    ...{ text: text === '' ? undefined : text, sort: 'name' },
    ...(isAlerting && { connectionIds: alerting.slice(0, maxPage) }),
    ...(show === 'disabled' && { state: 'disabled' as const }),
  })
  const { figures } = pages
  const listed = isAlerting && alerting.length === 0 ? [] : pages.rows
  const watched = useWatchedConnections(listed.map(({ connectionId }) => connectionId))
  const rows: WatchedRow[] = listed.map(row => ({
    ...row,
    watched: watched.get(row.connectionId),
    alerts: all.filter(one => one.connectionId === row.connectionId),
  }))
  const others = alerts.filter(one => one.connectionId === null)
  const alert = [...all, ...over].find(one => one.alertId === alertId)
  // An open alert of a connection is shown with the rest of it.
  const chosenId = alert?.state === 'open' ? (alert.connectionId ?? connectionId) : connectionId
  const row = rows.find(one => one.connectionId === chosenId)
  const table = useRef<ListTableHandle>(null)
  const select = useRef((id: string) => change({ connection: id, alert: undefined })).current
  const at = row === undefined ? -1 : rows.indexOf(row)
  useRowKeys({ group, noun: 'connection', count: rows.length, at }, next => table.current?.focusRow(next))
  const next = () => {
    const after = [...rows.slice(at + 1), ...rows.slice(0, at + 1)].find(one => one.alerts.length > 0)
    if (after !== undefined) table.current?.focusRow(rows.indexOf(after))
  }
  useShortcut({ keys: 'f8', label: 'Next alert', group }, next)
  const choice = {
    chosen: alertId,
    choose: (one: Alert) => change({ alert: one.alertId, connection: undefined }),
  }
  const list = (
    <div className={classes.list} data-scroll-room>
      {open.data === undefined ? (
        <QueryState query={open} failed="The alerts could not be read" waiting={null} />
      ) : (
        <>
          <div className={classes.head}>
            <h2 className="h2">{headline(all)}</h2>
            <p className="t2">
              Refusals, failing calls, changed payloads, clocks that are off. Silence where you set it.
            </p>
          </div>
          <div className={classes.bar}>
            <SearchField
              className={classes.find}
              label="Filter connections"
              placeholder="Filter by name"
              value={text}
              onChange={value => change({ text: value === '' ? undefined : value })}
              does="Filter"
              group={group}
              list={table}
            />
            <SegmentedControl
              aria-label="State"
              value={show ?? 'all'}
              onChange={value => change({ only: value === 'all' ? undefined : shown.parse(value) })}
              data={[
                { value: 'all', label: <Counted label="All" count={figures?.total} /> },
                { value: 'alerting', label: <Counted label="Alerting" count={alerting.length} /> },
                {
                  value: 'disabled',
                  label: <Counted label="Disabled" count={figures?.states.disabled} />,
                },
              ]}
            />
            <NativeSelect
              aria-label="Kind"
              value={kind ?? ''}
              onChange={event => change({ kind: AlertKind.safeParse(event.currentTarget.value).data })}
              data={[{ value: '', label: 'Any kind' }, ...optionsOf(titles)]}
            />
          </div>
          <FailedDeliveries />
          {others.length > 0 && (
            <section aria-label="Workflows and this service">
              <h2 className={`h3 ${classes.head}`}>Workflows and this service</h2>
              <AlertRows alerts={others} {...choice} />
            </section>
          )}
          {rows.length === 0 && !pages.isPending ? (
            <EmptyState title={isAlerting ? 'No connection has such an alert' : 'No connections to show'}>
              Each connection has a row here: how long it is silent, what it refuses, how its payloads and its
              sender’s clock differ.
            </EmptyState>
          ) : (
            <ListTable
              ref={table}
              label="Connections"
              columns={watchColumns}
              rows={rows}
              idOf={idOf}
              selectedId={row?.connectionId ?? null}
              onSelect={select}
              isWindowed={false}
            />
          )}
          {rows.length < (figures?.found ?? 0) && show === undefined && !isAlerting && (
            <Button variant="subtle" onClick={pages.loadMore}>
              Show more connections
            </Button>
          )}
          <OverLately alerts={over} {...choice} />
        </>
      )}
    </div>
  )
  const content =
    row !== undefined ? (
      <ConnectionDetail key={row.connectionId} row={row} />
    ) : alert === undefined ? null : (
      <AlertDetail key={alert.alertId} alert={alert} />
    )
  return (
    <>
      <Top
        title="Alerts"
        beside={open.data && <Checked at={open.dataUpdatedAt} />}
        actions={<QuietButton />}
      />
      <Body scrolls={false}>
        <MasterDetail
          name="alerts"
          panes={[
            { id: 'list', content: list },
            // Always there: a pane that comes would build the list again, which loses its focus and its place.
            { id: 'detail', size: 400, min: 300, content: content ?? nothingChosen },
          ]}
          lead={content === null ? 'list' : 'detail'}
          home="list"
          back={{
            label: 'Back to the alerts',
            group,
            go: () => change({ alert: undefined, connection: undefined }),
          }}
        />
      </Body>
      <Foot
        hints={{
          updown: 'select',
          f8: 'next alert',
          ...(row?.alerts.some(({ muted }) => !muted) && { m: 'mute' }),
          ...(row?.alerts.some(one => one.kind === 'payload') && { s: 'make it the sample' }),
        }}
      >
        {figures &&
          `${figures.total - (figures.states.disabled ?? 0)} of ${formatCount(figures.total, 'connection')} watched`}
      </Foot>
    </>
  )
}

const nothingChosen = (
  <EmptyState title="Nothing is chosen">
    Choose a connection to see what is measured, and when its alerts open.
  </EmptyState>
)

const group = 'Alerts'
const shown = z.enum(['alerting', 'disabled'])
const idOf = ({ connectionId }: WatchedRow) => connectionId

/** “Checked just now”, “Checked 4 s ago”. @param at milliseconds since 1970. */
function Checked({ at }: { readonly at: number }) {
  const seconds = useDerivedNow(now => Math.floor((now - at) / 1000))
  return <span className="sm t3 nowrap">Checked {seconds < 1 ? 'just now' : `${seconds} s ago`}</span>
}

/** “3 alerts on 2 connections, 1 of workflows and this service”. */
function headline(alerts: readonly Alert[]): string {
  if (alerts.length === 0) return 'No alert is open'
  const ids = alerts.flatMap(({ connectionId }) => connectionId ?? [])
  const others = alerts.length - ids.length
  const ofConnections = `${formatCount(ids.length, 'alert')} on ${formatCount(new Set(ids).size, 'connection')}`
  if (ids.length === 0) return `${formatCount(others, 'alert')} of workflows and this service`
  return others === 0
    ? ofConnections
    : `${ofConnections}, ${formatNumber(others)} of workflows and this service`
}

import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { BellOff } from 'lucide-react'
import type { Alert } from '#shared/model/alert.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { useAlerts } from '../../entities/alert/use-alerts.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatCount, formatRelative } from '../../ui/format.ts'
import { useRowKeys } from '../../ui/keyboard-list.ts'
import { MasterDetail } from '../../ui/master-detail.tsx'
import { Body, Foot, Top, useTitle } from '../../ui/page.tsx'
import { Dot } from '../../ui/pill.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { useSearchState } from '../../ui/search-state.ts'
import { toastDone } from '../../ui/toasts.tsx'
import { useCommand } from '../../ui/use-command.ts'
import { useNow } from '../../ui/use-now.ts'
import { AlertDetail } from './alert-detail.tsx'
import classes from './alerts.module.css'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const noAlerts: readonly Alert[] = []

/** The open alerts, those that were over in the last 24 hours, and what is known of the chosen one. */
export function AlertsPage() {
  useTitle('Alerts')
  const now = useNow(5000)
  const open = useAlerts('open')
  const closed = useAlerts('closed')
  const [{ alert: alertId = null }, change] = useSearchState('/alerts')
  const alerts = open.data ?? noAlerts
  const over = (closed.data ?? noAlerts).filter(({ closedAt }) => now - Date.parse(closedAt ?? '') < dayMs)
  const all = [...alerts, ...over]
  const chosen = all.find(alert => alert.alertId === alertId)
  const choose = (alert: Alert | undefined) => change({ alert: alert?.alertId })
  const at = chosen === undefined ? -1 : all.indexOf(chosen)
  useRowKeys({ group: 'Alerts', noun: 'alert', count: all.length, at }, row => choose(all[row]))
  const rows = (of: readonly Alert[]) => <Rows alerts={of} chosen={alertId} choose={choose} now={now} />
  const list = (
    <div className={classes.list} data-scroll-room>
      {open.data === undefined ? (
        <QueryState query={open} failed="The alerts could not be read" waiting={null} />
      ) : (
        <>
          <div>
            <h2 className="h2">{headline(alerts)}</h2>
            <p className="t2">
              Silence, refusals, failing calls and runs, old secrets, disks, backups, nodes.
            </p>
          </div>
          {rows(alerts)}
          {over.length > 0 && (
            <section aria-label="Over in the last 24 hours">
              <h2 className="h3">
                Over <span className="sm t3">last 24 hours</span>
              </h2>
              {rows(over)}
            </section>
          )}
        </>
      )}
    </div>
  )
  const detail = {
    id: 'detail',
    size: 400,
    min: 300,
    content: chosen && <AlertDetail key={chosen.alertId} alert={chosen} now={now} />,
  }
  return (
    <>
      <Top title="Alerts" actions={<Quiet now={now} />} />
      <Body scrolls={false}>
        <MasterDetail
          name="alerts"
          panes={[{ id: 'list', content: list }, ...(chosen === undefined ? [] : [detail])]}
          lead={chosen === undefined ? 'list' : 'detail'}
          home="list"
          back={{ label: 'Back to the alerts', group: 'Alerts', go: () => choose(undefined) }}
        />
      </Body>
      <Foot hints={{ updown: 'select' }}>{headline(alerts)}</Foot>
    </>
  )
}

/** “3 alerts on 2 connections”. */
function headline(alerts: readonly Alert[]): string {
  if (alerts.length === 0) return 'No alert is open'
  const connections = new Set(alerts.flatMap(({ connectionId }) => connectionId ?? [])).size
  const count = formatCount(alerts.length, 'alert')
  return connections === 0 ? count : `${count} on ${formatCount(connections, 'connection')}`
}

function Rows(props: {
  readonly alerts: readonly Alert[]
  readonly chosen: string | null
  readonly choose: (alert: Alert) => void
  readonly now: number
}) {
  const { alerts, chosen, choose, now } = props
  if (alerts.length === 0)
    return (
      <EmptyState title="Nothing needs you">
        What opens an alert is shown here, and told as set up.
      </EmptyState>
    )
  return (
    <ul className={classes.rows}>
      {alerts.map(alert => (
        <li key={alert.alertId}>
          <button
            type="button"
            className={classes.row}
            aria-current={alert.alertId === chosen}
            onClick={() => choose(alert)}
          >
            <Dot tone={alert.state === 'closed' ? 'ok' : alert.muted ? 'off' : 'bad'} />
            <span>
              {alert.message}
              {alert.muted && <span className="sm t3"> muted</span>}
            </span>
            <span className="sm t3 nowrap">{formatRelative(alert.closedAt ?? alert.openedAt, now)}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Tells nobody of alerts for an hour, or ends that. */
function Quiet({ now }: { readonly now: number }) {
  const { data } = useQuery(api.settings.get.queryOptions())
  const save = useCommand(
    (alertsQuietUntil: string | null) => client.settings.update({ alertsQuietUntil }),
    'It was not changed who is told of alerts',
    async ({ alertsQuietUntil }) => {
      await queries.invalidateQueries({ queryKey: api.settings.key() })
      toastDone(alertsQuietUntil === null ? 'Alerts are told again' : 'Nobody is told of alerts for an hour')
    },
  )
  if (data === undefined) return null
  const isQuiet = Date.parse(data.alertsQuietUntil ?? '') > now
  return (
    <Button
      leftSection={<BellOff size={14} />}
      loading={save.isPending}
      onClick={() => save.mutate(isQuiet ? null : new Date(Date.now() + hourMs).toISOString())}
    >
      {isQuiet ? 'End quiet' : 'Quiet for 1 hour'}
    </Button>
  )
}

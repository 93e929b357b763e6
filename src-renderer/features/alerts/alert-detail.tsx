import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Alert } from '#shared/model/alert.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { Fact } from '../../ui/fact.tsx'
import { formatClock } from '../../ui/format.ts'
import { BackButton } from '../../ui/master-detail.tsx'
import { Pill } from '../../ui/pill.tsx'
import { toastDone } from '../../ui/toasts.tsx'
import { useCommand } from '../../ui/use-command.ts'
import { titles } from './alert-labels.ts'
import classes from './alerts.module.css'
import { ConnectionThresholds } from './connection-thresholds.tsx'

/** An alert: what is wrong, where, and who is told. */
export function AlertDetail({ alert, now }: { readonly alert: Alert; readonly now: number }) {
  const { alertId, kind, state, message, openedAt, closedAt, connectionId, workflowId, muted, mutedUntil } =
    alert
  const show = async (done: string) => {
    await queries.invalidateQueries({ queryKey: api.alerts.list.key() })
    toastDone(done)
  }
  const mute = useCommand(
    (hours: number | null) => client.alerts.mute({ alertId, hours }),
    'The alert was not muted',
    () => show('Alert muted'),
  )
  const unmute = useCommand(
    () => client.alerts.unmute({ alertId }),
    'The alert is still muted',
    () => show('Alert no longer muted'),
  )
  return (
    <section className={classes.detail} aria-label="Alert">
      <div className="row">
        <BackButton />
        <h2 className="h3">{titles[kind]}</h2>
        <Pill tone={state === 'open' ? 'bad' : 'ok'}>{state === 'open' ? 'Open' : 'Over'}</Pill>
      </div>
      <p>{message}</p>
      <dl>
        <Fact name="Opened">{formatClock(openedAt, now)}</Fact>
        {closedAt !== null && <Fact name="Closed">{formatClock(closedAt, now)}</Fact>}
        {muted && (
          <Fact name="Muted">
            {mutedUntil === null ? 'Until it closes' : `Until ${formatClock(mutedUntil, now)}`}
          </Fact>
        )}
      </dl>
      <div className={classes.buttons}>
        {state === 'open' && !muted && (
          <>
            <Button loading={mute.isPending} onClick={() => mute.mutate(1)}>
              Mute for 1 hour
            </Button>
            <Button variant="subtle" loading={mute.isPending} onClick={() => mute.mutate(null)}>
              Mute until it closes
            </Button>
          </>
        )}
        {state === 'open' && muted && (
          <Button loading={unmute.isPending} onClick={() => unmute.mutate()}>
            Unmute
          </Button>
        )}
        {connectionId !== null && (
          <Link to="/connections/$connectionId/activity" params={{ connectionId }}>
            Show events
          </Link>
        )}
        {workflowId !== null && (
          <Link to="/workflows/runs" search={{ workflow: workflowId }}>
            Show runs
          </Link>
        )}
      </div>
      {connectionId !== null && <ConnectionThresholds connectionId={connectionId} />}
    </section>
  )
}

import { Link } from '@tanstack/react-router'
import type { Alert } from '#shared/model/alert.ts'
import { ServiceThresholds } from '../../entities/alert/service-thresholds.tsx'
import { BackButton } from '../../ui/master-detail.tsx'
import { Pill } from '../../ui/pill.tsx'
import { AlertCard } from './alert-card.tsx'
import classes from './alerts.module.css'
import { ConnectionThresholds } from './connection-thresholds.tsx'

/** An alert: what is wrong, where, and who is told. */
export function AlertDetail({ alert }: { readonly alert: Alert }) {
  const { state, connectionId, workflowId } = alert
  return (
    <section className={classes.detail} aria-label="Alert">
      <div className="row">
        <BackButton />
        <h2 className="h3">Alert</h2>
        <Pill tone={state === 'open' ? 'bad' : 'ok'}>{state === 'open' ? 'Open' : 'Over'}</Pill>
        {connectionId !== null && (
          <Link className="push" to="/connections/$connectionId/activity" params={{ connectionId }}>
            Show events
          </Link>
        )}
        {workflowId !== null && (
          <Link className="push" to="/workflows/runs" search={{ workflow: workflowId }}>
            Show runs
          </Link>
        )}
      </div>
      <AlertCard alert={alert} />
      {connectionId === null ? (
        <section aria-label="Alert when">
          <h3 className="h3">Alert when</h3>
          <ServiceThresholds />
        </section>
      ) : (
        <ConnectionThresholds connectionId={connectionId} />
      )}
    </section>
  )
}

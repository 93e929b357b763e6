import { Link } from '@tanstack/react-router'
import { useWorkflowName } from '../runs/use-runs.ts'
import classes from './detail.module.css'
import { DetailBar } from './detail-bar.tsx'
import type { Notification } from './entry.ts'

/** The message of a workflow, and the run that it comes from. */
export function NotificationDetail({ notification }: { readonly notification: Notification }) {
  const { workflowId, runId, path, message, at } = notification
  const nameOf = useWorkflowName()
  return (
    <section className={classes.detail} aria-label="Message of a workflow">
      <DetailBar status={null} title={nameOf(workflowId)} at={at} />
      <div className={classes.section}>
        <p>{message ?? 'The message is not stored, because the connection does not store its events.'}</p>
      </div>
      <dl className={classes.facts}>
        <dt>Run</dt>
        <dd>
          <Link className="link mono" to="/workflows/runs" search={{ run: runId }}>
            {runId}
          </Link>
          , step <code>{path}</code>
        </dd>
      </dl>
    </section>
  )
}

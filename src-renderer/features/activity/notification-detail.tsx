import { Fact } from '../../ui/fact.tsx'
import { useWorkflowName } from '../runs/use-runs.ts'
import classes from './detail.module.css'
import { DetailBar } from './detail-bar.tsx'
import type { Notification } from './entry.ts'
import { StepLink } from './step-link.tsx'

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
        <Fact name="Run">
          <StepLink runId={runId} path={path} />
        </Fact>
      </dl>
    </section>
  )
}

import { Button } from '@mantine/core'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { useWorkflowName } from '../../entities/workflow/use-workflows.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Fact } from '../../ui/fact.tsx'
import { formatCount } from '../../ui/format.ts'
import classes from './detail.module.css'
import { DetailBar } from './detail-bar.tsx'
import { type Entry, type Notification, timeOf } from './entry.ts'
import { plainFacts, rowOf } from './kinds.ts'
import { StepLink } from './step-link.tsx'
import { storedEventsCache } from './use-stored-events.ts'

/** Says that this page missed items, and offers to reload those that are stored. */
export function GapDetail({ count }: { readonly count: number }) {
  const { connectionId } = useCurrentConnection()
  const { readAgain } = storedEventsCache(connectionId)
  return (
    <EmptyState
      title={`${formatCount(count, 'item')} missed`}
      actions={<Button onClick={() => void readAgain()}>Reload stored events</Button>}
    >
      They arrived faster than this page could read. Stored events can be loaded again; other items cannot.
    </EmptyState>
  )
}

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

/** Shows the `plainFacts` of an entry whose type has no component of its own. */
export function PlainDetail({ entry }: { readonly entry: Entry }) {
  const { title } = rowOf(entry, null)
  const { text, list } = plainFacts(entry)
  return (
    <section className={classes.detail} aria-label={title}>
      <DetailBar status={null} title={title} at={timeOf(entry)} />
      <div className={classes.section}>
        <p>{text}</p>
      </div>
      <dl className={classes.facts}>
        {list.map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </dl>
    </section>
  )
}

import { Button } from '@mantine/core'
import { refusalErrors } from '#shared/errors/assistant.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Fact } from '../../ui/fact.tsx'
import { formatCount } from '../../ui/format.ts'
import { useCurrentConnection } from '../connections/current-connection.tsx'
import { useWorkflowName } from '../runs/use-runs.ts'
import classes from './detail.module.css'
import { DetailBar } from './detail-bar.tsx'
import type { Notification, RefusedCall } from './entry.ts'
import { sourceWords } from './rows.ts'
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

/** A tool call that was refused, and why. */
export function RefusedCallDetail({ refused }: { readonly refused: RefusedCall }) {
  const { toolName, code, source, client, at } = refused
  const sentences: Readonly<Record<string, string>> = refusalErrors
  return (
    <section className={classes.detail} aria-label="Refused call">
      <DetailBar status={null} title={toolName} at={at} />
      <div className={classes.section}>
        <p>{sentences[code] ?? code} Nothing was sent.</p>
      </div>
      <dl className={classes.facts}>
        <Fact name="Source">{sourceWords[source]}</Fact>
        {client !== null && (
          <>
            <Fact name="Client">{client.name ?? 'without a name'}</Fact>
            <Fact name="Token">{client.tokenName ?? 'admin token'}</Fact>
          </>
        )}
      </dl>
    </section>
  )
}

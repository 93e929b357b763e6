import { Button } from '@mantine/core'
import { skipToken, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ErrorCode } from '#shared/errors.ts'
import type { ListedOccurrence } from '#shared/model/activity.ts'
import { keptAttempts, keptItems } from '#shared/model/kept.ts'
import { api } from '../../client/client.ts'
import { useConnection } from '../../entities/connection/use-connections.ts'
import { useWorkflowName } from '../../entities/workflow/use-workflows.ts'
import { EmptyState, ErrorState } from '../../ui/empty-state.tsx'
import { Fact } from '../../ui/fact.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { Note } from '../../ui/note.tsx'
import { problemOf } from '../../ui/problem.ts'
import classes from './detail.module.css'
import { DetailBar } from './detail-bar.tsx'
import { kindOf, plainFacts } from './kinds.ts'
import type { FailedRun, Notification } from './rows.ts'
import { StepLink, StoryButton } from './step-link.tsx'
import { useActivityPlace } from './use-activity-place.ts'

/** Says why the item in the address cannot be shown. */
export function NotOpen({ error }: { readonly error: unknown }) {
  const place = useActivityPlace()
  const retention = useConnection(place.connection)?.retention ?? null
  if (!goneCodes.has(problemOf(error).code))
    return <ErrorState title="This could not be read" error={error} />
  return (
    <EmptyState title="This is no longer kept" actions={<Button onClick={place.close}>Close</Button>}>
      It was deleted, or newer ones took its place. A connection keeps{' '}
      {retention !== null &&
        `its newest ${formatNumber(retention.maxEvents)} stored events for ${formatCount(retention.maxDays, 'day')}, `}
      its newest {keptAttempts.most} refused requests for {keptAttempts.days} days, and its newest{' '}
      {formatNumber(keptItems.most)} each of calls, refused calls, messages and failed runs for{' '}
      {keptItems.days} days.
    </EmptyState>
  )
}
const goneCodes: ReadonlySet<string> = new Set<ErrorCode>(['activity_item_not_found', 'event_not_found'])

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

/** Why a run failed; the run, its event and the failed call. */
export function FailedRunDetail({ run }: { readonly run: FailedRun }) {
  const { workflowName, runId, path, event, subject, callId, code, message, at } = run
  const { eventId, eventName } = event
  const { data: call } = useQuery(
    api.calls.get.queryOptions({ input: callId === null ? skipToken : { callId }, retry: false }),
  )
  return (
    <section className={classes.detail} aria-label="Failed run">
      <DetailBar status={null} title={workflowName} at={at} />
      <div className={classes.section}>
        <Note tone="bad">
          {message ?? 'The message is not stored, because the connection does not store its events.'}{' '}
          <code className="t3 xs">{code}</code>
        </Note>
      </div>
      <dl className={classes.facts}>
        <Fact name="Run">
          <StepLink runId={runId} path={path} />
        </Fact>
        <Fact name="Event">
          {eventId === null || run.connectionId === null ? (
            <code>{eventName}</code>
          ) : (
            <ItemLink connectionId={run.connectionId} item={eventId}>
              {eventName}
            </ItemLink>
          )}
          {subject !== null && ` · ${subject}`}
        </Fact>
        {call != null && call.connectionId !== null && (
          <Fact name="Failed call">
            <ItemLink connectionId={call.connectionId} item={call.callId}>
              {call.toolName}
            </ItemLink>
          </Fact>
        )}
      </dl>
    </section>
  )
}

function ItemLink(props: {
  readonly connectionId: string
  readonly item: string
  readonly children: ReactNode
}) {
  const { connectionId, item, children } = props
  return (
    <Link
      className="link mono"
      to="/connections/$connectionId/activity"
      params={{ connectionId }}
      search={{ item }}
    >
      {children}
    </Link>
  )
}

/** Shows the `plainFacts` of an item whose type has no component of its own. */
export function PlainDetail({ item }: { readonly item: ListedOccurrence }) {
  const { title } = kindOf(item).row(item)
  const { text, list } = plainFacts(item)
  return (
    <section className={classes.detail} aria-label={title}>
      <DetailBar status={null} title={title} at={item.at}>
        {item.type === 'event.rejected' && <StoryButton id={item.attemptId} />}
      </DetailBar>
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

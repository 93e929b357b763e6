import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ConnectionWithWarnings } from '#shared/model/connection.ts'
import { attentionStates, type ConnectionState } from '#shared/model/connection-status.ts'
import { settingsDefaults } from '#shared/model/settings.ts'
import { api, client } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { HistoryChart } from '../../entities/connection/history-chart.tsx'
import { useConnectionStatistics } from '../../entities/connection/use-connections.ts'
import { useCredentials } from '../../entities/connection/use-secret.ts'
import { StatusCode } from '../../ui/badges.tsx'
import { Delayed } from '../../ui/delayed.tsx'
import { useDraft } from '../../ui/draft/use-draft.tsx'
import { binarySize, formatDate } from '../../ui/format.ts'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { Body, Foot, type Hints } from '../../ui/page.tsx'
import { changeOf, connectionFields, draftOf, draftProblems } from './connection-draft.ts'
import { ConnectionForm } from './connection-form.tsx'
import { FailedCalls } from './failed-calls.tsx'
import { AwaitFirstEvent, bothCopiedAt } from './first-event.tsx'
import { FirstEventArrived, NextSteps } from './first-event-arrived.tsx'
import { ImportedFrom } from './imported-from.tsx'
import { OverviewFigures } from './overview-figures.tsx'
import classes from './overview-tab.module.css'
import { PauseBand, PausedCalls } from './pause-band.tsx'
import { ReceiveEvents } from './receive-events.tsx'
import { useFirstEvent } from './use-first-event.ts'
import { usePausedUntil } from './use-pause.ts'

const CodeCard = lazyComponent(() => import('./code-card.tsx'))

/** Shows what a connection did, how to send to it, and its settings. */
export function OverviewTab() {
  const connection = useCurrentConnection()
  const { connectionId, name, createdAt } = connection
  const statistics = useConnectionStatistics(connectionId)
  const { first, finish } = useFirstEvent(connectionId, statistics)
  const isFirst = first.state === 'awaited' || first.state === 'arrived'
  const isAsking = first.state === 'unknown' && statistics?.lastEvent == null
  const credentials = useCredentials(connectionId)
  const { draft, change, problems, isDirty, saveBar } = useDraft({
    storedAs: `connection/${connectionId}`,
    fields: connectionFields,
    saved: connection,
    draftOf,
    read: ConnectionWithWarnings.parse,
    validate: draftProblems,
    async save(sent, changed, { updatedAt }) {
      const saved = await client.connections.update({
        ...{ connectionId, ifUpdatedAt: updatedAt },
        ...changeOf(sent, changed),
      })
      queries.setQueryData(api.connections.get.queryKey({ input: { connectionId } }), saved)
      await queries.invalidateQueries({ queryKey: api.connections.key() })
      return saved
    },
    name: `the connection ${name}`,
    failed: 'The change was not saved',
  })
  // What goes wrong comes before the settings.
  const asks = !isFirst && statistics !== undefined && asksFor.has(statistics.status.state)
  const history = (
    <div className={classes.history}>
      <HistoryChart connectionId={connectionId} height={64} />
    </div>
  )
  const content = (
    <div className={classes.page}>
      <PauseBand />
      {!isFirst && <OverviewFigures connectionId={connectionId} statistics={statistics} />}
      {asks && history}
      <div className={classes.columns} data-first={first.state}>
        <div className={classes.column}>
          {asks && <FailedCalls connectionId={connectionId} />}
          {first.state === 'awaited' ? (
            <AwaitFirstEvent
              since={first.since}
              statistics={statistics}
              credentials={credentials}
              onFinish={finish}
            />
          ) : first.state === 'arrived' ? (
            <FirstEventArrived
              eventId={first.eventId}
              since={first.since}
              copiedAt={bothCopiedAt(credentials)}
            />
          ) : (
            <ReceiveEvents credentials={credentials} isTentative={isAsking} />
          )}
        </div>
        <div className={`${classes.column} ${classes.side}`}>
          {first.state === 'arrived' ? (
            <NextSteps eventId={first.eventId} onFinish={finish} />
          ) : (
            <>
              <CodeCard statistics={statistics} fallback={<div style={{ height: 430 }} aria-busy="true" />} />
              <Answers />
            </>
          )}
        </div>
        <div className={classes.settings}>
          <ConnectionForm draft={draft} problems={problems} onEdit={change} />
          <ImportedFrom connectionId={connectionId} />
        </div>
      </div>
      {!isFirst && !asks && history}
    </div>
  )
  return (
    <>
      <Body>
        {/* Until it is known whether the connection is new. */}
        {isAsking ? <Delayed ms={300}>{content}</Delayed> : content}
      </Body>
      {saveBar}
      <Foot hints={first.state === 'arrived' ? arrivedHints : asks ? failingHints : hints}>
        Created {formatDate(createdAt)} · {isDirty ? 'unsaved changes' : 'all changes saved'}
      </Foot>
    </>
  )
}

const asksFor: ReadonlySet<ConnectionState> = new Set(['failing', ...attentionStates])

const hints: Hints = {
  '1–5': 'tabs',
  'mod+shift+c': 'copy inbound URL',
  c: 'copy the code',
  t: 'send test event',
  s: 'settings',
}
const failingHints: Hints = { '1–5': 'tabs', f8: 'next cause', ...hints }
const arrivedHints: Hints = {
  d: 'declare the event type',
  w: 'start a workflow',
  escape: 'show the overview',
}

/** Says what senders get; during a pause, what becomes of calls. */
function Answers() {
  return usePausedUntil() === null ? <SenderAnswers /> : <PausedCalls />
}

/** Lists the statuses that an inbound URL answers with. */
function SenderAnswers() {
  const { data: settings = settingsDefaults } = useQuery(api.settings.get.queryOptions())
  const { sender } = useCurrentConnection()
  return (
    <section aria-labelledby="sender-answers">
      <h2 className="h3" id="sender-answers">
        What a sender gets back
      </h2>
      <dl className={classes.answers}>
        <Answer status={200}>
          Accepted: <code>{'{"ok": true}'}</code>
        </Answer>
        <Answer status={400}>
          {sender.scheme === 'custom-connection' ? (
            <>
              Not JSON, or no <code>event</code>
            </>
          ) : (
            'Not JSON, or no event name'
          )}
        </Answer>
        <Answer status={401}>Signature or time is wrong</Answer>
        <Answer status={403}>Connection is disabled</Answer>
        <Answer status={404}>URL is unknown</Answer>
        <Answer status={408}>Too slow: send it again</Answer>
        <Answer status={413}>Body is over {binarySize(settings.maxBodyBytes)}</Answer>
        <Answer status={503}>Busy: send it again later</Answer>
      </dl>
    </section>
  )
}

function Answer({ status, children }: { readonly status: number; readonly children: ReactNode }) {
  return (
    <div className={classes.answer}>
      <dt>
        <StatusCode status={status} />
      </dt>
      <dd>{children}</dd>
    </div>
  )
}

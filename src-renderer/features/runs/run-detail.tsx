import { Button, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ChartGantt, Copy, RotateCw, Workflow } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import type { RunDetails } from '#shared/model/run.ts'
import type { Workflow as WorkflowModel } from '#shared/model/workflow.ts'
import { workspaceOfWebhook } from '#shared/platform/webhook-workflow.ts'
import { api } from '../../client/client.ts'
import { calledConnections, useActions } from '../../entities/action/use-actions.ts'
import { bannerOf } from '../../entities/run/banner.ts'
import { asText, exactRun } from '../../entities/run/exact-run.ts'
import { RunBanner } from '../../entities/run/run-banner.tsx'
import { RunExchange } from '../../entities/run/run-exchange.tsx'
import { changeSince, hasEnded } from '../../entities/run/run-labels.ts'
import { attemptOf, currentStep, firstChosen, timelineOf } from '../../entities/run/timeline.ts'
import { useRunCommands } from '../../entities/run/use-run-commands.ts'
import { useWorkflowName } from '../../entities/workflow/use-workflows.ts'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { Delayed } from '../../ui/delayed.tsx'
import { DetailActs } from '../../ui/detail-acts.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatCount } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { BackButton } from '../../ui/master-detail.tsx'
import { Note } from '../../ui/note.tsx'
import pane from '../../ui/pane.module.css'
import { problemOf } from '../../ui/problem.ts'
import { QueryState } from '../../ui/query-state.tsx'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { WriteButton } from '../../ui/write-button.tsx'
import { axisOf } from './axis.ts'
import { RunTimeline } from './run-timeline.tsx'
import { RunTrace } from './run-trace.tsx'
import classes from './runs.module.css'
import { useRunClock } from './use-runs.ts'
import { useRunsPlace } from './use-runs-place.ts'

const group = 'Runs'

/** A run: its state, the way of its event, its steps and attempts, and what the chosen one sent and got. */
export function RunDetail(props: {
  readonly runId: string
  /** Called before its event is replayed. */
  readonly onReplay: () => void
}) {
  const { runId, onReplay } = props
  const place = useRunsPlace()
  const query = useQuery(api.runs.get.queryOptions({ input: { runId, ...asText } }))
  const { data, error } = query
  const run = useMemo(() => data && exactRun(data), [data])
  const workflowId = run?.workflowId ?? ''
  const workflow = useQuery(
    api.workflows.get.queryOptions({ input: { workflowId }, enabled: run !== undefined, retry: false }),
  )
  if (run === undefined && error !== null && problemOf(error).code === 'run_not_found')
    return (
      <EmptyState title="This run is no longer kept" actions={<Button onClick={place.close}>Close</Button>}>
        Finished runs are kept for 30 days, at most the newest 10,000 of a workflow. Its ID was{' '}
        <code>{runId}</code>.
      </EmptyState>
    )
  if (run === undefined || workflow.isPending)
    return (
      <QueryState
        query={query}
        failed="The run could not be read"
        waiting={
          <Delayed ms={500}>
            <p className="sm t3" style={{ padding: 16 }} aria-busy="true">
              Reading the run…
            </p>
          </Delayed>
        }
      />
    )
  return <Loaded run={run} workflow={workflow.data ?? null} onReplay={onReplay} />
}

function Loaded(props: {
  readonly run: RunDetails
  readonly workflow: WorkflowModel | null
  readonly onReplay: () => void
}) {
  const { run, workflow } = props
  const { runId, workflowId, eventId } = run
  const navigate = useNavigate()
  const now = useRunClock(hasEnded(run))
  const commands = useRunCommands(run)
  const timeline = useRef<HTMLDivElement>(null)
  const [picked, pick] = useState<string | null>(null)
  const steps = workflow?.steps ?? null
  const changed = changeSince(run, workflow)
  const actionsOf = useActions(useMemo(() => calledConnections(steps ?? []), [steps]))
  const rows = useMemo(
    // The steps of now may have the keys of other steps that the run took.
    () => timelineOf(run, changed === 'ended' ? null : steps, actionsOf),
    [run, changed, steps, actionsOf],
  )
  const { data: ofEvent } = useQuery(
    api.runs.list.queryOptions({
      input: { eventId: eventId ?? undefined, limit: 200 },
      enabled: eventId !== null,
    }),
  )
  const chosen = rows.find(row => row.id === picked)?.id ?? firstChosen(rows)
  const row = rows.find(one => one.id === chosen)
  const attempt = row === undefined ? null : attemptOf(row)
  const banner = bannerOf(run, currentStep(rows), workflow !== null, now)
  const nameOf = useWorkflowName()
  const name = workflow?.name ?? nameOf(workflowId)

  function replay(): void {
    props.onReplay()
    commands.replay()
  }
  const copy = () => void copyWithToast(JSON.stringify(run, null, 2), 'Run')
  const isWebhook = workspaceOfWebhook(workflowId) !== null
  const openWorkflow = () =>
    isWebhook
      ? void navigate({ to: '/settings/$section', params: { section: 'webhook' } })
      : void navigate({ to: '/workflows/$workflowId', params: { workflowId } })
  const openLabel = isWebhook ? 'Open the webhook' : 'Open the workflow'
  useShortcut(
    { keys: 'mod+enter', label: 'Retry from the failed step', group },
    commands.retry,
    banner.retry !== null && !commands.isRetrying,
  )
  useShortcut(
    { keys: 'x', label: 'Cancel the run', group },
    commands.cancel,
    banner.canCancel && !commands.isCancelling,
  )
  useShortcut(
    { keys: 'r', label: 'Replay the event', group },
    replay,
    commands.canReplay && !commands.isReplaying,
  )
  const showStory = () => void navigate({ to: '/story/$id', params: { id: runId } })
  useShortcut({ keys: 'c', label: 'Copy the run as JSON', group }, copy)
  useShortcut({ keys: 'w', label: openLabel, group }, openWorkflow, workflow !== null)

  const replayButton = (
    <Tooltip
      label="Only stored events can be replayed. Log inbound events in the connection’s overview"
      disabled={commands.canReplay}
    >
      <WriteButton
        icon={RotateCw}
        keys={commands.canReplay && 'r'}
        data-disabled={!commands.canReplay || undefined}
        aria-disabled={!commands.canReplay}
        loading={commands.isReplaying}
        onClick={() => commands.canReplay && replay()}
      >
        Replay event
      </WriteButton>
    </Tooltip>
  )
  return (
    <section className={classes.detail} aria-label={`Run ${runId}`}>
      <div className={pane.bar}>
        <BackButton />
        <h2 className="h2 cut">{name}</h2>
        <code className="t3 sm cut">{runId}</code>
        <span className="push" />
        <DetailActs>{replayButton}</DetailActs>
        <IconButton icon={ChartGantt} label="Show the story of its event" onClick={showStory} />
        <IconButton icon={Copy} label="Copy the run as JSON" onClick={copy} />
        {workflow !== null && <IconButton icon={Workflow} label={openLabel} onClick={openWorkflow} />}
      </div>
      <RunBanner
        banner={banner}
        onCancel={commands.cancel}
        onRetry={commands.retry}
        isCancelling={commands.isCancelling}
        isRetrying={commands.isRetrying}
      >
        {replayButton}
      </RunBanner>
      {changed !== null && (
        <div className={classes.changed}>
          <Note>
            {changed === 'ended'
              ? 'The steps of the workflow have changed since this run. Only what the run did is shown.'
              : 'The steps of the workflow have changed since this run began. It continues with the new steps.'}
          </Note>
        </div>
      )}
      {(run.emptyKey || run.duplicates > 0) && (
        <div className={classes.changed}>
          <Note>
            {run.emptyKey
              ? 'The event has no value for the key of the trigger, so this run started without one.'
              : `${formatCount(run.duplicates, 'later event')} with the same key started nothing.`}
          </Note>
        </div>
      )}
      <RunTrace
        run={run}
        ofEvent={ofEvent?.runs}
        now={now}
        hasWorkflow={workflow !== null && !isWebhook}
        onCalls={() => {
          const last = rows.findLast(one => attemptOf(one)?.callId != null)
          if (last !== undefined) pick(last.id)
          timeline.current?.focus()
        }}
      />
      {rows.length > 0 && (
        <RunTimeline
          ref={timeline}
          rows={rows}
          axis={axisOf(run, now)}
          now={now}
          actionsOf={actionsOf}
          chosen={chosen}
          onChoose={pick}
        />
      )}
      {attempt !== null && (
        <RunExchange
          key={chosen}
          attempt={attempt}
          isGone={run.payload === null}
          isPrivate={run.steps.some(step => step.private === true && step.attempts.includes(attempt))}
        />
      )}
    </section>
  )
}

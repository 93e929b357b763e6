import { Button, Skeleton } from '@mantine/core'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { CirclePlus, Copy, RotateCw } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import type { Run } from '#shared/model/run.ts'
import { client } from '../../client/client.ts'
import { runsStage } from '../../entities/run/event-runs.ts'
import { statusLabels, wasStopped } from '../../entities/run/run-labels.ts'
import { copyWithToast } from '../../ui/copy-with-toast.ts'
import { Delayed } from '../../ui/delayed.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatClock, formatCount } from '../../ui/format.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { KeyButton } from '../../ui/keys.tsx'
import { MasterDetail } from '../../ui/master-detail.tsx'
import { Body, Foot, Top, useTitle } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { useSearchState } from '../../ui/search-state.ts'
import { useShortcut } from '../../ui/shortcuts.tsx'
import { toastDone } from '../../ui/toasts.tsx'
import { useCommand } from '../../ui/use-command.ts'
import { useNarrow } from '../../ui/use-narrow.ts'
import { useNow } from '../../ui/use-now.ts'
import { WriteButton } from '../../ui/write-button.tsx'
import { RunPart } from './run-part.tsx'
import classes from './story.module.css'
import { StoryDetail } from './story-detail.tsx'
import { group } from './story-group.ts'
import { callCounts, goesOn, momentsOf, moreId, requestId, rowOfCall, storyRows } from './story-rows.ts'
import { storyText } from './story-text.ts'
import { StoryTrail } from './story-trail.tsx'
import { StoryTree } from './story-tree.tsx'
import { cutOf, timeAxis } from './time-axis.ts'
import { runsAtOnce, useStory } from './use-story.ts'
import { useStoryKeys } from './use-story-keys.ts'

/** Everything that became of a request, on one time axis. */
export function StoryPage() {
  const { id } = useParams({ from: '/story/$id' })
  return <StoryOf key={id} id={id} />
}

function StoryOf({ id }: { readonly id: string }) {
  useTitle('Story')
  const [place, change] = useSearchState('/story/$id')
  const navigate = useNavigate()
  const isNarrow = useNarrow()
  const tree = useRef<HTMLDivElement>(null)
  const [shown, setShown] = useState(runsAtOnce)
  const [folds, setFolds] = useState<ReadonlyMap<string, boolean>>(new Map())
  const read = useStory(id, shown, folds)
  const { anchor, story, isOpen, runCount } = read
  const now = useNow(goesOn(story) ? 1000 : 60_000)
  const rows = storyRows(story, isOpen)
  const chosenId = place.row ?? rowOfCall(story.runs, id) ?? (anchor.kind === 'run' ? id : requestId)
  const row = rows.find(one => one.id === chosenId) ?? rows[0]
  const run = row?.kind === 'run' || row?.kind === 'part' ? row.of : null
  const workflow = run === null ? undefined : read.workflowOf(run.run.workflowId)
  const isDetail = isNarrow && place.pane === 'detail'
  const { item, event } = story
  const eventId = event?.eventId ?? null
  const connectionId = item?.connectionId ?? null
  const name = nameOf()
  const canReplay = event !== null && event.inMemory !== true && connectionId !== null
  const startsNothing = event !== null && connectionId !== null && read.areRunsKnown && runCount === 0
  const replay = useCommand(client.events.replay, 'The event was not replayed', () =>
    toastDone('Event replayed', 'Every enabled workflow that matches the event runs again.'),
  )

  function nameOf(): string {
    if (item !== null && item.type !== 'event.rejected') return item.eventName
    return story.runs[0]?.run.eventName ?? (item === null ? 'Story' : 'Refused request')
  }
  const fold = (rowId: string, open: boolean) => setFolds(before => new Map(before).set(rowId, open))
  const choose = (rowId: string) => change({ row: rowId })
  function showMore(): void {
    const next = shown + runsAtOnce
    setShown(next)
    read.readMore(next)
  }
  function open(rowId: string): void {
    const target = rows.find(one => one.id === rowId)
    if (target?.kind === 'more') showMore()
    else if (isNarrow) change({ row: rowId, pane: 'detail' })
    else if (target?.isOpen != null) fold(rowId, !target.isOpen)
  }
  const copy = () =>
    void copyWithToast(
      storyText(`${name} ${id}`, rows, one => (one.kind === 'check' ? '' : statusLabels[one.status]), now),
      'Story',
    )
  const doReplay = () => {
    if (canReplay && eventId !== null) replay.mutate({ connectionId, eventId })
  }
  const startWorkflow = () =>
    void navigate({
      to: '/workflows/new',
      search: { connectionId: connectionId ?? undefined, eventName: name, eventId: eventId ?? undefined },
    })
  const onFold = useStoryKeys({ rows, row, choose, fold, tree, isOn: !isDetail })
  useShortcut({ keys: 'c', label: 'Copy the story as text', group }, copy, rows.length > 0)
  useShortcut({ keys: 'r', label: 'Replay the event', group }, doReplay, canReplay)
  useShortcut({ keys: 'w', label: 'Start a workflow', group }, startWorkflow, startsNothing)

  if (rows.length === 0) return <NoStory id={id} read={read} />
  const axis = timeAxis(momentsOf(rows), goesOn(story) ? now : null)
  const cut = cutOf(axis)
  const calls = callCounts(story.runs)
  const stage = runsStage(story.runs.map(one => one.run))
  const main = (
    <section className={classes.main} aria-label="Story" data-scroll-room>
      <StoryTrail story={story} rows={rows} runCount={read.areRunsKnown ? runCount : null} choose={choose} />
      <StoryTree
        ref={tree}
        rows={rows}
        axis={axis}
        now={now}
        actionsOf={read.actionsOf}
        chosen={row?.id ?? null}
        onChoose={choose}
        onPress={rowId => (isNarrow || rowId === moreId ? open(rowId) : choose(rowId))}
        onOpen={open}
        onFold={onFold}
        onToggle={rowId => fold(rowId, !isOpen(rowId))}
      />
      {read.runsQuery.error !== null && (
        <QueryState query={read.runsQuery} failed="The runs of the event could not be read" />
      )}
      {item === null && anchor.eventId !== null && (
        <p className={`sm t3 ${classes.note}`}>The request is no longer kept.</p>
      )}
      {startsNothing && (
        <div className={classes.note}>
          <p className="sm t2">It started nothing: no workflow takes this event.</p>
          <KeyButton icon={CirclePlus} keys="w" onClick={startWorkflow}>
            Start a workflow
          </KeyButton>
        </div>
      )}
    </section>
  )
  return (
    <>
      <Top
        crumbs={[<ActivityLink key="activity" />]}
        title={
          <>
            <code>{name}</code> {subjectOf(read)}
          </>
        }
        beside={story.runs.length > 0 && !isNarrow && <Pill tone={stage.tone}>{stage.detail}</Pill>}
        actions={
          <>
            {canReplay && (
              <WriteButton icon={RotateCw} keys="r" loading={replay.isPending} onClick={doReplay}>
                Replay event
              </WriteButton>
            )}
            <IconButton icon={Copy} label="Copy the story as text" onClick={copy} />
          </>
        }
      />
      <Body scrolls={false}>
        <MasterDetail
          name="story"
          lead={isDetail ? 'detail' : 'main'}
          home="main"
          back={{ label: 'Back to the story', group, go: () => change({ pane: undefined }) }}
          panes={[
            { id: 'main', content: main },
            {
              id: 'detail',
              size: 432,
              min: 300,
              content: row !== undefined && (
                <StoryDetail story={story} row={row} workflow={workflow} now={now} />
              ),
            },
          ]}
        />
      </Body>
      {isNarrow && !isDetail && run?.details != null && workflow !== undefined && (
        <RunPart
          key={run.run.runId}
          run={run.details}
          rows={run.rows ?? []}
          workflow={workflow}
          now={now}
          isShown={false}
        />
      )}
      <Foot
        hints={{
          updown: 'step',
          'arrowleft arrowright': 'close, open',
          ...(rows.some(one => one.hasFailed) && { f8: 'next that failed' }),
          ...(run !== null && canRetry(run.run) && { 'mod+enter': 'retry' }),
          ...(startsNothing && { w: 'start a workflow' }),
          ...(canReplay && { r: 'replay' }),
          c: 'copy the story',
        }}
      >
        <span className="num">
          {[
            ...(calls.isComplete ? [formatCount(calls.count, 'call')] : []),
            ...(read.areRunsKnown && !story.isMoreOpen ? [formatCount(runCount, 'run')] : []),
            ...(cut === null ? [] : [`the axis skips from 250 ms to ${formatClock(cut.to, cut.from)}`]),
          ].join(' · ')}
        </span>
      </Foot>
    </>
  )
}

const ActivityLink = () => <Link to="/activity">Activity</Link>

/** Whether the shortcut of a retry may do something. */
const canRetry = (run: Run): boolean =>
  ['failed', 'cancelled', 'waiting'].includes(run.status) && !wasStopped(run)

type Read = ReturnType<typeof useStory>

function subjectOf({ story: { item, runs } }: Read): ReactNode {
  if (item !== null && item.type !== 'event.rejected') return item.subject
  return runs[0]?.run.subject
}

/** Stands for the stages, the rows and the detail of a story, each at its place. */
function StorySkeleton() {
  return (
    <div className={classes.waiting} aria-busy="true">
      <div>
        <div className={classes.waitingTrail}>
          {[0, 1, 2, 3, 4].map(stage => (
            <div key={stage}>
              <Skeleton height={8} width={8} circle />
              <Skeleton height={10} width="60%" mt={8} />
            </div>
          ))}
        </div>
        <div className={classes.head} />
        {[0, 1, 1, 1, 1, 1, 1, 0, 1, 1].map((depth, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are never reordered
          <div key={row} className={classes.row}>
            <Skeleton height={10} width={depth === 0 ? '60%' : '40%'} ml={20 + depth * 14} />
            <div className={classes.lane}>
              <Skeleton height={7} width={depth === 0 ? '50%' : '8%'} />
            </div>
            <Skeleton height={10} width={40} ml="auto" />
          </div>
        ))}
        <p className={`sm t3 ${classes.note}`}>
          <Delayed ms={500}>Reading the story…</Delayed>
        </p>
      </div>
      <div className={classes.waitingDetail}>
        <Skeleton height={12} width="40%" />
        <Skeleton height={72} mt={24} />
      </div>
    </div>
  )
}

/** Stands for a story that is being read, that is no longer kept, or that an id does not have. */
function NoStory({ id, read }: { readonly id: string; readonly read: Read }) {
  const { anchor, isReady, runsQuery } = read
  const isWaiting = !isReady || (runsQuery.isPending && runsQuery.isFetching)
  return (
    <>
      <Top crumbs={[<ActivityLink key="activity" />]} title="Story" />
      <Body>
        {isWaiting ? (
          <Delayed>
            <StorySkeleton />
          </Delayed>
        ) : anchor.item !== null ? (
          <EmptyState
            title="This belongs to no event"
            actions={
              <Button renderRoot={own => <Link to="/activity" search={{ item: id }} {...own} />}>
                Show it in activity
              </Button>
            }
          >
            A story tells of a request and what it started. No event and no workflow started this.
          </EmptyState>
        ) : (
          <EmptyState
            title="This story is no longer kept"
            actions={<Button renderRoot={own => <Link to="/activity" {...own} />}>Show activity</Button>}
          >
            Neither an event nor a run or a call has the ID <code>{id}</code>.
          </EmptyState>
        )}
      </Body>
    </>
  )
}

import { skipToken, useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ListedOccurrence } from '#shared/model/activity.ts'
import type { Run, RunDetails } from '#shared/model/run.ts'
import type { Workflow } from '#shared/model/workflow.ts'
import { api } from '../../client/client.ts'
import { type ActionsOf, calledConnections, useActions } from '../../entities/action/use-actions.ts'
import { asText, exactRun } from '../../entities/run/exact-run.ts'
import { changeSince } from '../../entities/run/run-labels.ts'
import { timelineOf } from '../../entities/run/timeline.ts'
import { useWorkflowName } from '../../entities/workflow/use-workflows.ts'
import { firstRuns, type RequestItem, type Story, type StoryRun } from './story-rows.ts'

/** How many runs an event shows at first, and how many more at once. */
export const runsAtOnce = 20
/** How many of them are open at first. */
const openAtFirst = 3
const pageSize = 200
const firstPage: string | undefined = undefined
const noRuns: readonly Run[] = []

const isRequest = (item: ListedOccurrence | undefined): item is RequestItem =>
  item?.type.startsWith('event.') === true

/** Returns the run that an item belongs to; null for none. */
function runOfItem(item: ListedOccurrence | undefined): string | null {
  if (item?.type === 'call.finished') return item.step?.runId ?? null
  return item?.type === 'run.failed' || item?.type === 'workflow.notified' ? item.runId : null
}

/** Finds the request and the run that an id belongs to: of an event, a refused request, a run, a call, or an item. */
function useAnchor(id: string) {
  const kind = id.slice(0, Math.max(0, id.indexOf('_')))
  const isRun = kind === 'run'
  const item = useQuery(
    api.activity.get.queryOptions({ input: isRun ? skipToken : { itemId: id }, retry: false }),
  )
  // The list forgets a call before its record is deleted.
  const call = useQuery(
    api.calls.get.queryOptions({
      input: kind === 'call' && item.error !== null ? { callId: id } : skipToken,
      retry: false,
    }),
  )
  const runId = isRun ? id : (runOfItem(item.data) ?? call.data?.step?.runId ?? null)
  const run = useQuery(
    api.runs.get.queryOptions({ input: runId === null ? skipToken : { runId, ...asText }, retry: false }),
  )
  const own = isRequest(item.data) ? item.data : null
  const eventId =
    own !== null && own.type !== 'event.rejected'
      ? own.eventId
      : kind === 'evt'
        ? id
        : (run.data?.eventId ?? null)
  const found = useQuery(
    api.activity.get.queryOptions({
      input: own === null && eventId !== null && eventId !== id ? { itemId: eventId } : skipToken,
      retry: false,
    }),
  )
  const request = own ?? (isRequest(found.data) ? found.data : null)
  return {
    kind,
    item: item.data ?? null,
    request,
    eventId,
    runId,
    run: run.data ?? null,
    connectionId: request?.connectionId ?? run.data?.connectionId ?? null,
    isPending: [item, call, run, found].some(query => query.isFetching && query.isPending),
    error: isRun ? run.error : kind === 'evt' ? null : (call.error ?? (call.data ? null : item.error)),
  }
}

/**
 * Returns the story that an id belongs to.
 *
 * @param shown how many runs to show.
 * @param folds the rows that were opened or closed by hand.
 */
export function useStory(id: string, shown: number, folds: ReadonlyMap<string, boolean>) {
  const anchor = useAnchor(id)
  const { eventId, connectionId, request } = anchor
  const event = useQuery(
    api.events.get.queryOptions({
      input: eventId !== null && connectionId !== null ? { connectionId, eventId } : skipToken,
      retry: false,
    }),
  )
  const connection = useQuery(
    api.connections.get.queryOptions({
      input: connectionId === null ? skipToken : { connectionId },
      retry: false,
    }),
  )
  const attemptId = request?.type === 'event.rejected' ? request.attemptId : null
  const attempt = useQuery(
    api.attempts.get.queryOptions({
      input: attemptId === null || connectionId === null ? skipToken : { connectionId, attemptId },
      retry: false,
    }),
  )
  const newest = useInfiniteQuery(
    api.runs.list.infiniteOptions({
      input: (before: string | undefined) => ({ eventId: eventId ?? undefined, before, limit: pageSize }),
      initialPageParam: firstPage,
      getNextPageParam: ({ nextBefore }) => nextBefore ?? undefined,
      enabled: eventId !== null,
    }),
  )
  const failed = useQuery(
    api.runs.list.queryOptions({
      input:
        eventId !== null && newest.hasNextPage ? { eventId, status: 'failed', limit: runsAtOnce } : skipToken,
    }),
  )
  const ofEvent = newest.data?.pages.flatMap(({ runs }) => runs)
  const listed = eventId === null ? (anchor.run === null ? noRuns : [anchor.run]) : (ofEvent ?? noRuns)
  const known = new Set(listed.map(({ runId }) => runId))
  const failing = failed.data?.runs ?? listed.filter(({ status }) => status === 'failed')
  const own = anchor.run === null ? [] : [anchor.run]
  const first = [...own, ...failing.slice(0, runsAtOnce)]
  const runs = firstRuns(first, listed, shown)
  const openOnes = new Set([...first, ...listed].slice(0, openAtFirst).map(({ runId }) => runId))
  const runIds = new Set(runs.map(({ runId }) => runId))
  /** Whether what is in a row is shown; the steps of a run are read only then. */
  const isOpen = (rowId: string) => folds.get(rowId) ?? (!runIds.has(rowId) || openOnes.has(rowId))
  const isReady =
    !anchor.isPending && (eventId === null || newest.data !== undefined || newest.error !== null)
  const stories = useRuns(runs, isOpen)
  const all = new Set([...known, ...runs.map(({ runId }) => runId)])
  const story: Story = {
    item: request,
    event: event.data ?? null,
    sender: connection.data?.sender ?? null,
    headers: event.data?.headers ?? attempt.data?.headers ?? null,
    runs: stories.runs,
    more: all.size - runs.length,
    isMoreOpen: newest.hasNextPage,
  }
  return {
    anchor,
    story,
    isOpen,
    isReady,
    /** How many runs the event has, as far as they were listed. */
    runCount: all.size,
    areRunsKnown: eventId === null || newest.data !== undefined,
    runsQuery: newest,
    actionsOf: stories.actionsOf,
    workflowOf: stories.workflowOf,
    /** Reads on until so many runs are known. */
    readMore: (count: number) => {
      if (count > all.size && newest.hasNextPage && !newest.isFetchingNextPage) void newest.fetchNextPage()
    },
  }
}

type Answers<Data> = readonly { readonly data: Data | undefined; readonly isPending: boolean }[]
const detailsIn = (answers: Answers<RunDetails>) => answers.map(({ data }) => data)
const workflowsIn = (answers: Answers<Workflow>) =>
  answers.map(({ data, isPending }) => (isPending ? undefined : (data ?? null)))

/** Reads the steps of the open ones of these runs, and the workflows that tell their order. */
function useRuns(runs: readonly Run[], isOpen: (runId: string) => boolean) {
  const nameOf = useWorkflowName()
  const openIds = runs.map(({ runId }) => runId).filter(isOpen)
  const read = useQueries({
    queries: openIds.map(runId => api.runs.get.queryOptions({ input: { runId, ...asText } })),
    combine: detailsIn,
  })
  const workflowIds = [...new Set(read.flatMap(run => run?.workflowId ?? []))]
  const workflows = useQueries({
    queries: workflowIds.map(workflowId =>
      api.workflows.get.queryOptions({ input: { workflowId }, retry: false }),
    ),
    combine: workflowsIn,
  })
  const called = workflows.flatMap(workflow => calledConnections(workflow?.steps ?? [])).join()
  const actionsOf = useActions(
    useMemo(() => (called === '' ? [] : [...new Set(called.split(','))]), [called]),
  )
  const workflowOf = (workflowId: string) => workflows[workflowIds.indexOf(workflowId)]
  const details = useMemo(
    () => new Map(read.flatMap(run => (run ? [[run.runId, exactRun(run)]] : []))),
    [read],
  )
  return {
    actionsOf,
    /** Returns a workflow of an open run; null for a deleted one, undefined until it is read. */
    workflowOf,
    runs: runs.map(run => storyRun(run, details.get(run.runId) ?? null, workflowOf(run.workflowId))),
  }

  function storyRun(
    listed: Run,
    details: RunDetails | null,
    workflow: Workflow | null | undefined,
  ): StoryRun {
    const run = details ?? listed
    const rows = details === null || workflow === undefined ? null : rowsOf(details, workflow, actionsOf)
    return { run, name: nameOf(run.workflowId), details, rows }
  }
}

function rowsOf(run: RunDetails, workflow: Workflow | null, actionsOf: ActionsOf) {
  // The steps of now may have the keys of other steps that the run took.
  return timelineOf(run, changeSince(run, workflow) === 'ended' ? null : (workflow?.steps ?? null), actionsOf)
}

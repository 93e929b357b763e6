import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../../client/client.ts'
import { useSearchPages } from '../../client/use-search-pages.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { chosenIn } from '../../ui/filters.ts'
import { useReadOnly } from '../../ui/read-only.ts'
import { useNow } from '../../ui/use-now.ts'
import { runFilters } from './filters.ts'
import { sinceOf } from './periods.ts'
import { useRunsPlace } from './use-runs-place.ts'

const pageSize = 100
/** Milliseconds after typing until the runs are searched. */
const searchDelayMs = 250
const longestText = 200
const first: string | undefined = undefined
const runsOf = <Item>(page: { readonly runs: readonly Item[] }) => page.runs

/** When each period began on the screen that showed it last. */
const lastSince = new Map<string, string | undefined>()

/**
 * Returns when the chosen period begins; it stays while the screen is open, so that no row leaves by itself. While the
 * service does not answer, it is that of the list that was read last.
 */
function useSince() {
  const { since } = useRunsPlace()
  const isAway = useReadOnly() !== null
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the list is opened
  return useMemo(() => {
    if (!isAway || !lastSince.has(since)) lastSince.set(since, sinceOf(since, Date.now()))
    return lastSince.get(since)
  }, [since])
}

/** Returns the runs that the address selects, newest first, page by page. Changes are read by themselves. */
export function useRuns() {
  const { workspace } = useWorkspace()
  const place = useRunsPlace()
  const [text] = useDebouncedValue(place.text.slice(0, longestText), searchDelayMs)
  const since = useSince()
  const chosen = chosenIn(runFilters, { ...place, text, since })
  const { workflow: workflowId, event: eventId, ...others } = chosen
  const query = useInfiniteQuery(
    api.runs.list.infiniteOptions({
      input: (before: string | undefined) => ({
        ...{ ...others, workflowId, eventId, workspaceId: workspace?.workspaceId },
        before,
        limit: pageSize,
      }),
      initialPageParam: first,
      getNextPageParam: ({ nextBefore }) => nextBefore ?? undefined,
      // What an open search has looked at is not read again with each change.
      enabled: ({ state: { data: { pages } = { pages: [] } } }) =>
        workspace !== null && (pages.length < 2 || pages.at(-1)?.searched === undefined),
      placeholderData: keepPreviousData,
    }),
  )
  const { items: runs, ...pages } = useSearchPages(query, runsOf, {
    searchedIn: page => page.searched,
    key: JSON.stringify([place.search, text, since]),
  })
  return {
    ...pages,
    runs,
    /** How many runs of the loaded pages cannot be read. */
    damaged: query.data?.pages.reduce((sum, { damaged = [] }) => sum + damaged.length, 0) ?? 0,
    /** Whether the text that is typed has been searched for. */
    isCurrent: text === place.text && !query.isPending && !query.isPlaceholderData,
  }
}

/** Returns how many runs of each status the period has; undefined until they are loaded. */
export function useRunCounts() {
  const { workspace } = useWorkspace()
  const { workflow } = useRunsPlace()
  const since = useSince()
  const { data } = useQuery(
    api.runs.counts.queryOptions({
      input: { workspaceId: workspace?.workspaceId, workflowId: workflow, since },
      enabled: workspace !== null,
    }),
  )
  return data
}

/** Returns the current time, updated each second while a run has not ended. */
export function useRunClock(hasEnded: boolean): number {
  return useNow(hasEnded ? 60_000 : 1000)
}

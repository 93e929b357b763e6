import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { api } from '../../client/client.ts'
import { useWorkspace } from '../workspaces/current-workspace.tsx'

const pageSize = 50
const searchDelayMs = 250
const longestText = 200
const first: string | undefined = undefined

/** Returns the conversations of the workspace that contain a text, the last changed first, page by page. */
export function useConversations(typed: string) {
  const { workspace } = useWorkspace()
  const [text] = useDebouncedValue(typed.slice(0, longestText).trim(), searchDelayMs)
  const query = useInfiniteQuery(
    api.conversations.list.infiniteOptions({
      input: (before: string | undefined) => ({
        workspaceId: workspace?.workspaceId,
        text: text === '' ? undefined : text,
        before,
        limit: pageSize,
      }),
      initialPageParam: first,
      getNextPageParam: ({ nextBefore }) => nextBefore ?? undefined,
      enabled: workspace !== null,
      placeholderData: keepPreviousData,
    }),
  )
  const { data, error, isPending, hasNextPage, isFetching, fetchNextPage, refetch } = query
  const conversations = useMemo(() => data?.pages.flatMap(page => page.conversations) ?? [], [data])
  // A search reads only so much at once, so a page may be empty before the end.
  const isEmptyPage = data?.pages.at(-1)?.conversations.length === 0
  useEffect(() => {
    if (isEmptyPage && hasNextPage && !isFetching) void fetchNextPage()
  }, [isEmptyPage, hasNextPage, isFetching, fetchNextPage])
  return {
    conversations,
    error,
    isPending: isPending || (conversations.length === 0 && hasNextPage),
    isSearched: text !== '',
    loadMore: hasNextPage && !isFetching ? () => void fetchNextPage() : null,
    retry: () => void refetch(),
  }
}

import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { api } from '../../client/client.ts'
import { useSearchPages } from '../../client/use-search-pages.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'

const pageSize = 50
const searchDelayMs = 250
const longestText = 200
const first: string | undefined = undefined
const conversationsOf = <Item>(page: { readonly conversations: readonly Item[] }) => page.conversations

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
  const { items: conversations, ...pages } = useSearchPages(query, conversationsOf)
  return { ...pages, conversations, isSearched: text !== '' }
}

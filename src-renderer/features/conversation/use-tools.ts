import { useInfiniteQuery } from '@tanstack/react-query'
import type { Tool } from '#shared/model/tool.ts'
import { api } from '../../client/client.ts'
import { useFirstPages } from '../../client/use-first-pages.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'

/** Returns the first tools of the current workspace; undefined until they are known. */
export function useTools(): readonly Tool[] | undefined {
  const { workspace } = useWorkspace()
  const query = useInfiniteQuery(
    api.tools.list.infiniteOptions({
      input: (after: string | undefined) => ({
        workspaceId: workspace?.workspaceId,
        ...{ after, limit: perPage },
      }),
      initialPageParam: undefined,
      getNextPageParam: page => (page.length < perPage ? undefined : page.at(-1)?.name),
      enabled: workspace !== null,
    }),
  )
  return useFirstPages(query, itself, most).items
}

const perPage = 100
/** The number of tools that are shown. */
const most = 500
const itself = (page: readonly Tool[]) => page

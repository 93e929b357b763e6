import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'

/**
 * Returns the items of a list that is read page by page, and reads pages until there are `most` of them.
 *
 * @param itemsOf a function that does not change between calls.
 */
export function useFirstPages<Page, Item>(
  query: UseInfiniteQueryResult<InfiniteData<Page>>,
  itemsOf: (page: Page) => readonly Item[],
  most: number,
) {
  const { data, hasNextPage, isFetching, fetchNextPage } = query
  const items = useMemo(() => data?.pages.flatMap(itemsOf), [data, itemsOf])
  const count = items?.length ?? 0
  const isShort = count < most && hasNextPage && !isFetching
  useEffect(() => {
    if (isShort) void fetchNextPage()
  }, [isShort, fetchNextPage])
  return {
    /** Undefined until the first page is read. */
    items,
    loadMore() {
      if (hasNextPage && !isFetching) void fetchNextPage()
    },
  }
}

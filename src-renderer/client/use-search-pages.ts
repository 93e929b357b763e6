import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo } from 'react'

/**
 * Returns the items of a search that is read page by page. A search reads only so much at once, so a page may be empty
 * before the end; the next page is then loaded too.
 *
 * @param itemsOf a function that does not change between calls.
 */
export function useSearchPages<Page, Item>(
  query: UseInfiniteQueryResult<InfiniteData<Page>>,
  itemsOf: (page: Page) => readonly Item[],
) {
  const { data, error, isFetching, isPending, hasNextPage, fetchNextPage, refetch } = query
  const items = useMemo(() => data?.pages.flatMap(itemsOf) ?? [], [data, itemsOf])
  const canLoadMore = hasNextPage && !isFetching
  const loadMore = useCallback(() => {
    if (canLoadMore) void fetchNextPage()
  }, [canLoadMore, fetchNextPage])
  const lastPage = data?.pages.at(-1)
  const isEmptyPage = lastPage !== undefined && itemsOf(lastPage).length === 0
  useEffect(() => {
    if (isEmptyPage) loadMore()
  }, [isEmptyPage, loadMore])
  return {
    items,
    error,
    isPending: isPending || (items.length === 0 && hasNextPage),
    canLoadMore,
    loadMore,
    refetch: () => void refetch(),
  }
}

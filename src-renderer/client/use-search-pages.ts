import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import type { Searched } from '#shared/model/searched.ts'

/**
 * Returns the items of a search that is read page by page. A search reads only so much at once, so a page may be empty
 * before the end. The next page is then loaded too, unless the page says how far it has looked: then only when the user
 * asks for it.
 *
 * @param itemsOf a function that does not change between calls. @param options.searchedIn returns how far a page has
 *   looked. @param options.key identifies the search.
 */
export function useSearchPages<Page extends object, Item>(
  query: UseInfiniteQueryResult<InfiniteData<Page>>,
  itemsOf: (page: Page) => readonly Item[],
  { searchedIn, key }: { readonly searchedIn: (page: Page) => Searched | undefined; readonly key: string } = {
    searchedIn: () => undefined,
    key: '',
  },
) {
  const { data, error, isFetching, isPending, isPlaceholderData, hasNextPage, fetchNextPage, refetch } = query
  const items = useMemo(() => data?.pages.flatMap(itemsOf) ?? [], [data, itemsOf])
  const canLoadMore = hasNextPage && !isFetching
  const loadMore = useCallback(() => {
    if (canLoadMore) void fetchNextPage()
  }, [canLoadMore, fetchNextPage])
  const lastPage = data?.pages.at(-1)
  const isEmptyPage = lastPage !== undefined && itemsOf(lastPage).length === 0
  const searched = hasNextPage && !isPlaceholderData && lastPage ? searchedIn(lastPage) : undefined
  // The search that the user has asked to go on.
  const [goingOn, setGoingOn] = useState<string | null>(null)
  const goesOn = goingOn === key
  const isFound = goesOn && !isEmptyPage && !isFetching
  useEffect(() => {
    if (isFound) setGoingOn(null)
  }, [isFound])
  const readsOn = isEmptyPage && (searched === undefined || goesOn)
  useEffect(() => {
    if (readsOn) loadMore()
  }, [readsOn, loadMore])
  const count = data?.pages.reduce((sum, page) => sum + (searchedIn(page)?.count ?? 0), 0) ?? 0
  return {
    items,
    error,
    isPending: isPending || (items.length === 0 && hasNextPage && searched === undefined),
    canLoadMore,
    loadMore,
    refetch: () => void refetch(),
    /** Null unless the last page has ended early. */
    search: searched && {
      searched: { ...searched, count },
      isSearching: goesOn && !isFound,
      searchOlder() {
        setGoingOn(key)
        loadMore()
      },
      stop: () => setGoingOn(null),
    },
  }
}

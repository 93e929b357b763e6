import type { InfiniteData } from '@tanstack/react-query'
import type { ListedRow } from '#shared/model/connection-list.ts'
import { api } from './client.ts'
import { queries } from './query-client.ts'

type Page = { readonly connections: ListedRow[]; readonly nextAfter: string | null }

/**
 * Changes rows in all lists of connections on the page. Returns a function that restores the lists.
 *
 * @param change returns the same row to leave it as it is.
 */
export function changeRows(change: (row: ListedRow) => ListedRow): () => void {
  const lists = { queryKey: api.connections.rows.key({ type: 'query' }) }
  const inPages = { queryKey: api.connections.rows.key({ type: 'infinite' }) }
  const before = [...queries.getQueriesData(lists), ...queries.getQueriesData(inPages)]
  queries.setQueriesData<Page>(lists, page => page && changedPage(page, change))
  queries.setQueriesData<InfiniteData<Page>>(
    inPages,
    data => data && { ...data, pages: data.pages.map(page => changedPage(page, change)) },
  )
  return () => before.forEach(([key, data]) => void queries.setQueryData(key, data))
}

/** Returns the same page if none of its rows is changed. */
function changedPage(page: Page, change: (row: ListedRow) => ListedRow): Page {
  const connections = page.connections.map(change)
  return connections.some((row, index) => row !== page.connections[index]) ? { ...page, connections } : page
}

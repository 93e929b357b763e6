import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, skipToken, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { z } from 'zod'
import type { Connection } from '#shared/model/connection.ts'
import type { ConnectionSearch, ConnectionSort, ListedRow } from '#shared/model/connection-list.ts'
import { maxPage } from '#shared/model/page.ts'
import type { ConnectionStatistics } from '#shared/model/statistics.ts'
import { api } from '../../client/client.ts'
import { queries } from '../../client/query-client.ts'
import { useLocalStorage } from '../../ui/use-local-storage.ts'
import { useWorkspace } from '../workspace/current-workspace.tsx'
import { type ConnectionStatus, connectionStatus } from './connection-status.ts'

export type ConnectionRow = ListedRow & { readonly status: ConnectionStatus }

const withStatus = (row: ListedRow): ConnectionRow => ({
  ...row,
  status: connectionStatus(row, row.statistics),
})
const none: readonly ListedRow[] = []
/** The longest text that the service searches for. */
const maxText = 200

/** The selection that a list of connections shows. */
type Selection = Omit<ConnectionSearch, 'workspaceId' | 'state'> & {
  /** The states, with commas. */
  readonly state?: string | undefined
  readonly sort?: ConnectionSort | undefined
}

/** The rows of the first page, a little more than fit the screen, and of each further one. */
const firstRows = 50
const furtherRows = 200

/** Returns connections of the current workspace, page by page, with how many there are. */
export function useConnectionPages(selection: Selection) {
  const { workspace } = useWorkspace()
  const text = selection.text?.slice(0, maxText)
  const query = useInfiniteQuery(
    api.connections.rows.infiniteOptions({
      input: (after: string | undefined) => ({
        ...{ ...selection, workspaceId: workspace?.workspaceId, text, after },
        limit: after === undefined ? firstRows : furtherRows,
      }),
      initialPageParam: undefined,
      getNextPageParam: ({ nextAfter }) => nextAfter ?? undefined,
      enabled: workspace !== null,
      placeholderData: keepPreviousData,
    }),
  )
  const { data, error, isPending, isPlaceholderData, hasNextPage, isFetching, fetchNextPage, refetch } = query
  const { dataUpdatedAt: readAt } = query
  const rows = useMemo(() => {
    const listed = data?.pages.flatMap(({ connections }) => connections) ?? []
    // One whose place has changed meanwhile may be on two pages.
    return [...new Map(listed.map(row => [row.connectionId, withStatus(row)])).values()]
  }, [data])
  return {
    rows,
    figures: useConnectionFigures(text),
    pages: data?.pages.length ?? 0,
    error,
    isPending,
    /** When the rows were read or changed last, in milliseconds since 1970. */
    readAt,
    /** Whether the rows are those of another selection, until its own are read. */
    isOther: isPlaceholderData,
    loadMore() {
      if (hasNextPage && !isFetching) void fetchNextPage()
    },
    refetch,
  }
}

/** Forgets all pages that no list on the screen shows. */
export function forgetOtherPages(): void {
  queries.removeQueries({ queryKey: api.connections.rows.key({ type: 'infinite' }), type: 'inactive' })
}

/** Returns the connections of the current workspace that store their events, in the order of creation. */
export function useStoringConnections() {
  const { workspace } = useWorkspace()
  const { data, hasNextPage, fetchNextPage } = useInfiniteQuery(
    api.connections.rows.infiniteOptions({
      input: (after: string | undefined) => ({
        ...{ workspaceId: workspace?.workspaceId, storing: true, after, limit: firstRows },
      }),
      initialPageParam: undefined,
      getNextPageParam: ({ nextAfter }) => nextAfter ?? undefined,
      enabled: workspace !== null,
    }),
  )
  return {
    rows: data?.pages.flatMap(({ connections }) => connections) ?? [],
    isKnown: data !== undefined,
    /** Reads the next page; undefined if there is none. */
    loadMore: hasNextPage ? () => void fetchNextPage() : undefined,
  }
}

/** Returns how many connections the current workspace has, live; undefined while unknown. @param text counts those with it. */
export function useConnectionFigures(text?: string) {
  const { workspace } = useWorkspace()
  const input = workspace === null ? skipToken : { workspaceId: workspace.workspaceId, text }
  return useQuery(api.connections.figures.queryOptions({ input, placeholderData: keepPreviousData })).data
}

/**
 * Returns connections of the current workspace to choose from, in the order of creation.
 *
 * @param text only those with it. It needs to be given only if there are more than those returned.
 */
export function useConnections(text = '', sort: ConnectionSort = 'oldest', limit = maxPage) {
  const { workspace } = useWorkspace()
  const { data } = useQuery(
    api.connections.rows.queryOptions({
      input:
        workspace === null
          ? skipToken
          : { workspaceId: workspace.workspaceId, text: text.slice(0, maxText), sort, limit },
      placeholderData: keepPreviousData,
    }),
  )
  const listed = data?.connections ?? none
  return {
    rows: useMemo(() => listed.map(withStatus), [listed]),
    isKnown: data !== undefined,
    /** Whether there are more. */
    isCut: data !== undefined && data.nextAfter !== null,
  }
}

const typingPauseMs = 200

/**
 * Returns the connections that a field offers, and a function that takes the text typed into it. If there is more than a
 * page of them, the service finds those that fit.
 *
 * @param chosen the chosen one, which is offered too.
 */
export function useConnectionChoice(chosen: string | null | undefined) {
  const [typed, onTyped] = useState('')
  const [text] = useDebouncedValue(typed, typingPauseMs)
  const all = useConnections()
  const found = useConnections(all.isCut ? text : '')
  const one = useConnectionsById([chosen])?.(chosen)
  const rows = useMemo(() => {
    const known = new Map(all.rows.map(row => [row.connectionId, row]))
    for (const row of [...(one === undefined ? [] : [one]), ...found.rows]) known.set(row.connectionId, row)
    return [...known.values()]
  }, [all.rows, found.rows, one])
  return { rows, onTyped }
}

/** Returns a function that finds connections of the current workspace; null while they are not known. */
export function useConnectionsById(ids: Iterable<string | null | undefined>) {
  const { workspace } = useWorkspace()
  const wanted = [...new Set(ids)].filter(id => typeof id === 'string' && id !== '').sort()
  const connectionIds = wanted.flatMap(id => id ?? []).slice(0, maxPage)
  const { data } = useQuery(
    api.connections.rows.queryOptions({
      input:
        workspace === null || connectionIds.length === 0
          ? skipToken
          : { workspaceId: workspace.workspaceId, connectionIds, limit: maxPage },
      placeholderData: keepPreviousData,
    }),
  )
  return useMemo(() => {
    if (data === undefined) return connectionIds.length === 0 ? () => undefined : null
    const byId = new Map(data.connections.map(row => [row.connectionId, withStatus(row)]))
    return (id: string | null | undefined) => byId.get(id ?? '')
  }, [data, connectionIds.length])
}

/** Returns a connection; undefined while unknown, or if there is none. */
export function useConnection(connectionId: string | null | undefined): Connection | undefined {
  const input = connectionId == null ? skipToken : { connectionId }
  return useQuery(api.connections.get.queryOptions({ input })).data
}

/** Returns what a connection did in the last 24 hours, live. Undefined while unknown. */
export function useConnectionStatistics(connectionId: string): ConnectionStatistics | undefined {
  const input = connectionId === '' ? skipToken : { connectionId }
  return useQuery(api.statistics.get.queryOptions({ input })).data
}

const maxRecent = 5
const Kept = z.array(z.string())
const noRecent: string[] = []

/** Returns the ids of the connections opened last in this browser, newest first, and a function that adds one. */
export function useRecentConnections(): readonly [readonly string[], (connectionId: string) => void] {
  const [recent, keep] = useLocalStorage('recent', Kept, noRecent)
  const open = (connectionId: string) => {
    if (recent[0] === connectionId) return
    keep([connectionId, ...recent.filter(id => id !== connectionId)].slice(0, maxRecent))
  }
  return [recent, open]
}

import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { minuteMs } from '#shared/durations.ts'
import { maxPage } from '#shared/model/page.ts'
import type { Tool } from '#shared/model/tool.ts'
import { api } from '../../client/client.ts'
import { type HistoryRange, historyStart } from '../../entities/connection/connection-history.ts'
import { useConnections, useConnectionsById } from '../../entities/connection/use-connections.ts'
import { useWorkflowName, useWorkflows } from '../../entities/workflow/use-workflows.ts'
import { useWorkspace } from '../../entities/workspace/current-workspace.tsx'
import { useNow } from '../../ui/use-now.ts'
import { actionNode, connectionNode, graphOf, isFailing, type MapNode, otherCallers } from './graph.ts'
import { matcherOf, shownOf } from './select-nodes.ts'

const refreshMs = 10_000
/** Rows of each list beside the map. */
export const mostListed = 50

const empty = graphOf({ events: [], calls: [] })

export type MapData = ReturnType<typeof useMap>

/** Returns what the map shows of a range, and names it. */
export function useMap(place: {
  readonly range: HistoryRange
  readonly text: string
  readonly onlyFailing: boolean
  readonly chosen: string | null
}) {
  const { range, text, onlyFailing, chosen } = place
  const { workspace } = useWorkspace()
  const since = historyStart(range, useNow(minuteMs))
  const query = useQuery(
    api.statistics.edges.queryOptions({
      input:
        workspace === null
          ? skipToken
          : { workspaceId: workspace.workspaceId, since: new Date(since).toISOString() },
      refetchInterval: refreshMs,
      placeholderData: keepPreviousData,
    }),
  )
  const { data } = query
  const graph = useMemo(() => (data === undefined ? empty : graphOf(data)), [data])
  const workflows = useWorkflows().data
  const workflowName = useWorkflowName()
  const tools = useTools(workspace?.workspaceId)

  // Connections are found by the service: the page does not know the names of a thousand.
  const named = useConnections(text, 'oldest', text === '' ? 1 : maxPage).rows
  const found = useMemo(() => {
    const isFound = matcherOf(text)
    if (isFound === null) return null
    // The service also looks at addresses and ids, which the map does not show.
    const connections = new Set(
      named.filter(({ name }) => isFound(name)).map(row => connectionNode(row.connectionId)),
    )
    const has = ({ id, column, name }: MapNode) =>
      column === 'connection'
        ? connections.has(id)
        : isFound(column === 'workflow' ? callerName(name, workflowName) : name)
    return new Set([...graph.nodes.values()].filter(has).map(({ id }) => id))
  }, [graph, text, named, workflowName])
  const shown = useMemo(
    () => shownOf(graph, { chosen, onlyFailing, found }),
    [graph, chosen, onlyFailing, found],
  )
  const uncalled = useMemo(
    () => tools?.filter(({ connectionId, toolName }) => !graph.nodes.has(actionNode(connectionId, toolName))),
    [tools, graph],
  )
  const connectionOf = useConnectionsById([
    ...shown.nodes.map(({ connectionId }) => connectionId),
    ...graph.startNothing.slice(0, mostListed).map(({ connectionId }) => connectionId),
    ...(uncalled ?? []).slice(0, mostListed).map(({ connectionId }) => connectionId),
  ])
  const nameOf = useCallback(
    ({ column, connectionId, name }: MapNode) => {
      if (column === 'connection') return connectionOf?.(connectionId)?.name
      return column === 'workflow' ? callerName(name, workflowName) : name
    },
    [connectionOf, workflowName],
  )
  /** In an order that does not change with the counts. */
  const nodes = useMemo(() => {
    const keyed = shown.nodes.map(node => ({ node, key: `${nameOf(node) ?? ''} ${node.id}` }))
    const compare = new Intl.Collator(undefined, { numeric: true }).compare
    return keyed.sort((one, other) => compare(one.key, other.key)).map(({ node }) => node)
  }, [shown.nodes, nameOf])
  const toolOf = useMemo(() => {
    const byNode = new Map(tools?.map(tool => [actionNode(tool.connectionId, tool.toolName), tool]))
    return (id: string) => byNode.get(id)
  }, [tools])

  return {
    query,
    since,
    graph,
    nodes,
    edges: shown.edges,
    /** How many nodes this selection has. */
    of: shown.of,
    isKnown: data !== undefined && connectionOf !== null,
    /** Whether some counts are left out, so that nobody can say that something did not happen. */
    isLimited: data?.limited === true,
    hasWorkflows: workflows === undefined ? undefined : workflows.length > 0,
    failing: useMemo(
      () => [...graph.nodes.values()].filter(node => node.column === 'workflow' && isFailing(node)).length,
      [graph],
    ),
    connectionOf,
    nameOf,
    toolOf,
    uncalled,
    hasMoreTools: tools?.length === maxPage,
  }
}

const callerName = (name: string, workflowName: (workflowId: string) => string) =>
  name === 'client' || name === 'other' ? otherCallers[name] : workflowName(name)

/** Returns the first actions that can be called; undefined until they are known. */
function useTools(workspaceId: string | undefined): readonly Tool[] | undefined {
  const input = workspaceId === undefined ? skipToken : { workspaceId, limit: maxPage }
  return useQuery(api.tools.list.queryOptions({ input })).data
}

import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import type { Action } from '#shared/model/action.ts'
import { serviceConnectionId, serviceConnectionName } from '#shared/model/alert.ts'
import type { Known } from '#shared/workflows/references.ts'
import { api } from '../../../client/client.ts'
import { calledConnections, useActions, usedConnections } from '../../../entities/action/use-actions.ts'
import { useConnectionsById } from '../../../entities/connection/use-connections.ts'
import type { WorkflowDraft } from './draft.ts'
import type { Payload } from './sample.ts'

/**
 * Returns the names of the connections that a workflow uses, the actions that its steps call, what references are checked
 * against, and the names of the environment variables that are set.
 */
export function useKnown(
  { trigger, steps }: Pick<WorkflowDraft, 'trigger' | 'steps'>,
  sample: Payload | null,
) {
  const named = useMemo(
    () => [trigger.connectionId, ...usedConnections(steps)],
    [trigger.connectionId, steps],
  )
  const connectionOf = useConnectionsById(named)
  const { data: variables } = useQuery(api.environment.list.queryOptions())
  const environment = useMemo(() => {
    const set = (variables ?? []).filter(({ sources }) => sources.length > 0)
    return new Set(set.map(({ name }) => name))
  }, [variables])
  const used = useMemo(
    () => calledConnections(steps).filter(id => connectionOf?.(id) !== undefined),
    [steps, connectionOf],
  )
  const actionsOf = useActions(used)
  const none: readonly Action[] = []
  const known: Known | null =
    connectionOf !== null && variables !== undefined && used.every(id => actionsOf(id) !== null)
      ? {
          connections: new Map(
            named
              .flatMap(id => connectionOf(id) ?? [])
              .map(({ connectionId, name, enabled, baseUrl }) => [
                connectionId,
                { name, enabled, baseUrl, actions: actionsOf(connectionId) ?? none },
              ]),
          ),
          sample,
          isVariableSet: name => environment.has(name),
        }
      : null
  const nameOf = useCallback(
    (id: string) =>
      id === serviceConnectionId
        ? serviceConnectionName
        : (connectionOf?.(id)?.name ?? 'An unknown connection'),
    [connectionOf],
  )
  return {
    known,
    environment,
    nameOf,
    actionsOf,
  }
}

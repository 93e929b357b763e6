import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import type { Action } from '#shared/model/action.ts'
import type { Known } from '#shared/workflows/references.ts'
import type { Step } from '#shared/workflows/steps/kinds.ts'
import { api } from '../../../client/client.ts'
import { calledConnections, useActions } from '../../../entities/action/use-actions.ts'
import { useConnections } from '../../../entities/connection/use-connections.ts'
import type { Payload } from './sample.ts'

/**
 * Returns the connections of the workspace, the actions of those that the steps use, what references are checked
 * against, and the names of the environment variables that are set.
 */
export function useKnown(steps: readonly Step[], sample: Payload | null) {
  const { rows, isKnown } = useConnections()
  const { data: variables } = useQuery(api.environment.list.queryOptions())
  const environment = useMemo(() => {
    const set = (variables ?? []).filter(({ sources }) => sources.length > 0)
    return new Set(set.map(({ name }) => name))
  }, [variables])
  const used = useMemo(
    () => calledConnections(steps).filter(id => rows.some(({ connectionId }) => connectionId === id)),
    [steps, rows],
  )
  const actionsOf = useActions(used)
  const none: readonly Action[] = []
  const known: Known | null =
    isKnown && variables !== undefined && used.every(id => actionsOf(id) !== null)
      ? {
          connections: new Map(
            rows.map(({ connectionId, name, enabled, baseUrl }) => [
              connectionId,
              { name, enabled, baseUrl, actions: actionsOf(connectionId) ?? none },
            ]),
          ),
          sample,
          isVariableSet: name => environment.has(name),
        }
      : null
  const nameOf = useCallback(
    (id: string) => rows.find(({ connectionId }) => connectionId === id)?.name ?? 'An unknown connection',
    [rows],
  )
  return {
    connections: rows,
    known,
    environment,
    nameOf,
    actionsOf,
  }
}

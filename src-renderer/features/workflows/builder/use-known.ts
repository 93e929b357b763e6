import { useQueries } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { Action } from '#shared/model/action.ts'
import type { Step } from '#shared/model/workflow.ts'
import type { Known } from '#shared/workflows/references.ts'
import { api } from '../../../client/client.ts'
import { useConnections } from '../../connections/use-connections.ts'
import type { Payload } from './sample.ts'
import { placedSteps } from './steps.ts'

/** Returns the connections of the workspace, the actions of those that the steps use, and what references are checked against. */
export function useKnown(steps: readonly Step[], sample: Payload | null) {
  const { rows, isKnown } = useConnections()
  const used = [
    ...new Set(placedSteps(steps).flatMap(({ step }) => (step.type === 'action' ? [step.connectionId] : []))),
  ].filter(id => rows.some(({ connectionId }) => connectionId === id))
  const lists = useQueries({
    queries: used.map(connectionId => api.actions.list.queryOptions({ input: { connectionId } })),
  })
  const actions = new Map(used.map((id, index) => [id, lists[index]?.data ?? null]))
  const none: readonly Action[] = []
  const known: Known | null =
    isKnown && lists.every(({ data }) => data !== undefined)
      ? {
          connections: new Map(
            rows.map(({ connectionId, name, enabled, baseUrl }) => [
              connectionId,
              { name, enabled, baseUrl, actions: actions.get(connectionId) ?? none },
            ]),
          ),
          sample,
        }
      : null
  const nameOf = useCallback(
    (id: string) => rows.find(({ connectionId }) => connectionId === id)?.name ?? 'An unknown connection',
    [rows],
  )
  return {
    connections: rows,
    known,
    nameOf,
    actionsOf: (connectionId: string) => actions.get(connectionId) ?? null,
  }
}

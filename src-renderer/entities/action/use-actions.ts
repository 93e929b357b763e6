import { useQueries } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { Action } from '#shared/model/action.ts'
import { kindOf, type Step, walkSteps } from '#shared/workflows/steps/kinds.ts'
import { api } from '../../client/client.ts'

/** Returns the actions of a connection; null until they are loaded, or if the connection is unknown. */
export type ActionsOf = (connectionId: string) => readonly Action[] | null

/** Returns the ids of the connections whose actions the steps call, each once. */
export function calledConnections(steps: readonly Step[]): readonly string[] {
  const used = [...walkSteps(steps)].flatMap(({ step }) => kindOf(step).uses(step))
  return [...new Set(used.flatMap(({ connectionId, toolName }) => (toolName === null ? [] : connectionId)))]
}

/** Returns the ids of all connections that the steps name: those that they call, or sign with. */
export function usedConnections(steps: readonly Step[]): readonly string[] {
  return [...walkSteps(steps)].flatMap(({ step }) =>
    kindOf(step)
      .uses(step)
      .map(({ connectionId }) => connectionId),
  )
}

/** Loads the actions of connections. @param connectionIds keep the array as long as it does not change. */
export function useActions(connectionIds: readonly string[]): ActionsOf {
  const lists = useQueries({
    queries: connectionIds.map(connectionId => api.actions.list.queryOptions({ input: { connectionId } })),
    combine: dataOf,
  })
  return useCallback(
    connectionId => lists[connectionIds.indexOf(connectionId)] ?? null,
    [lists, connectionIds],
  )
}

// A stable function, so that the lists stay the same objects between renders.
const dataOf = (answers: readonly { readonly data: readonly Action[] | undefined }[]) =>
  answers.map(({ data }) => data ?? null)

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { LastTest } from '#shared/model/call.ts'
import { api } from '../../client/client.ts'
import { attentionOf, unsetNames } from './attention.ts'
import type { ActionRow } from './select-actions.ts'

const none: readonly never[] = []

/** The actions of a connection in the order of creation, with what they need a look for. */
export function useActions(connectionId: string): {
  readonly rows: readonly ActionRow[]
  readonly error: unknown
  readonly isPending: boolean
  readonly refetch: () => void
} {
  const actions = useQuery(api.actions.list.queryOptions({ input: { connectionId } }))
  const variables = useQuery(api.environment.list.queryOptions())
  const rows = useMemo(() => {
    const unset = unsetNames(variables.data ?? none)
    return (actions.data ?? none).map(action => ({ ...action, attention: attentionOf(action, unset) }))
  }, [actions.data, variables.data])
  return {
    rows,
    error: actions.error,
    isPending: actions.isPending,
    refetch: () => void actions.refetch(),
  }
}

/** The newest test of each action, by the action's id. */
/** The newest test of each action that has one; null until they are known. */
export function useLastTests(connectionId: string): ReadonlyMap<string, LastTest> | null {
  const { data } = useQuery(api.actions.lastTests.queryOptions({ input: { connectionId } }))
  return useMemo(
    () => (data === undefined ? null : new Map(data.tests.map(test => [test.actionId, test]))),
    [data],
  )
}

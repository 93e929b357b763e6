import { skipToken, useQuery } from '@tanstack/react-query'
import type { TestRecord } from '#shared/model/call.ts'
import { api } from '../../../client/client.ts'
import { useCurrentConnection } from '../../connections/current-connection.tsx'

const none: readonly TestRecord[] = []

/**
 * Returns the last tests of an action, newest first, as the service keeps them.
 *
 * @param actionId null for an action that is not created yet, which has none.
 */
export function useTests(actionId: string | null) {
  const { connectionId } = useCurrentConnection()
  const { data, error, isLoading } = useQuery(
    api.actions.tests.queryOptions({ input: actionId === null ? skipToken : { connectionId, actionId } }),
  )
  const tests = data?.tests ?? none
  return {
    tests,
    error,
    isReading: isLoading,
    newest: (fits: (test: TestRecord) => boolean) => tests.find(fits) ?? null,
  }
}

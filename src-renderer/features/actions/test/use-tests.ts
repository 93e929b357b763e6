import { useQuery } from '@tanstack/react-query'
import type { TestRecord } from '#shared/model/call.ts'
import { api } from '../../../client/client.ts'
import { useCurrentConnection } from '../../connections/current-connection.tsx'

const none: readonly TestRecord[] = []

/** The last tests of an action, newest first, as the service keeps them. */
export function useTests(actionId: string) {
  const { connectionId } = useCurrentConnection()
  const { data, error, isPending } = useQuery(
    api.actions.tests.queryOptions({ input: { connectionId, actionId } }),
  )
  const tests = data?.tests ?? none
  return {
    tests,
    error,
    isPending,
    newest: (fits: (test: TestRecord) => boolean) => tests.find(fits) ?? null,
  }
}

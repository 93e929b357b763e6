import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import type { TestRecord } from '#shared/model/call.ts'
import { api, client } from '../../../client/client.ts'
import { useCurrentConnection } from '../../connections/current-connection.tsx'
import type { FreshTest } from './shown-test.ts'

export type TestCall = ReturnType<typeof useTestCall>

/** Makes the test calls of an action, one at a time. The last answer outlasts the screen. */
export function useTestCall(actionId: string) {
  const { connectionId } = useCurrentConnection()
  const queries = useQueryClient()
  const [fresh, setFresh] = useSessionValue<FreshTest>('test', actionId)
  const [wasCancelled, setWasCancelled] = useState(false)
  const inFlight = useRef<AbortController | null>(null)

  const call = useMutation({
    async mutationFn(given: Record<string, unknown>) {
      const cancel = new AbortController()
      inFlight.current = cancel
      setWasCancelled(false)
      try {
        const result = await client.actions.test(
          // As text: what copies the arguments on the way would take a number that keeps its digits apart.
          { connectionId, actionId, argumentsText: JSON.stringify(given) },
          { signal: cancel.signal },
        )
        setFresh({ at: new Date().toISOString(), result })
      } catch (error) {
        if (!cancel.signal.aborted) throw error
        setWasCancelled(true)
      }
    },
    onSettled: () => {
      inFlight.current = null
      void queries.invalidateQueries({ queryKey: api.actions.tests.key() })
      void queries.invalidateQueries({ queryKey: api.actions.lastTests.key() })
    },
  })
  const sendAwaited = useEffectEvent(() => {
    const given = queries.getQueryData<Record<string, unknown>>(awaitedKey(actionId))
    queries.removeQueries({ queryKey: awaitedKey(actionId) })
    if (given !== undefined) call.mutate(given)
  })
  useEffect(() => sendAwaited(), [])

  return {
    fresh,
    isPending: call.isPending,
    /** Why the service could not even be asked; null otherwise. */
    error: call.error,
    wasCancelled,
    send: (given: Record<string, unknown>) => call.mutate(given),
    /** Leaves a call to the editor of an action that was created just now, which opens next. */
    sendOnceOpen: (created: string, given: Record<string, unknown>) =>
      queries.setQueryData(awaitedKey(created), given),
    /** Ends the call under way. The request may have arrived all the same. */
    cancel: () => inFlight.current?.abort(),
    /** Goes back from “cancelled” or an error to the tests that there are. */
    dismiss() {
      setWasCancelled(false)
      call.reset()
    },
  }
}

const awaitedKey = (actionId: string) => ['session', 'awaited', actionId]

/**
 * A value that outlasts its screen but not the page, such as what was typed into a form that is tried out.
 * It is read when the caller comes up; two callers at a time do not see each other's changes.
 */
function useSessionValue<T>(name: string, id: string): [T | undefined, (next: T) => void] {
  const queries = useQueryClient()
  const [value, setValue] = useState(() => queries.getQueryData<T>(['session', name, id]))
  const set = useCallback(
    (next: T) => {
      // A field that is typed into has to have its text at once, which the cache would bring a moment later.
      setValue(() => next)
      queries.setQueryDefaults(['session'], { gcTime: Number.POSITIVE_INFINITY })
      queries.setQueryData<T>(['session', name, id], () => next)
    },
    [queries, name, id],
  )
  return [value, set]
}

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

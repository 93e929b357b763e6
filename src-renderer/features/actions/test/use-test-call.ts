import { skipToken, useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { type TestRecord, testOf } from '#shared/model/call.ts'
import { api, client } from '../../../client/client.ts'
import { queries } from '../../../client/query-client.ts'
import { useCurrentConnection } from '../../../entities/connection/current-connection.tsx'
import type { FreshTest } from './shown-test.ts'

export type TestCall = ReturnType<typeof useTestCall>

/** Makes the test calls of an action, one at a time. The last result is kept when the screen is left. */
export function useTestCall(actionId: string) {
  const { connectionId } = useCurrentConnection()
  const [fresh, setFresh] = useFreshTest(actionId)
  const [wasCancelled, setWasCancelled] = useState(false)
  const inFlight = useRef<AbortController | null>(null)

  const call = useMutation({
    async mutationFn(given: Record<string, unknown>) {
      const cancel = new AbortController()
      inFlight.current = cancel
      setWasCancelled(false)
      try {
        const result = await client.actions.test(
          // As text, because the transport would copy an exact number as an object.
          { connectionId, actionId, argumentsText: JSON.stringify(given) },
          { signal: cancel.signal },
        )
        setFresh({ callId: result.callId, at: new Date().toISOString(), result })
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
    /** The error of a request that did not reach the service. */
    error: call.error,
    wasCancelled,
    send: (given: Record<string, unknown>) => call.mutate(given),
    /** Lets the editor of a new action, which opens next, make the call. */
    sendOnceOpen: (created: string, given: Record<string, unknown>) =>
      queries.setQueryData(awaitedKey(created), given),
    /** Cancels the call. The request may already have arrived. */
    cancel: () => inFlight.current?.abort(),
    /** Returns from “cancelled” or an error to the last result. */
    dismiss() {
      setWasCancelled(false)
      call.reset()
    },
  }
}

const awaitedKey = (actionId: string) => ['session', 'awaited', actionId]

/** Keeps the result of the last test while the page is open. Its state is read when the caller mounts. */
function useFreshTest(actionId: string): [FreshTest | undefined, (next: FreshTest) => void] {
  const key = ['session', 'test', actionId]
  const [fresh, setFresh] = useState(() => queries.getQueryData<FreshTest>(key))
  return [
    fresh,
    next => {
      setFresh(next)
      queries.setQueryData<FreshTest>(key, next)
    },
  ]
}

const none: readonly TestRecord[] = []

/** Returns the last tests of an action, newest first. An action that is not created yet has the id null and no tests. */
export function useTests(actionId: string | null) {
  const { connectionId } = useCurrentConnection()
  const { data, error, isLoading } = useQuery(
    api.actions.tests.queryOptions({ input: actionId === null ? skipToken : { connectionId, actionId } }),
  )
  return { tests: data?.tests ?? none, error, isReading: isLoading }
}

/** Returns a chosen test that is not among the newest; null for none, and while it is read. */
export function useOlderTest(
  chosen: string | null,
  tests: readonly TestRecord[],
  fresh: FreshTest | undefined,
) {
  const isOlder =
    chosen !== null && chosen !== fresh?.callId && !tests.some(({ callId }) => callId === chosen)
  const { data, isLoading } = useQuery(
    api.calls.get.queryOptions({
      input: isOlder ? { callId: chosen } : skipToken,
      staleTime: Number.POSITIVE_INFINITY,
    }),
  )
  return { test: isOlder && data !== undefined ? testOf(data) : null, isReading: isLoading }
}

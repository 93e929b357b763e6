import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ErrorCode } from '#shared/errors.ts'
import { problemOf } from '../ui/problem.ts'
import { api } from './client.ts'
import { useLiveState } from './live-provider.tsx'

const askEveryMs = 10_000
const askAgainMs = 2000

/** Asks the service whether it can store events. */
export const useHealth = () =>
  useQuery(
    api.health.get.queryOptions({
      // It is asked again soon, and nobody has to wait to hear of it.
      retry: false,
      refetchInterval: ({ state }) => (troubleOf(state.error) === null ? askEveryMs : askAgainMs),
    }),
  )

/** Why nothing can be read at present, for a time. */
export type Trouble = 'service' | 'storage'

const troubles = new Map<string, Trouble>(
  Object.entries({ service_unreachable: 'service', storage_unavailable: 'storage' } satisfies Partial<
    Record<ErrorCode, Trouble>
  >),
)

/** Returns what an error is a sign of; null if it lasts. */
export const troubleOf = (error: unknown): Trouble | null =>
  error === null ? null : (troubles.get(problemOf(error).code) ?? null)

/** Returns whether the service does not answer at all. A stream may be lost alone, such as behind a proxy. */
export function useIsAway(): boolean {
  const { error, refetch } = useHealth()
  const isLost = useLiveState() === 'lost'
  useEffect(() => {
    if (isLost) void refetch()
  }, [isLost, refetch])
  return troubleOf(error) === 'service'
}

/**
 * Returns why what is shown may be old: the service does not answer, or cannot use its storage. A live stream may
 * outlast both: behind a load balancer, it is of one node, and other requests are of another.
 */
export function useTrouble(): Trouble | null {
  const live = useLiveState()
  const { error } = useHealth()
  return live === 'lost' ? 'service' : troubleOf(error)
}

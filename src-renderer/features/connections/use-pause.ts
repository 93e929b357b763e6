import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { useNow } from '../../ui/use-now.ts'

/** Returns until when the open connection takes no calls, and the present time; null if it is not paused. */
export function usePause(): { readonly until: number; readonly now: number } | null {
  const { pausedUntil } = useCurrentConnection()
  const until = pausedUntil === null ? 0 : Date.parse(pausedUntil)
  const now = useNow(pausedUntil === null ? 60_000 : 1000)
  return until > now ? { until, now } : null
}

import { useCurrentConnection } from '../../entities/connection/current-connection.tsx'
import { useDerivedNow } from '../../ui/use-now.ts'

/** Returns until when the open connection takes no calls; null if it is not paused. */
export function usePausedUntil(): string | null {
  const { pausedUntil } = useCurrentConnection()
  return useDerivedNow(now => (pausedUntil !== null && Date.parse(pausedUntil) > now ? pausedUntil : null))
}

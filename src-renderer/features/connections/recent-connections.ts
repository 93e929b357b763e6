import { z } from 'zod'
import { useKept } from '../../ui/use-kept.ts'

const maxRecent = 5
const Kept = z.array(z.string())
const none: string[] = []

/** Ids of the connections opened last, newest first, as this browser remembers them. */
export function useRecentConnections(): readonly [readonly string[], (connectionId: string) => void] {
  const [recent, keep] = useKept('recent', Kept, none)
  const open = (connectionId: string) => {
    if (recent[0] === connectionId) return
    keep([connectionId, ...recent.filter(id => id !== connectionId)].slice(0, maxRecent))
  }
  return [recent, open]
}

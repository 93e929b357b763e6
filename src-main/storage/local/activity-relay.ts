import { createBus } from '#main/lib/bus.ts'
import type { ActivityRelay, RelayedItem } from '../activity-relay.ts'

/** Passes items on within one process, where nobody follows as a rule. @param onError receives what a listener throws. */
export function createActivityRelay(onError: (error: unknown) => void): ActivityRelay {
  const sent = createBus<{ readonly node: string; readonly items: readonly RelayedItem[] }>(onError)
  const followers = new Set<{ readonly node: string }>()
  return {
    isFollowed(node) {
      for (const follower of followers) if (follower.node !== node) return true
      return false
    },
    send: (node, items) => sent.publish({ node, items }),
    follow(node, listener) {
      const follower = { node }
      followers.add(follower)
      const stop = sent.subscribe(message => {
        if (message.node !== node) listener(message.items)
      })
      return () => {
        followers.delete(follower)
        stop()
      }
    },
  }
}

import { idOf } from '#main/lib/sequence.ts'
import { createThrottle } from '#main/lib/throttle.ts'
import type { ActivityRelay, RelayedItem } from '#main/storage/activity-relay.ts'
import type { ActivityItem } from '#shared/model/activity.ts'

/** Passes the activity of a node on to others, and theirs to its readers. */
export type Exchange = ReturnType<typeof createExchange>

const sendEveryMs = 250
/** The maximum number of items sent at a time. Other nodes only learn how many more there are. */
const mostItems = 200

/** @param node the id of this node. */
export function createExchange(relay: ActivityRelay, node: string) {
  let items: RelayedItem[] = []
  let missed = 0
  let readers = 0
  let stopFollowing = () => {}

  const { ask, stop } = createThrottle(sendEveryMs, () => {
    relay.send(node, items)
    items = []
    missed = 0
  })

  /** Counts an item instead of sending it. The last place is of all that were counted. */
  function skip({ number }: RelayedItem, at: number): void {
    missed += missed === 0 ? 2 : 1
    const gap: ActivityItem = {
      type: 'activity.missed',
      id: idOf('', number),
      at: new Date(at).toISOString(),
      count: missed,
    }
    items[mostItems - 1] = { number, connectionId: null, item: JSON.stringify(gap) }
  }

  return {
    isFollowed: () => relay.isFollowed(node),
    /** Sends an item within a quarter of a second. @param at milliseconds since 1970. */
    send(item: RelayedItem, at: number) {
      if (items.length < mostItems) items.push(item)
      else skip(item, at)
      ask()
    },
    /**
     * Follows the other nodes while somebody reads here. Returns the function that a reader calls at its end.
     *
     * @param take receives their items, once for all readers.
     */
    read(take: (items: readonly RelayedItem[]) => void): () => void {
      if (readers++ === 0) stopFollowing = relay.follow(node, take)
      let isReading = true
      return () => {
        if (isReading && --readers === 0) stopFollowing()
        isReading = false
      }
    },
    stop,
  }
}

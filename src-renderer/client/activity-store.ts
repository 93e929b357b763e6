import type { ActivityItem } from '#shared/model/activity.ts'

/** How many items a screen holds at most; the service keeps a thousand, a long watch adds to them. */
const maxItems = 20_000

export type ActivitySnapshot = {
  /** Whose activity it is; null while nobody watches any. */
  readonly connectionId: string | null
  /** Oldest first. */
  readonly items: readonly ActivityItem[]
}

/** What a screen has seen of one connection's activity, for `useSyncExternalStore`. */
export type ActivityStore = {
  snapshot(): ActivitySnapshot
  subscribe(listener: () => void): () => void
  /** Starts over with the activity of this connection; keeps the items if it is the same one. */
  watch(connectionId: string | null): void
  add(item: ActivityItem): void
}

/** @param schedule runs a function soon, so that many items in a row are shown in one go. */
export function createActivityStore(schedule: (flush: () => void) => void): ActivityStore {
  let shown: ActivitySnapshot = { connectionId: null, items: [] }
  let waiting: ActivityItem[] = []
  let scheduled = false
  const listeners = new Set<() => void>()

  function show(next: ActivitySnapshot): void {
    shown = next
    for (const listener of listeners) listener()
  }

  function flush(): void {
    scheduled = false
    if (waiting.length === 0) return
    const items = [...shown.items, ...waiting]
    waiting = []
    show({ ...shown, items: items.length > maxItems ? items.slice(-maxItems) : items })
  }

  return {
    snapshot: () => shown,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    watch(connectionId) {
      if (connectionId === shown.connectionId) return
      waiting = []
      show({ connectionId, items: [] })
    },
    add(item) {
      waiting.push(item)
      if (scheduled) return
      scheduled = true
      schedule(flush)
    },
  }
}

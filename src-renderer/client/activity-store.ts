import type { ActivityItem } from '#shared/model/activity.ts'

/** How many items a screen holds at most; the service keeps a thousand, a long watch adds to them. */
const maxItems = 20_000

type Diagnosed = Extract<ActivityItem, { type: 'event.diagnosed' }>
/** An item that is a row of its own: a diagnosis is shown with its refused request. */
export type ActivityRecord = Exclude<ActivityItem, Diagnosed>

export type ActivitySnapshot = {
  /** Whose activity it is; null while nobody watches any. */
  readonly connectionId: string | null
  /** Oldest first. */
  readonly items: readonly ActivityRecord[]
}

/** What a screen has seen of one connection's activity, for `useSyncExternalStore`. */
type ActivityStore = {
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
    const items = withDiagnoses([...shown.items, ...waiting.filter(isRecord)], waiting.filter(isDiagnosed))
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

const isDiagnosed = (item: ActivityItem): item is Diagnosed => item.type === 'event.diagnosed'
const isRecord = (item: ActivityItem): item is ActivityRecord => item.type !== 'event.diagnosed'

/** Returns the items with each diagnosis at the refused request that it is about. */
function withDiagnoses(
  items: readonly ActivityRecord[],
  diagnosed: readonly Diagnosed[],
): readonly ActivityRecord[] {
  if (diagnosed.length === 0) return items
  const byAttempt = new Map(diagnosed.map(({ attemptId, diagnosis }) => [attemptId, diagnosis]))
  return items.map(item => {
    const diagnosis = item.type === 'event.rejected' ? byAttempt.get(item.attemptId ?? '') : undefined
    return item.type === 'event.rejected' && diagnosis !== undefined ? { ...item, diagnosis } : item
  })
}

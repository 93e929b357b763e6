import type { ActivityItem } from '#shared/model/activity.ts'

/** Maximum number of items that a screen holds. The service sends up to a thousand; new ones are added to them. */
const maxItems = 20_000

type Diagnosed = Extract<ActivityItem, { type: 'event.diagnosed' }>
/** An item with its own row: a diagnosis is shown in the row of its refused request. */
export type ActivityRecord = Exclude<ActivityItem, Diagnosed>

export type ActivitySnapshot = {
  /** The connection; null while no screen watches any. */
  readonly connectionId: string | null
  /** Oldest first. */
  readonly items: readonly ActivityRecord[]
}

/** The activity of one connection, for `useSyncExternalStore`. */
type ActivityStore = {
  snapshot(): ActivitySnapshot
  subscribe(listener: () => void): () => void
  /** Empties the store for another connection; keeps the items of the same one. */
  watch(connectionId: string | null): void
  add(item: ActivityItem): void
}

/** Milliseconds between two renders of a busy feed: each looks at all of its items. */
const everyMs = 250

/**
 * Returns a function that runs another one before the next paint, and at most four times a second. It is an argument of
 * `createActivityStore`.
 */
export function throttledFrames(): (flush: () => void) => void {
  let lastAt = Number.NEGATIVE_INFINITY
  return flush => {
    const waitMs = Math.max(0, lastAt + everyMs - performance.now())
    const run = () =>
      requestAnimationFrame(now => {
        lastAt = now
        flush()
      })
    if (waitMs === 0) run()
    else setTimeout(run, waitMs)
  }
}

/** @param schedule runs a function soon, so that several items are shown in one render. */
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

/** Adds each diagnosis to the refused request that it is about. */
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

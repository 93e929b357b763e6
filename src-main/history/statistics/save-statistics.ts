import type { Bus } from '#main/lib/bus.ts'
import { messageOf } from '#main/lib/file-system.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import { createThrottle } from '#main/lib/throttle.ts'
import type { NodeCounts, StatisticsStore } from '#main/storage/statistics.ts'

/**
 * Saves the counts of a node when they have changed, as often as the store allows, and at the end.
 *
 * @param changes publishes the id of a connection whose counts have changed.
 * @param onProblem receives the reason why they cannot be saved, once until they are; the next change tries again.
 * @returns a function that saves what has changed and stops.
 */
export function saveStatistics(
  store: Pick<StatisticsStore, 'save' | 'restAfter'>,
  node: string,
  { changes, ...counts }: NodeCounts & { readonly changes: Pick<Bus<string>, 'subscribe'> },
  onProblem: (notice: string) => void,
): () => Promise<void> {
  let changed = new Set<string>()
  let isFailing = false
  const inTurn = createSerialQueue()

  async function write(): Promise<void> {
    if (changed.size === 0) return
    const saving = changed
    changed = new Set()
    try {
      await store.save(node, counts, saving)
      isFailing = false
    } catch (error) {
      for (const connectionId of saving) changed.add(connectionId)
      if (!isFailing) onProblem(`The statistics cannot be saved: ${messageOf(error)}`)
      isFailing = true
    }
  }

  const throttle = createThrottle(
    () => store.restAfter(changed.size),
    () => void inTurn(write),
  )
  const unsubscribe = changes.subscribe(connectionId => {
    changed.add(connectionId)
    throttle.ask()
  })
  return () => {
    unsubscribe()
    throttle.stop()
    return inTurn(write)
  }
}

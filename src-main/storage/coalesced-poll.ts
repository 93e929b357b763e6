/**
 * Returns a function that polls a store for what has changed, and once more if it was called meanwhile. A poll that
 * fails is left out: the next one finds the same.
 */
export function createCoalescedPoll(poll: () => Promise<void>): () => void {
  let isPolling = false
  let isRequested = false
  async function pollNow(): Promise<void> {
    do {
      isRequested = false
      await poll().catch(() => {})
    } while (isRequested)
    isPolling = false
  }
  return () => {
    isRequested = true
    if (isPolling) return
    isPolling = true
    void pollNow()
  }
}

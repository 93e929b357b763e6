/**
 * Returns a function that looks at the database for what has changed, and once more if it was called meanwhile. A look that
 * fails is left out: the next one finds the same.
 */
export function createLooks(look: () => Promise<void>): () => void {
  let isLooking = false
  let isAskedAgain = false
  async function lookNow(): Promise<void> {
    do {
      isAskedAgain = false
      await look().catch(() => {})
    } while (isAskedAgain)
    isLooking = false
  }
  return () => {
    isAskedAgain = true
    if (isLooking) return
    isLooking = true
    void lookNow()
  }
}

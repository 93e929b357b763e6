/**
 * Generates the numbers in ids, synchronously. They grow with time, and never repeat: not after a restart, not if the
 * clock was set back, and not in other processes on the same storage. Every implementation must pass
 * test/storage/ids-contract.ts.
 */
export type Ids = {
  /** Returns the number of the next event, larger than those of all stored events. */
  event(): number
  /** Returns the number for the next id of another kind (an attempt, a call, a message), or item of the activity. */
  number(): number
}

export type HousekeepingStep = {
  /** Identifies the step on all nodes. */
  readonly name: string
  /** Milliseconds before the first run, and between two runs. */
  readonly everyMs: number
  /** Milliseconds before the next run after one that failed, if they are more than `everyMs`. */
  readonly retryMs: number
}

/**
 * Carries out recurring work on what all nodes share. Every implementation must pass
 * test/storage/housekeeping-contract.ts.
 */
export type Housekeeping = {
  /**
   * Carries out a step again and again, on one node at a time of those that were told to: a node that finds the step
   * under way elsewhere skips its turn, and if one stops or dies, another goes on. Steps of other names do not wait for
   * it. An error of `run` is reported.
   *
   * A node that loses its storage for a while may be replaced before it notices, so `run` must be safe to repeat.
   *
   * @returns the function that ends it on this node; it resolves when a run under way here has ended.
   */
  every(step: HousekeepingStep, run: () => Promise<unknown>): () => Promise<void>
}

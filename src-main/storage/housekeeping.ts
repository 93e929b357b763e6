import { setTimeout as delay } from 'node:timers/promises'

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
   * it. An error of `run` is reported, unless the node was told to end the step.
   *
   * A node that loses its storage for a while may be replaced before it notices, so `run` must be safe to repeat.
   *
   * @returns the function that ends it on this node; it resolves when a run under way here has ended.
   */
  every(step: HousekeepingStep, run: () => Promise<unknown>): () => Promise<void>
}

/** Runs a step, unless it is under way on any node. Rejects with the error of the step. */
export type RunAlone = (name: string, run: () => Promise<unknown>) => Promise<void>

/**
 * Creates the housekeeping of a node.
 *
 * @param stopMs milliseconds for which the end waits for a run under way; null for no limit.
 */
export function createHousekeeping(
  runAlone: RunAlone,
  onError: (error: unknown) => void,
  stopMs: number | null = null,
): Housekeeping {
  return {
    every({ name, everyMs, retryMs }, run) {
      let isStopped = false
      let running = Promise.resolve()
      let timer = turnAfter(everyMs)

      function turnAfter(ms: number): NodeJS.Timeout {
        return setTimeout(() => {
          running = turn()
        }, ms).unref()
      }

      async function turn(): Promise<void> {
        let ms = everyMs
        try {
          await runAlone(name, run)
        } catch (error) {
          ms = Math.max(everyMs, retryMs)
          if (!isStopped) onError(error)
        }
        if (!isStopped) timer = turnAfter(ms)
      }

      return async () => {
        isStopped = true
        clearTimeout(timer)
        await (stopMs === null ? running : Promise.race([running, delay(stopMs, undefined, { ref: false })]))
      }
    },
  }
}

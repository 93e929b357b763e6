import type { Bus } from '#main/lib/bus.ts'
import type { Config } from './config.ts'
import type { ConfigDiff } from './config-diff.ts'

export type ConfigChange<Result> = { readonly next: Config; readonly result: Result }
/**
 * Follows the diff rather than walking through all records: an update costs its listeners only what it changes. The diffs
 * form a chain: `previous` is the `next` of the call before, so a listener that applies each of them misses nothing.
 */
export type ConfigListener = (next: Config, previous: Config, diff: ConfigDiff) => void

/**
 * The store of the configuration. A change is one transactional update that creates the next immutable snapshot. Every
 * implementation must pass test/storage/config-store-contract.ts.
 */
export type ConfigStore = {
  /** Returns the present configuration: deeply immutable, in memory, at no cost. */
  snapshot(): Config
  /**
   * Applies `change` to the present snapshot, makes the result durable, and only then makes it the snapshot and announces
   * it. Updates run one after another; `change` is pure and sees all earlier ones. If `change` throws, or the write
   * fails, the snapshot stays. If `change` returns the same snapshot, nothing is written or announced. A record that no
   * update has changed stays the same object, because caches are keyed by it.
   *
   * @throws the error of `change`; ServiceError `storage_unavailable` if the write fails.
   */
  update<Result>(change: (config: Config) => ConfigChange<Result>): Promise<Result>
  /**
   * Calls `listener` after each update, in order, before the update resolves. Its errors are reported and stop nothing.
   *
   * @returns the function that ends it.
   */
  onChange(listener: ConfigListener): () => void
  /** Returns the number of changes announced since the store was opened. */
  changeCount(): number
  /** Publishes after changes once all nodes that live have them: a reader may then ask any node. */
  readonly everywhere: Pick<Bus<void>, 'subscribe' | 'count'>
  /** Waits for running updates. Later ones are refused with `storage_unavailable`. */
  close(): Promise<void>
}

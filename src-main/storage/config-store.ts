import type { Config } from './config.ts'

export type ConfigChange<Result> = { readonly next: Config; readonly result: Result }
export type ConfigListener = (next: Config, previous: Config) => void

/**
 * Where the configuration is kept. Readers take `snapshot()`, which never changes; a change is one
 * transactional update that gives the next snapshot. test/storage/config-store-contract.ts is what any
 * implementation must pass.
 */
export type ConfigStore = {
  /** The present configuration: deeply immutable, in memory, at no cost. */
  snapshot(): Config
  /**
   * Applies `change` to the present snapshot, makes the outcome durable, and only then makes it the
   * snapshot and announces it. Updates run one after another; `change` is pure and sees every earlier one.
   * When `change` throws, or nothing could be written, the snapshot stays as it was. When `change` gives the
   * very snapshot back, nothing is written or announced.
   * @throws what `change` throws; ServiceError `storage_unavailable` when it cannot be written.
   */
  update<Result>(change: (config: Config) => ConfigChange<Result>): Promise<Result>
  /**
   * Calls `listener` after each update, in order, before the update resolves. What it throws is reported and
   * stops nothing. @returns the function that stops it.
   */
  onChange(listener: ConfigListener): () => void
  /** Waits for the updates under way; later ones are refused with `storage_unavailable`. */
  close(): Promise<void>
}

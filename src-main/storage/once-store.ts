/** How many texts of a kind are kept. A new one drops the oldest. */
export const mostOnce = 100

/**
 * Texts that can be taken once, on any node. A restart or a crash of the storage may lose them. Methods reject with
 * `storage_unavailable` if the storage fails.
 */
export type OnceStore = {
  /**
   * Keeps a text until somebody takes it, in place of an earlier one of this kind and key.
   *
   * @param lifeMs milliseconds until it is dropped, by the storage's clock.
   */
  put(kind: string, key: string, text: string, lifeMs: number): Promise<void>
  /** Returns a text to the first that takes it; null to all others, and if its time is over or it is unknown. */
  take(kind: string, key: string): Promise<string | null>
}

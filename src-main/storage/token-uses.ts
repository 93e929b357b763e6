/** Stands for the token of the metrics among the tokens. Its uses need not survive a restart: scrapes go on. */
export const metricsTokenId = 'metrics'

/**
 * When each client token was last used, on any node. Derived data: a node knows its own uses exactly, and those of
 * others up to ten minutes late, which is also what a crash may lose. Every implementation must pass
 * test/storage/token-uses-contract.ts.
 */
export type TokenUses = {
  /** Notes that a token was used. Never waits and never fails. @param at milliseconds since 1970. */
  used(tokenId: string, at: number): void
  /** Returns the time of each token's last use, by tokenId; those of deleted tokens may be among them. */
  all(): Promise<ReadonlyMap<string, number>>
}

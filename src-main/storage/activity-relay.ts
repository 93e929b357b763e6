/** An item of one node's activity, for the readers on others. */
export type RelayedItem = {
  /** The number in the item's id. */
  readonly number: number
  /** Null for no connection. */
  readonly connectionId: string | null
  /** The item as JSON; null if others may only know that something happened. */
  readonly item: string | null
}

/**
 * Passes what happens on a node on to readers on other nodes, while there are any: as a rule within half a second, within
 * two seconds at most. Lists are read from the stores, so items may be lost in a crash. `node` is the id of a node. Every
 * implementation must pass test/storage/activity-relay-contract.ts.
 */
export type ActivityRelay = {
  /** Returns whether another node than this one follows. Answers at once, from what the node knows. */
  isFollowed(node: string): boolean
  /** Sends items to the nodes that follow. Never waits and never fails. */
  send(node: string, items: readonly RelayedItem[]): void
  /**
   * Calls back with the items that other nodes than this one send from now on, those of each node in its order. Returns
   * the function that ends this.
   */
  follow(node: string, listener: (items: readonly RelayedItem[]) => void): () => void
}

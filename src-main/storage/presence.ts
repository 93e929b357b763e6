/**
 * The texts that each node shows the others while it lives, one for each topic. Ephemeral: a crash of the storage hides
 * them for some seconds. `node` is the id of a node. Every implementation must pass test/storage/presence-contract.ts.
 */
export type Presence = {
  /**
   * Notes that what a node shows has changed. Never waits and never fails.
   *
   * @param read returns the text, or null for none; called soon and now and then, until the node shows something else.
   */
  show(node: string, topic: string, read: () => string | null): void
  /**
   * Calls back with the texts of the other nodes than this one, if there are any, and whenever one has changed: about two
   * seconds later at the latest, and about 20 seconds after a node has died. Returns the function that ends this.
   */
  follow(node: string, topic: string, listener: (texts: readonly string[]) => void): () => void
}

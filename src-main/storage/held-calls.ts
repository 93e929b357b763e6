import type { Bus } from '#main/lib/bus.ts'

/** A call that waits on one node until somebody decides about it, on any node. */
export type HeldCall = {
  /** Unique over all kinds. */
  readonly id: string
  /** Calls of one kind are listed together and share their bounds. */
  readonly kind: string
  /** JSON: what lists show. */
  readonly doc: string
  /** The part of `mostSize` that the call takes. */
  readonly size: number
  /**
   * Milliseconds since 1970 by the storage's clock; null for no end. The node that holds the call ends it by then, so the
   * store deletes it only if that node no longer lives.
   */
  readonly expiresAt: number | null
}

/** Bounds of all waiting calls of a kind, over all nodes. */
export type HeldBounds = { readonly most: number; readonly mostSize: number }

/**
 * A decision. `decision` is a text that the store does not read. It may contain a secret that a person has typed, so
 * whatever writes it to a disk encrypts it.
 */
export type DecidedCall = { readonly id: string; readonly decision: string }

/**
 * The calls that wait for a decision. They end with the node that holds them: from then on nobody can decide about them.
 * While it lives, they survive a restart of the database. Methods reject with `storage_unavailable` if the storage fails.
 */
export type HeldCallStore = {
  /**
   * Holds a call until `end`. Returns false, and does nothing, if the calls of its kind would exceed the bounds.
   *
   * @param bounds null for none.
   */
  hold(call: HeldCall, bounds: HeldBounds | null): Promise<boolean>
  /** Returns the calls of a kind that wait, on all nodes, the oldest first; none that is decided. */
  list(kind: string): Promise<HeldCall[]>
  /** Decides about a call that waits. Only one of several decisions, on any nodes, gets the call; the others get null. */
  decide(kind: string, id: string, decision: string): Promise<HeldCall | null>
  /**
   * Calls back with each decision about a call that this node holds: in milliseconds as a rule, after a second at the
   * latest. Where the decision is made on the same node, before `decide` resolves. Returns the end of the subscription.
   */
  onDecided(listener: (decided: DecidedCall) => void): () => void
  /** Ends a call, so that nobody can decide about it any more. Returns the decision, if there was one before. */
  end(id: string): Promise<string | null>
  /** Publishes a kind when its list has changed, also by other nodes; within a second. */
  readonly changes: Bus<string>
}

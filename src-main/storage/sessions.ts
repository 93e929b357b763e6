/** How many sessions are kept. A new one ends the oldest. */
export const mostSessions = 100

/**
 * The sessions of the dashboard, by digests from which nobody can sign in: open on all nodes, and after a restart.
 * Methods reject with `storage_unavailable` if the storage fails.
 */
export type SessionStore = {
  /**
   * Starts a session, and ends the oldest ones above `mostSessions`. When it resolves, the session is open on all nodes.
   *
   * @param digest 64 hexadecimal digits. @param lifeMs milliseconds until it ends by itself, by the storage's clock.
   */
  add(digest: string, lifeMs: number): Promise<void>
  isOpen(digest: string): Promise<boolean>
  /** Ends a session, if it is open. When it resolves, the session is closed on all nodes, also after a restart. */
  end(digest: string): Promise<void>
  /**
   * Calls back once when a session is over, whatever ended it: immediately if it ends on this node or is not open, within
   * about a second if it ends on another one. An end by time may be noticed a minute late, when the clock was set or the
   * computer slept. Returns a function that removes the callback.
   */
  onOver(digest: string, callback: () => void): () => void
}

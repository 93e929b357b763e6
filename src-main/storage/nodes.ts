import type { NodeList } from '#shared/model/nodes.ts'

/** The report of a node about itself. */
export type NodeReport = {
  /** Whether it accepts events. */
  readonly isReady: boolean
  /** Runs that it carries out. */
  readonly runsUnderWay: number
  /** Events that it has accepted, of the last seconds. */
  readonly eventsPerSecond: number
  /** Bytes of the disk with its data folder; null if they are not known. */
  readonly disk: { readonly free: number; readonly size: number } | null
  /** When the certificate of its listener ends, as ISO 8601; null without one. */
  readonly certificateEndsAt: string | null
}

/** The processes that share a storage. A process that was killed is listed as lost for a day. */
export type NodeStore = {
  /** Identifies this node in everything that nodes keep or send. New at each start; its name is for people. */
  readonly id: string
  /**
   * Returns how many nodes may be making calls, this one included, as of its last heartbeat; at least 1. More than there are
   * until the others count this one too.
   */
  living(): number
  list(): Promise<NodeList>
  /** Takes a lost node off the list. @throws ServiceError `node_not_found`, `node_not_lost`, `storage_unavailable`. */
  forget(nodeId: string): Promise<void>
  /** Sets the function that returns what this node tells of itself, from now on. */
  report(of: () => NodeReport): void
  /** Tells the others that this node stops soon. Resolves when they can know; also if the database cannot be reached. */
  drain(): Promise<void>
}

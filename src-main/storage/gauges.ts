/** How many connections to the database a process uses, keeps open, and waits for. */
export type DatabaseConnections = Readonly<Record<'used' | 'idle' | 'waiting', number>>

/** Numbers about a storage, for the metrics of this process. */
export type StorageGauges = {
  /** Returns how many accepted events wait here to become durable. Synchronous. */
  eventsWaiting(): number
  /** Returns the connections to the database; null without one. Synchronous. */
  connections(): DatabaseConnections | null
  /** Returns the bytes that each store takes on its disk. */
  bytes(): Promise<Readonly<Record<string, number>>>
}

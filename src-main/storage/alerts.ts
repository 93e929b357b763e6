/** An alert as it is stored. Times are in milliseconds since 1970. */
export type StoredAlert = {
  /** The number in its id; grows with time. */
  readonly number: number
  readonly kind: string
  /** Identifies its subject among those of its kind. Only one alert of a kind and a subject is open. */
  readonly subject: string
  readonly workspaceId: string
  readonly connectionId: string | null
  readonly openedAt: number
  readonly closedAt: number | null
  /** Whether its latest transition was told to its targets, or is to be told to none. */
  readonly isTold: boolean
  /** Until when it is muted; 0 if it is not. */
  readonly mutedUntil: number
  /** JSON: the rest. */
  readonly doc: string
}

/** `mutedUntil` of an alert that is muted until it closes. */
export const mutedForGood = Number.MAX_SAFE_INTEGER

/** The memory that a step leaves for the next one. */
export type AlertMemory = {
  /** When the step has written it; 0 if none has. */
  readonly at: number
  /** JSON. */
  readonly doc: string
}

export type AlertWrite = {
  /** `at` of the memory that the step has read. */
  readonly readAt: number
  readonly memory: AlertMemory
  /** New alerts, and those that have changed: all but whether they are muted. */
  readonly alerts: readonly StoredAlert[]
}

export type AlertQuery = {
  readonly state: 'open' | 'closed' | 'all'
  readonly kind?: string | undefined
  readonly workspaceId?: string | undefined
  readonly connectionId?: string | undefined
  /** Only older ones than this number. */
  readonly before: number
  readonly limit: number
}

/** The limits of closed alerts, beyond which the oldest are deleted. */
export const closedAlerts = { days: 90, most: 10_000 } as const

/** The alerts of the service. Every implementation must pass test/storage/alerts-contract.ts. */
export type AlertStore = {
  /** Returns the memory of the step, the open alerts, and those that were not told yet, oldest first. */
  load(): Promise<{ readonly memory: AlertMemory; readonly alerts: readonly StoredAlert[] }>
  /**
   * Writes what a step has decided, in one transaction. Returns false, and changes nothing, if another step has written
   * since this one has read. A second open alert of a kind and a subject is left out.
   *
   * @throws if it cannot be written.
   */
  write(write: AlertWrite): Promise<boolean>
  /** Notes that the latest transition of an alert was told, unless another one has followed. */
  told(alert: Pick<StoredAlert, 'number' | 'closedAt'>): Promise<void>
  get(number: number): Promise<StoredAlert | null>
  /** Returns the newest first. */
  list(query: AlertQuery): Promise<readonly StoredAlert[]>
  /** Mutes an open alert, or no longer mutes it (0). Returns whether it is open. @throws if it cannot be written. */
  mute(number: number, until: number): Promise<boolean>
  /** Returns how many are open, by kind. */
  countOpen(): Promise<Readonly<Record<string, number>>>
  /** Deletes closed alerts beyond `closedAlerts`. @param before the oldest time that is kept. */
  prune(before: number): Promise<void>
}

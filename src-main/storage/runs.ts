/** Whether it waits for its first attempt, for a later one, is under way, or has ended in one of three ways. */
export const runStates = ['waiting', 'retrying', 'running', 'succeeded', 'failed', 'cancelled'] as const
export type RunState = (typeof runStates)[number]

/** A run of a workflow that is to be started. */
export type NewRun = {
  readonly workflowId: string
  readonly workspaceId: string
  readonly connectionId: string
  /** Runs of one lane share its limit. */
  readonly lane: string
  /** Milliseconds since 1970, as the others below. */
  readonly queuedAt: number
  /** Before this time it is not claimed; at once when absent. */
  readonly dueAt?: number
  /** JSON: what lists show. */
  readonly summary: string
  /** JSON: what the run works on. */
  readonly data: string
}

export type Run = Omit<NewRun, 'dueAt' | 'data'> & {
  /** `run_` + 11 base-36 digits; grows, so it is also the key for paging. */
  readonly runId: string
  /** Null for one that no event has started. */
  readonly eventId: string | null
  readonly state: RunState
  /** When the next attempt is due, or the lease of a running one ends; null for at once, and for one that has ended. */
  readonly dueAt: number | null
  /** How often it was claimed. */
  readonly attempt: number
  readonly startedAt: number | null
  readonly endedAt: number | null
  /** Why the last attempt failed. */
  readonly error: string | null
}

export type ClaimedRun = Run & { readonly data: string }

export type Claimed = {
  readonly runs: readonly ClaimedRun[]
  /** When the next run is due; null if none is, or if more runs may be due now. */
  readonly nextDueAt: number | null
}

/** Proves that a run is the caller's: a later claim has a higher attempt, and takes the run away. */
export type RunClaim = Pick<Run, 'runId' | 'attempt'>

/** UTF-16 units of a step's input or output at most; of a longer one the beginning is kept. */
export const maxStepText = 256 * 1024

/** One attempt at a step. */
export type RunStep = {
  /** Names the step in its run, the iterations of loops included. */
  readonly path: string
  readonly type: string
  readonly attempt: number
  readonly startedAt: number
  readonly endedAt: number | null
  readonly input: string | null
  readonly output: string | null
  readonly error: string | null
  readonly callId: string | null
  /** Variables of its templates that had no value. */
  readonly absent: readonly string[]
  /** Set where input or output was longer than `maxStepText`. */
  readonly isCut?: true
}

export type RunDetails = Run & {
  /** Null once it was discarded. */
  readonly data: string | null
  /** In the order in which they were recorded first, the attempts at a step in theirs. */
  readonly steps: readonly RunStep[]
}

export type RunEnd = {
  readonly state: 'succeeded' | 'failed' | 'cancelled'
  readonly endedAt: number
  readonly error: string | null
  /** Whether the data and each step's input and output are deleted; times, errors and attempts stay. */
  readonly discard: boolean
}

export type RunQuery = {
  readonly workflowId?: string | undefined
  readonly connectionId?: string | undefined
  readonly state?: RunState | undefined
  /** Only runs older than this one; it need not exist any more. */
  readonly before?: string | undefined
  /** 1 to 200. */
  readonly limit: number
}

export type RunPage = {
  /** Newest first. */
  readonly runs: Run[]
  /** `before` of the next page; null when there is none. */
  readonly nextBefore: string | null
}

/** How many runs of a lane run at once; `ordered`: one, in the order of their events, and a retry holds up the rest. */
export type LaneLimit = number | 'ordered'

/** Finished runs beyond either bound are deleted, the oldest first, in small steps. */
export type RunBounds = { readonly mostPerWorkflow: number; readonly maxAgeMs: number }

/**
 * The durable queue of workflow runs and their history. A run that an event starts is stored in the event's own
 * transaction (`EventLog.append`). Every run is claimed at least once: a claim is a lease, and one that is not renewed
 * ends. Whatever takes a claim gives false, and changes nothing, once the run is no longer the caller's.
 * test/storage/runs-contract.ts is what any implementation must pass.
 */
export type RunStore = {
  /**
   * Starts runs whose event is not stored; they are durable when it resolves.
   *
   * @param eventId of the event; null for runs that no event has started.
   * @returns the ids of the runs.
   * @throws ServiceError `unavailable`; RangeError for a text that is not an event id.
   */
  start(runs: readonly NewRun[], eventId: string | null): Promise<string[]>
  /** Sets the limit of a lane from now on; a lane that was never set runs one at a time. 0 holds its runs back. */
  setLane(lane: string, limit: LaneLimit): void
  /**
   * Takes up to `room` runs that are due, each lane in turn: retries first, then the longest due.
   *
   * @param now milliseconds since 1970; a lease that has ended by then makes its run claimable again.
   */
  claim(now: number, room: number, leaseMs: number): Promise<Claimed>
  /** Moves the end of leases. @returns the ids of the runs that are still the caller's. */
  renew(claims: readonly RunClaim[], leaseEndsAt: number): Promise<string[]>
  /** Records attempts at steps; a record of the same attempt is replaced. */
  record(claim: RunClaim, steps: readonly RunStep[]): Promise<boolean>
  /** Records steps and gives the run back until it is due again: a retry after an error, or a wait. */
  retryAt(claim: RunClaim, dueAt: number, error: string | null, steps?: readonly RunStep[]): Promise<boolean>
  /** Records steps and ends the run. */
  finish(claim: RunClaim, end: RunEnd, steps?: readonly RunStep[]): Promise<boolean>
  /** Ends a run whoever has claimed it. @returns false for one that has ended, or does not exist. */
  cancel(runId: string, end: Pick<RunEnd, 'endedAt' | 'discard'>): Promise<boolean>
  /** Makes a failed or cancelled run claimable again. @returns false for any other, and without its data. */
  reopen(runId: string): Promise<boolean>
  /** Deletes all runs of a connection. None of them is claimed any more, and a claimed one is no longer the caller's. */
  forget(connectionId: string): Promise<void>
  get(runId: string): Promise<RunDetails | null>
  list(query: RunQuery): Promise<RunPage>
}

import type { Bus } from '#main/lib/bus.ts'
import type { RunSearch } from '#shared/model/run.ts'
import type { DeduplicationKey } from './deduplication-key.ts'
import type { Searched } from './searched.ts'

/** `waiting` for the first attempt, `retrying` for a later one, `running`, or ended in one of three ways. */
export const runStates = ['waiting', 'retrying', 'running', 'succeeded', 'failed', 'cancelled'] as const
export type RunState = (typeof runStates)[number]

/** A workflow run to start. */
export type NewRun = {
  readonly workflowId: string
  readonly workspaceId: string
  /** Null for a run that belongs to no connection. */
  readonly connectionId: string | null
  /** Runs of one lane share its limit. */
  readonly lane: string
  /** Milliseconds since 1970, as the others below. */
  readonly queuedAt: number
  /** It is not claimed before this time; absent for at once. */
  readonly dueAt?: number
  /** A JSON object: what lists show. `eventName` can be searched. */
  readonly summary: string
  /** The input of the run: the body of an event, `{event, data}`. */
  readonly data: string
  /** For a run that has ended already: it is stored as one that was claimed once, with its steps, and is not queued. */
  readonly ended?: EndedRun
  /** The run is left out if another one has this key already. */
  readonly deduplicationKey?: DeduplicationKey
}

/**
 * The runs that an event starts of many workflows, one of each, with ids that grow in this order. They are stored as one
 * record, and become runs of their own as they are claimed. Until then each is listed, found and counted as waiting.
 */
export type FanOut = Omit<NewRun, 'workflowId' | 'lane' | 'dueAt' | 'ended' | 'deduplicationKey'> & {
  /** Each is the lane of its run. Events that start the same workflows share this array. */
  readonly workflowIds: readonly string[]
}

/** The runs that an event starts. */
export type NewRuns = readonly (NewRun | FanOut)[]

/** The outcome of storing an event's runs. */
export type Started = {
  /** The id of each run; for a fan-out, that of its first run; for a duplicate, that of the run that has its key. */
  readonly ids: readonly string[]
  /** The indexes of the duplicates: runs that were left out because another one has their key. */
  readonly duplicates: ReadonlySet<number>
  /** Whether nothing was stored, because an earlier event has the event's own key. */
  readonly isRepeated: boolean
  /** The earlier event; missing if it is not known, because an earlier version has kept its key. */
  readonly repeatOf?: string
}

export const isFanOut = (run: NewRun | FanOut): run is FanOut => 'workflowIds' in run

export type Run = Omit<NewRun, 'dueAt' | 'data' | 'ended' | 'deduplicationKey'> & {
  /** `run_` + 11 base-36 digits; grows, so it is also the key for paging. */
  readonly runId: string
  /** Null if no event started it. */
  readonly eventId: string | null
  readonly state: RunState
  /** When the next attempt is due, or the lease of the running one ends; null for at once and for an ended run. */
  readonly dueAt: number | null
  /** How often it was claimed: the number of its latest claim. */
  readonly claimNumber: number
  readonly startedAt: number | null
  readonly endedAt: number | null
  /** Why the last attempt failed. */
  readonly error: string | null
}

export type ClaimedRun = Run & {
  readonly data: string
  /**
   * Set for a run of a fan-out that `endPending` may end. Its claim need not be durable: it may be claimed again after a
   * crash as if for the first time, unless `endPending` has ended it or another method with the claim has changed it.
   */
  readonly isPending?: true
  /** Set if its lane is cancelled, also where the configuration does not say so yet: it may not be due. It is to be ended. */
  readonly isCancelled?: true
}

export type ListedRun = Run & {
  /** A recognizable value of the data (subjectOf); null if there is none, or the data is long or was discarded. */
  readonly subject: string | null
  /** How often the step that began last was attempted; 1 for a run without steps. */
  readonly stepAttempts: number
}

export type Claimed = {
  readonly runs: readonly ClaimedRun[]
  /** When the next run is due; null if none is, or if more runs may be due now. */
  readonly nextDueAt: number | null
  /** The runs that the claim has ended by its `decide`; all have succeeded. */
  readonly ended?: readonly Run[]
}

/** Identifies the owners of a run. */
export type RunOwner = Pick<Run, 'workflowId' | 'workspaceId' | 'connectionId'>

/** Identifies a claim: a later claim of the same run has a higher number and invalidates this one. */
export type RunClaim = Pick<Run, 'runId' | 'claimNumber'>

/** Maximum number of UTF-16 units of a step's input or output; longer ones are shortened. */
export const maxStepText = 256 * 1024

/** One attempt at a step. */
export type RunStep = {
  /** Names the step in its run, including the iterations of loops. */
  readonly path: string
  readonly type: string
  readonly attempt: number
  readonly startedAt: number
  readonly endedAt: number | null
  readonly input: string | null
  /** As it is shown. */
  readonly output: string | null
  /** Set for an attempt of which neither input nor output is shown. */
  readonly isPrivate?: true
  /**
   * The output itself, sealed, if it is not shown as it is. Null once it was deleted, which the end of the run does. It is
   * never shortened.
   */
  readonly sealed?: string | null
  /** The parts of its call that later steps read, as they are shown, as JSON; absent for none. */
  readonly call?: string | undefined
  readonly error: string | null
  readonly callId: string | null
  /** Variables of its templates without a value. */
  readonly absent: readonly string[]
  /** Set if input or output was longer than `maxStepText`. */
  readonly isCut?: true
}

export type RunDetails = ListedRun & {
  /** Null after it was discarded. */
  readonly data: string | null
  /** In the order in which they were first recorded. */
  readonly steps: readonly RunStep[]
  /** Stored events that started no run, because this one has their key. */
  readonly duplicates: number
}

export type RunEnd = {
  readonly state: 'succeeded' | 'failed' | 'cancelled'
  readonly endedAt: number
  readonly error: string | null
  /** Whether to delete the data and each step's input and output. Times, errors and attempts stay. */
  readonly discard: boolean
  /** Whether to delete the sealed outputs of its steps. */
  readonly unseal?: boolean
}

/** How a run ended, and its steps. */
export type EndedRun = RunEnd & { readonly steps: readonly RunStep[] }

/** A pending run that has ended, with all its steps. */
export type EndedPending = RunClaim & { readonly startedAt: number; readonly ended: EndedRun }

/** The filters of the contract, as the store takes them. */
export type RunFilters = Omit<RunSearch, 'workflowId' | 'connectionId' | 'status' | 'since'> & {
  readonly workflowIds?: readonly string[] | undefined
  /** Null for runs that belong to no connection. */
  readonly connectionId?: string | null | undefined
  readonly state?: RunState | undefined
}

export type RunQuery = RunFilters & {
  /** Only runs that were started at this time or later, in milliseconds since 1970. */
  readonly since?: number | undefined
  /** Only runs older than this one, which need not exist any more. */
  readonly before?: string | undefined
  /** 1 to 200. */
  readonly limit: number
}

/** The runs that are counted. */
export type RunSelection = Pick<RunQuery, 'workspaceId' | 'workflowIds' | 'since'>

export type RunPage = {
  /** Newest first. There may be fewer than the limit, or none, on any page: a page checks a bounded number of runs. */
  readonly runs: ListedRun[]
  /** `before` of the next page; null if this is the last. */
  readonly nextBefore: string | null
  /** Absent for a full page, and for the last one. */
  readonly searched?: Searched
  /** The ids of runs in this range that cannot be read; absent if there are none. */
  readonly damaged?: readonly string[]
}

/** The runs of a lane that have not ended. */
export type LaneCounts = { readonly lane: string } & Readonly<
  Record<'waiting' | 'retrying' | 'running', number>
>

export type EndedCounts = Readonly<Record<RunEnd['state'], number>>

/** The ended runs in a workflow's own lane, named by its id, that are kept. Tests run in another lane. */
export type WorkflowFigures = {
  readonly workflowId: string
  /** The runs that ended in each of the 24 clock hours (UTC) up to the current one, oldest first. */
  readonly hours: readonly Pick<EndedCounts, 'succeeded' | 'failed'>[]
  /** Those that failed in the last 60 minutes, or in the minute before them. */
  readonly failedLastHour: number
  /**
   * 95 of 100 runs that succeeded in those 24 hours took no longer, in milliseconds; rounded up by less than 1/32 from
   * 64 ms on. Null without any.
   */
  readonly p95Ms: number | null
  /** The newest run, which need not have ended. */
  readonly lastRun: Pick<Run, 'runId' | 'state' | 'queuedAt' | 'startedAt' | 'endedAt'> | null
}

/** The outcomes of the newest runs of a workflow, tests included, at most `mostRunsOfFigures`. */
export type StepFigures = {
  /** Those that have begun. */
  readonly runs: number
  readonly steps: readonly {
    readonly key: string
    /** Runs that attempted the step. */
    readonly runs: number
    /** Runs in which the last attempt at it failed. */
    readonly failures: number
  }[]
}
export const mostRunsOfFigures = 1000

/**
 * How many runs of a lane may run at once: 1 if no limit was set, and none for 0. `ordered`: one, in the order of their events; a retry delays the others.
 * `cancelled`: the lane's runs can be claimed before they are due, since a claim only cancels them.
 */
export type LaneLimit = number | 'ordered' | 'cancelled'
export type LaneLimits = readonly (readonly [lane: string, limit: LaneLimit])[]

/** Finished runs beyond either bound are deleted in small steps, the oldest first. */
export type RunBounds = { readonly mostPerWorkflow: number; readonly maxAgeMs: number }

/** Ends a run that only decides; returns null for any other. */
export type Decide = (run: ClaimedRun) => Promise<EndedRun | null> | EndedRun | null

/**
 * The durable queue of workflow runs and their history. The run of an event is stored in the event's own transaction
 * (`EventLog.append`). Every run is claimed at least once: a claim is a lease, by the store's clock. It ends unless it is
 * renewed, and the run is then claimable again. A method with a claim returns false, and changes nothing, if the run is
 * no longer the caller's. Every implementation must pass test/storage/runs-contract.ts and search-contract.ts.
 */
export type RunStore = {
  /**
   * Starts runs whose event is not stored. They are durable when it resolves.
   *
   * @param eventId of the event; null if no event started them.
   * @param key a key of the event: if it is kept already, no run is started.
   * @throws ServiceError `unavailable`; RangeError for a text that is not an event id.
   */
  start(runs: NewRuns, eventId: string | null, key?: DeduplicationKey): Promise<Started>
  /**
   * Publishes the id of each run that was claimed or changed, when that is durable; null after runs were stored, ended
   * together or forgotten. Changes in other processes may be missing, or come late: to wait for one, read again each second.
   */
  readonly changes: Bus<string | null>
  /**
   * Publishes the claim of each run that was cancelled, here or by another process. Like `changes`, it may miss one there:
   * `renew` then tells it.
   */
  readonly cancelled: Bus<RunClaim>
  /** Returns whether events or new runs wait to become durable. */
  isAppending(): boolean
  /**
   * Claims up to `room` due runs, from each lane in turn: retries first, then the longest due. It may claim fewer, so that
   * a lane's runs of fan-outs are claimed together. The limits of lanes are those of the configuration
   * (`StorageOptions.lanesOf`): after an update has resolved, no run is claimed by earlier ones.
   *
   * @param decide ends the run of a fan-out that needs no execution, and returns null for any other. A store may end by it
   *   those that succeed, each as one that was claimed once, instead of returning them.
   */
  claim(room: number, leaseMs: number, decide?: Decide): Promise<Claimed>
  /** Extends leases: they end `leaseMs` from now. Returns the ids of the runs that are still the caller's. */
  renew(claims: readonly RunClaim[], leaseMs: number): Promise<string[]>
  /** Records attempts at steps; a record of the same attempt is replaced. */
  record(claim: RunClaim, steps: readonly RunStep[]): Promise<boolean>
  /** Records steps and returns the run to the queue until it is due: a retry after an error, or a wait. */
  retryAt(claim: RunClaim, dueAt: number, error: string | null, steps?: readonly RunStep[]): Promise<boolean>
  /** Records steps and ends the run. */
  finish(claim: RunClaim, end: RunEnd, steps?: readonly RunStep[]): Promise<boolean>
  /** Ends claimed runs of fan-outs, each as one that was claimed once. Returns for each whether it was still the caller's. */
  endPending(runs: readonly EndedPending[]): Promise<boolean[]>
  /** Ends a run, also one that somebody has claimed, and deletes its sealed outputs. Returns false if it has ended or does not exist. */
  cancel(runId: string, end: Pick<RunEnd, 'endedAt' | 'discard'>): Promise<boolean>
  /**
   * Makes a failed or cancelled run claimable again, and one that waits for its next attempt claimable at once. Returns
   * false for any other run, and if its data was discarded.
   *
   * @param summary replaces that of a run that had ended.
   */
  reopen(runId: string, summary?: string): Promise<boolean>
  /** Makes a run claimable at once that waits for its next attempt. Returns false for any other run. */
  hurry(runId: string): Promise<boolean>
  /** Drops the keys of a workflow or a connection. A kill may leave some, which expire. */
  forgetKeys(scope: string): Promise<void>
  /** Deletes all runs of a connection, and its keys. Waiting runs are no longer claimed, and claims of running ones end. */
  forget(connectionId: string): Promise<void>
  /** @throws ServiceError `damaged_run` if the run exists but cannot be read. */
  get(runId: string): Promise<RunDetails | null>
  list(query: RunQuery): Promise<RunPage>
  /** Counts the runs that have not ended, from counters. Lanes without any are left out. */
  laneCounts(): Promise<LaneCounts[]>
  /**
   * Returns since when the run is due that has waited longest, in milliseconds since 1970; null if none is due. Lanes that
   * may run none are left out, and runs that were taken back from a process, or that wait for a retry of an ordered lane.
   *
   * @param now milliseconds since 1970.
   */
  oldestDue(now: number): Promise<number | null>
  /** Counts ended runs. */
  countEnded(query: RunSelection): Promise<EndedCounts>
  /** @param now milliseconds since 1970. */
  figures(workflowIds: readonly string[], now: number): Promise<WorkflowFigures[]>
  stepFigures(workflowId: string): Promise<StepFigures>
}

import { z } from 'zod'
import { minuteMs } from '#shared/durations.ts'
import { DiagnosisCode } from '#shared/model/diagnosis.ts'
import { AttemptId, EventId } from '#shared/model/identifiers.ts'
import { hoursShown } from '#shared/model/statistics.ts'
import { Measured, mergeMeasured, notMeasured } from './measured.ts'

/** Milliseconds since 1970. */
const Time = z.int()
const Hours = z.array(z.int().min(0).max(0xffff_ffff)).length(hoursShown)
/** The newest durations in milliseconds, oldest first. */
const Durations = z.array(z.number().min(0))

/** How many buckets the last hour has, and the milliseconds of one. */
export const recentBuckets = 12
export const recentMs = 5 * minuteMs
const Buckets = z.array(z.int().min(0).max(0xffff_ffff)).length(recentBuckets)
const noBuckets = () => new Array<number>(recentBuckets).fill(0)
const RecentCounts = z.object({
  upTo: z.int().min(0).describe('The last of the buckets, in 5 minutes since 1970.'),
  accepted: Buckets.describe('Events and repeats.'),
  refused: Buckets.describe('Without those for which the service, or who runs it, is the reason.'),
  calls: Buckets.describe('Without tests.'),
  callsFailed: Buckets,
  callsNotMade: Buckets.default(noBuckets),
  runs: z.array(z.object({ workflowId: z.string(), ended: Buckets, failed: Buckets })).default([]),
})
/** The counts of one connection in the last hour. */
export type RecentCounts = z.infer<typeof RecentCounts>

const nothingRecent = (): RecentCounts => ({
  ...{ upTo: 0, accepted: noBuckets(), refused: noBuckets(), runs: [] },
  ...{ calls: noBuckets(), callsFailed: noBuckets(), callsNotMade: noBuckets() },
})

export const SavedCounts = z.object({
  upToHour: z.int().min(0).describe('The last of the hours, in hours since 1970.'),
  accepted: Hours,
  rejected: Hours,
  calls: Hours,
  callsOk: Hours,
  callsNotMade: Hours.default(() => new Array<number>(hoursShown).fill(0)),
  oldSecret: Hours,
  lastOldSecretAt: Time,
  answerTimes: Durations,
  callTimes: Durations,
  lastEvent: z.object({ eventId: EventId, eventName: z.string(), at: Time }).nullable(),
  lastRejection: z
    .object({
      at: Time,
      attemptId: AttemptId.nullable(),
      code: z.string(),
      diagnosis: DiagnosisCode.nullable(),
    })
    .nullable(),
  eventNames: z.array(z.object({ eventName: z.string(), lastAt: Time, hours: Hours })),
  /** Version 0.2.0 has none. */
  recent: RecentCounts.default(nothingRecent),
  measured: Measured.default(notMeasured),
})
/** The counts of one connection in the last 24 hours. */
export type SavedCounts = z.infer<typeof SavedCounts>

/** The counts of one node. */
export type NodeCounts = {
  /** When it began, in milliseconds since 1970. */
  since(): number
  connectionIds(): Iterable<string>
  /** Returns null for a connection without counts, for example a deleted one. */
  countsOf(connectionId: string): SavedCounts | null
}

export type LoadedCounts = {
  /** When counting began, in milliseconds since 1970; null if there are no counts. */
  readonly since: number | null
  readonly connections: ReadonlyMap<string, SavedCounts>
}

/** The counts of other nodes by connection, merged; null where there are none any more. */
export type OtherCounts = ReadonlyMap<string, SavedCounts | null>

/**
 * The statistics of all connections: derived data; a crash may lose the newest. Each node counts for itself and saves
 * that; a reader adds what the other nodes have saved. `node` is the id of a node.
 */
export type StatisticsStore = {
  /** Returns for how many milliseconds a node that has saved so many connections saves nothing. */
  restAfter(connections: number): number
  /**
   * Returns the counts that a node continues as its own, for example those of the run before. No other node gets them.
   * Never rejects: without them, counting begins again.
   */
  load(node: string): Promise<LoadedCounts>
  /**
   * Saves what a node has counted.
   *
   * @param counts of all its connections; may be read until the node's next save.
   * @param changed the ids of the connections whose counts have changed or gone since its last save.
   * @throws if it cannot be saved; the message says where.
   */
  save(node: string, counts: NodeCounts, changed: ReadonlySet<string>): Promise<void>
  /**
   * Calls back with what the other nodes than this one have saved: with everything there is, then with each change, some
   * seconds after it was saved at the latest. Returns the function that ends this.
   */
  follow(node: string, listener: (others: OtherCounts) => void): () => void
}

/** Durations that are kept of an operation. */
export const mostDurations = 256

/** Returns the counts of two nodes as those of one. The 24 hours end with the later hour of the two. */
export function mergeCounts(one: SavedCounts, two: SavedCounts): SavedCounts {
  const upToHour = Math.max(one.upToHour, two.upToHour)
  const sum = adder(one.upToHour, two.upToHour)
  const none = new Array<number>(hoursShown).fill(0)
  const named = (counts: SavedCounts) => new Map(counts.eventNames.map(name => [name.eventName, name]))
  const [ones, twos] = [named(one), named(two)]
  return {
    upToHour,
    accepted: sum(one.accepted, two.accepted),
    rejected: sum(one.rejected, two.rejected),
    calls: sum(one.calls, two.calls),
    callsOk: sum(one.callsOk, two.callsOk),
    callsNotMade: sum(one.callsNotMade, two.callsNotMade),
    oldSecret: sum(one.oldSecret, two.oldSecret),
    lastOldSecretAt: Math.max(one.lastOldSecretAt, two.lastOldSecretAt),
    answerTimes: newestOfBoth(one.answerTimes, two.answerTimes),
    callTimes: newestOfBoth(one.callTimes, two.callTimes),
    lastEvent: laterOf(one.lastEvent, two.lastEvent),
    lastRejection: laterOf(one.lastRejection, two.lastRejection),
    eventNames: [...new Set([...ones.keys(), ...twos.keys()])].map(eventName => {
      const [a, b] = [ones.get(eventName), twos.get(eventName)]
      return {
        eventName,
        lastAt: Math.max(a?.lastAt ?? 0, b?.lastAt ?? 0),
        hours: sum(a?.hours ?? none, b?.hours ?? none),
      }
    }),
    recent: mergeRecent(one.recent, two.recent),
    measured: mergeMeasured(one.measured, two.measured),
  }
}

function mergeRecent(one: RecentCounts, two: RecentCounts): RecentCounts {
  const sum = adder(one.upTo, two.upTo)
  return {
    upTo: Math.max(one.upTo, two.upTo),
    accepted: sum(one.accepted, two.accepted),
    refused: sum(one.refused, two.refused),
    calls: sum(one.calls, two.calls),
    callsFailed: sum(one.callsFailed, two.callsFailed),
    callsNotMade: sum(one.callsNotMade, two.callsNotMade),
    runs: mergeRuns(one.runs, two.runs, sum),
  }
}

type RecentRuns = RecentCounts['runs']

function mergeRuns(ones: RecentRuns, twos: RecentRuns, sum: ReturnType<typeof adder>): RecentRuns {
  const none = noBuckets()
  const nothing = { ended: none, failed: none }
  const byId = (runs: RecentRuns) => new Map(runs.map(counts => [counts.workflowId, counts]))
  const [one, two] = [byId(ones), byId(twos)]
  return [...new Set([...one.keys(), ...two.keys()])].map(workflowId => {
    const [a, b] = [one.get(workflowId) ?? nothing, two.get(workflowId) ?? nothing]
    return { workflowId, ended: sum(a.ended, b.ended), failed: sum(a.failed, b.failed) }
  })
}

/** Returns what adds two lists of counts, whose last ones are of these times. The sums end with the later one. */
function adder(lastOfOnes: number, lastOfTwos: number) {
  const last = Math.max(lastOfOnes, lastOfTwos)
  const at = (counts: readonly number[], of: number, index: number) => counts[index + last - of] ?? 0
  return (ones: readonly number[], twos: readonly number[]) =>
    ones.map((_, index) => Math.min(at(ones, lastOfOnes, index) + at(twos, lastOfTwos, index), 0xffff_ffff))
}

/** Returns the newest durations of both. Which of the two are newer is unknown, so each gives about half of them. */
function newestOfBoth(ones: readonly number[], twos: readonly number[]): number[] {
  const half = mostDurations / 2
  const ofOne = Math.min(ones.length, Math.max(half, mostDurations - twos.length))
  const newest = (all: readonly number[], count: number) => all.slice(Math.max(0, all.length - count))
  return [...newest(ones, ofOne), ...newest(twos, mostDurations - ofOne)]
}

function laterOf<T extends { readonly at: number }>(one: T | null, two: T | null): T | null {
  if (one === null || two === null) return one ?? two
  return two.at > one.at ? two : one
}

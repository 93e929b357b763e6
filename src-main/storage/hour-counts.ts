import { isObject } from '#shared/json/exact-json.ts'
import { parseJson } from '#shared/json/parse-json.ts'

/** Durations are counted in 12 buckets. Each bound is the most milliseconds of its bucket; the last has all longer ones. */
export const answerBounds = [0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1000, 5000] as const
export const callBounds = [10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 120_000] as const

/** How often each of the 12 buckets was counted. Trailing zeros may be missing. */
type Buckets = number[]

/** The counts of one hour. */
export type HourCounts = {
  accepted: number
  /** Exact repeats that were answered and ignored. */
  repeated: number
  /** Accepted events that had the key of an earlier one. */
  duplicates: number
  /** By code. */
  refused: Record<string, number>
  /** By the class of the status, such as `2xx`, or the code of the error. */
  calls: Record<string, number>
  runs: { succeeded: number; failed: number; cancelled: number }
  answerMs: Buckets
  callMs: Buckets
  /** The events that started a workflow, or none, and the runs that failed, by `eventPair`; for connections only. */
  started: Pairs
  /** The calls that a workflow, a client or something else made of a tool, by `callPair`; for connections only. */
  called: Pairs
  /** Whether there were too many pairs, so that further ones are missing. */
  limited: boolean
}

type Pairs = Record<string, [count: number, failed: number]>

/** The pairs of a connection. */
export type PairCounts = Pick<HourCounts, 'started' | 'called' | 'limited'>

/** Maximum number of pairs in an hour. */
export const mostPairs = 2000

/** Returns the key of an event by its name. @param workflowId empty for an event that starts nothing. */
export const eventPair = (workflowId: string, eventName: string) => `${workflowId} ${eventName}`

/** Returns the key of a call of a tool. @param caller the id of a workflow, `client` for an MCP client, or empty. */
export const callPair = (caller: string, toolName: string) => `${caller} ${toolName}`

const pairsIn = ({ started, called }: PairCounts) => Object.keys(started).length + Object.keys(called).length

/** Counts a pair. A new one is left out if there are too many. */
export function countPair(
  into: HourCounts,
  of: 'started' | 'called',
  key: string,
  count: number,
  failed: number,
): void {
  const known = into[of][key]
  if (known !== undefined) {
    known[0] += count
    known[1] += failed
  } else if (!into.limited && pairsIn(into) < mostPairs) into[of][key] = [count, failed]
  else into.limited = true
}

export function emptyHour(): HourCounts {
  return {
    ...{ accepted: 0, repeated: 0, duplicates: 0, refused: {}, calls: {}, answerMs: [], callMs: [] },
    ...{ runs: { succeeded: 0, failed: 0, cancelled: 0 }, started: {}, called: {}, limited: false },
  }
}

/** Adds the counts of one hour to those of another. */
export function addHour(into: HourCounts, from: HourCounts): void {
  into.accepted += from.accepted
  into.repeated += from.repeated
  into.duplicates += from.duplicates
  addNamed(into.refused, from.refused)
  addNamed(into.calls, from.calls)
  addNamed(into.runs, from.runs)
  addBuckets(into.answerMs, from.answerMs)
  addBuckets(into.callMs, from.callMs)
  addPairs(into, from)
}

/** Does as `countPair` does for all pairs, without counting those that are there for each. */
export function addPairs(into: PairCounts, from: PairCounts): void {
  let room = mostPairs - pairsIn(into)
  for (const kind of ['started', 'called'] as const)
    for (const [key, [count, failed]] of Object.entries(from[kind])) {
      const known = into[kind][key]
      if (known !== undefined) {
        known[0] += count
        known[1] += failed
      } else if (!into.limited && room-- > 0) into[kind][key] = [count, failed]
      else into.limited = true
    }
  into.limited ||= from.limited
}

function addNamed(into: Record<string, number>, from: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(from)) into[name] = (into[name] ?? 0) + count
}

function addBuckets(into: Buckets, from: readonly number[]): void {
  for (const [index, count] of from.entries()) addToBucket(into, index, count)
}

function addToBucket(into: Buckets, index: number, count: number): void {
  while (into.length <= index) into.push(0)
  into[index] = (into[index] ?? 0) + count
}

/** Counts a duration. */
export function countDuration(into: Buckets, bounds: readonly number[], milliseconds: number): void {
  let index = 0
  while (index < bounds.length - 1 && milliseconds > (bounds[index] ?? 0)) index++
  addToBucket(into, index, 1)
}

/**
 * Returns the duration that this share of the counted ones does not exceed, between the bounds of its bucket; null
 * without any.
 */
export function quantileOf(
  buckets: readonly number[],
  bounds: readonly number[],
  share: number,
): number | null {
  const total = buckets.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let left = share * total
  let from = 0
  for (const [index, count] of buckets.entries()) {
    const to = bounds[index] ?? from
    if (count > 0 && left <= count) return from + ((to - from) * left) / count
    left -= count
    from = to
  }
  return from
}

/** Returns the counts as JSON with short names, without what is zero: there are millions of these texts. */
export const storedHour = (counts: HourCounts) => JSON.stringify(Object.fromEntries(somethingIn(counts)))

/** Returns whether nothing was counted. */
export const isEmptyHour = (counts: HourCounts) => somethingIn(counts).length === 0

function somethingIn({ accepted, repeated, duplicates, runs, limited, ...counts }: HourCounts) {
  const stored = {
    ...{ a: accepted, r: repeated, d: duplicates, x: counts.refused, c: counts.calls },
    n: withoutLastZeros([runs.succeeded, runs.failed, runs.cancelled]),
    ...{ t: counts.answerMs, u: counts.callMs, l: limited ? 1 : 0 },
    ...{ s: shortPairs(counts.started), e: shortPairs(counts.called) },
  }
  return Object.entries(stored).filter(([, value]) => !isNothing(value))
}

function withoutLastZeros(numbers: readonly number[]): readonly number[] {
  const last = numbers.findLastIndex(number => number !== 0)
  return numbers.slice(0, last + 1)
}

/** Returns pairs of which those without failures are only a number. */
const shortPairs = (pairs: Pairs) =>
  Object.fromEntries(
    Object.entries(pairs).map(([key, [count, failed]]) => [key, failed === 0 ? count : [count, failed]]),
  )

const isNothing = (value: number | object) =>
  typeof value === 'number' ? value === 0 : Object.values(value).every(one => one === 0)

/** Returns the counts of a stored text; zero for what is not there, or damaged. */
export function readHour(text: string): HourCounts {
  const { a, r, d, x, c, n, t, u, s, e, l } = recordOf(parseJson(text))
  const [succeeded = 0, failed = 0, cancelled = 0] = bucketsOf(n)
  return {
    ...{ accepted: countOf(a), repeated: countOf(r), duplicates: countOf(d) },
    ...{ refused: namedOf(x), calls: namedOf(c), runs: { succeeded, failed, cancelled } },
    ...{ answerMs: bucketsOf(t), callMs: bucketsOf(u) },
    ...{ started: pairsOf(s), called: pairsOf(e), limited: l === 1 },
  }
}

export const emptyPairs = (): PairCounts => ({ started: {}, called: {}, limited: false })

/** Returns the sum of pairs. One that has not all leaves out none of the others. */
export function sumPairs(parts: Iterable<PairCounts>): PairCounts {
  const sum = emptyPairs()
  let limited = false
  for (const part of parts) {
    limited ||= part.limited
    addPairs(sum, { ...part, limited: false })
  }
  return { ...sum, limited: sum.limited || limited }
}

/** Returns the pairs of a stored text. */
export function readPairs(text: string): PairCounts {
  const { s, e, l } = recordOf(parseJson(text))
  return { started: pairsOf(s), called: pairsOf(e), limited: l === 1 }
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})

const countOf = (value: unknown) => (Number.isSafeInteger(value) ? Math.max(0, Number(value)) : 0)

const namedOf = (value: unknown) =>
  Object.fromEntries(Object.entries(recordOf(value)).map(([name, count]) => [name, countOf(count)]))

function pairsOf(value: unknown): Pairs {
  const pairs: Pairs = {}
  for (const [key, pair] of Object.entries(recordOf(value)))
    pairs[key] = Array.isArray(pair) ? [countOf(pair[0]), countOf(pair[1])] : [countOf(pair), 0]
  return pairs
}

const bucketsOf = (value: unknown) =>
  Array.isArray(value) ? value.slice(0, answerBounds.length).map(countOf) : []

import { hourMs } from '#shared/durations.ts'
import { isSameLimit, type RateLimit } from '#shared/model/rate-limit.ts'

/** By when calls have arrived at the latest, and how many. */
type CallsArrived = [arrivedBy: number, calls: number]

/** The calls of a connection that count in its rate limit. All times are in milliseconds since 1970. */
export type CallWindow = {
  /** In no order. */
  readonly taken: readonly CallsArrived[]
  /** When the last of the callers that were told to come again comes; 0 for none. */
  readonly lineEnd: number
  /** The limit for which the line was made; absent from those of earlier versions. */
  readonly limit?: RateLimit | undefined
}

export const emptyWindow: CallWindow = { taken: [], lineEnd: 0 }

/** A call that wants to be sent. */
export type CallAsked = {
  /** Whether it comes again at the time that it is told. Then each of many is told another time. */
  readonly comesAgain: boolean
}

/**
 * `place` names the place that a call has taken, until its answer gives it back with `settleCalls`. Without room, the call
 * may come again at `dueAt`.
 */
export type CallRoom = { readonly place: number } | { readonly dueAt: number }

/** A call that was answered, or was not sent. */
export type CallSettled = { readonly place: number; readonly isSent: boolean }

/** A call without an answer counts as arrived after this time. */
export const arrivesWithinMs = 1000
/** Places are kept in steps of this part of the window. */
const steps = 50
/** Nobody is told to come later than this: who waits may have gone, and the limit may have changed. */
const longestLineMs = hourMs
/** The last part of the longest line. */
const spreadMs = hourMs / 4

/**
 * Returns which calls may be sent now, in the order of `asked`. No window of `perSeconds` then has more arrivals than
 * `calls`, whatever the calls need to arrive: each counts from the time at which it is asked until `perSeconds` after its
 * answer, or after `arrivesWithinMs`.
 */
export function takeRoom(
  window: CallWindow,
  limit: RateLimit,
  now: number,
  asked: readonly CallAsked[],
  latestMs = arrivesWithinMs,
): { readonly window: CallWindow; readonly rooms: readonly CallRoom[] } {
  const { calls, perSeconds } = limit
  const windowMs = perSeconds * 1000
  const place = stepAfter(now + latestMs, windowMs)
  const taken = new Map<number, number>()
  let used = 0
  for (const [arrivedBy, count] of window.taken) {
    if (arrivedBy + windowMs <= now) continue
    // After the clock was set back, a place may be far ahead.
    add(taken, Math.min(arrivedBy, place), count)
    used += count
  }
  const isLineLeft = isSameLimit(window.limit, limit) && window.lineEnd <= now + longestLineMs
  let lineEnd = isLineLeft ? window.lineEnd : 0
  const rooms = asked.map(({ comesAgain }): CallRoom => {
    if (used < calls) {
      // Those in a line fill the window. If it is half empty, they are gone.
      if (used < calls / 2) lineEnd = 0
      add(taken, place, 1)
      used++
      return { place }
    }
    const freeAt = nextFree(taken, used - calls, now, windowMs)
    if (!comesAgain) return { dueAt: freeAt }
    lineEnd = inLongestLine(lineEnd, Math.max(freeAt, lineEnd + windowMs / calls), now)
    return { dueAt: Math.ceil(lineEnd) }
  })
  return { window: { taken: [...taken], lineEnd, limit }, rooms }
}

/**
 * Returns a time in the line. Those who would come after its end are spread over its last part instead, or all of them
 * would come at that one time: each is the golden ratio of that part after the one before.
 */
function inLongestLine(before: number, next: number, now: number): number {
  const end = now + longestLineMs
  if (next <= end) return next
  const from = end - spreadMs
  return before < from ? end : from + ((before - from + 0.618 * spreadMs) % spreadMs)
}

/** Returns the window for callers that all come at once, and so make a new line. */
export const withoutLine = (window: CallWindow): CallWindow => ({ ...window, lineEnd: 0 })

/** Returns the window once calls were answered: they have arrived by now. Those that were not sent give their place back. */
export function settleCalls(
  window: CallWindow,
  { perSeconds }: RateLimit,
  now: number,
  settled: readonly CallSettled[],
): CallWindow {
  const taken = new Map(window.taken)
  const arrived = arrivedBy(now, perSeconds * 1000)
  for (const { place, isSent } of settled) {
    const count = taken.get(place) ?? 0
    if (count === 0 || (isSent && arrived >= place)) continue
    if (count === 1) taken.delete(place)
    else taken.set(place, count - 1)
    if (isSent) add(taken, arrived, 1)
  }
  return { ...window, taken: [...taken] }
}

/** Returns when the first `over` + 1 of the places will be free, if all calls under way are answered now. */
function nextFree(taken: ReadonlyMap<number, number>, over: number, now: number, windowMs: number): number {
  const arrived = arrivedBy(now, windowMs)
  const times = Array.from(taken, ([at, count]) => [Math.min(at, arrived), count] as const)
  let left = over
  for (const [at, count] of times.sort(([one], [two]) => one - two)) {
    left -= count
    if (left < 0) return at + windowMs
  }
  return now + windowMs
}

/** Returns by when a call has arrived that is answered now. Clocks drop parts of a millisecond. */
const arrivedBy = (now: number, windowMs: number) => stepAfter(now + 1, windowMs)

function stepAfter(at: number, windowMs: number): number {
  const step = Math.max(1, windowMs / steps)
  return Math.ceil(at / step) * step
}

function add(taken: Map<number, number>, at: number, count: number): void {
  taken.set(at, (taken.get(at) ?? 0) + count)
}

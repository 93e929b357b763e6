/** A stretch of time and the stretch of the axis that shows it. Both ends of the axis are shares of its width. */
type Part = {
  /** Milliseconds since 1970, as `to`, which is later. */
  readonly from: number
  readonly to: number
  readonly start: number
  readonly end: number
}

/** The time that a story shows: one part, or two with a cut between them. */
export type TimeAxis = {
  readonly parts: readonly [Part] | readonly [Part, Part]
  /** The present; null if nothing goes on. */
  readonly now: number | null
}

export type Tick = {
  readonly at: number
  readonly share: number
  /** Whether it is told in milliseconds since the beginning, not as a time of day. */
  readonly isSince: boolean
}

/** Milliseconds at the beginning that have a part of their own. */
const headMs = 250
/** A story that is no longer than this is shown as a whole. */
const wholeMs = 4 * headMs
const cut = { start: 0.43, end: 0.49 }
/** The room to the right of the last moment, for its mark. */
const last = 0.97
/** Ticks that are nearer to each other would overlap. */
const leastShare = 0.13
const headTicks = 3

/**
 * Returns the axis of a story. The first 250 ms have almost half of it, because a request and its first calls take
 * milliseconds; the time until something happens again is cut out.
 *
 * @param moments at which anything begins or ends, at least one.
 * @param now null if nothing goes on.
 */
export function timeAxis(moments: readonly number[], now: number | null): TimeAxis {
  const all = now === null ? moments : [...moments, now]
  let from = Number.POSITIVE_INFINITY
  let to = Number.NEGATIVE_INFINITY
  for (const at of all) {
    if (at < from) from = at
    if (at > to) to = at
  }
  if (to - from <= wholeMs) return { parts: [{ from, to: Math.max(to, from + 1), start: 0, end: last }], now }
  let again = to
  for (const at of all) if (at > from + headMs && at < again) again = at
  return {
    parts: [
      { from, to: from + headMs, start: 0, end: cut.start },
      { from: again, to: Math.max(to, again + 1), start: cut.end, end: last },
    ],
    now,
  }
}

/** Returns where a time is on the axis: 0 at its start, 1 at its end. */
export function shareOf({ parts }: TimeAxis, at: number): number {
  const [head, tail = head] = parts
  if (at <= head.to || tail === head) return within(head, at)
  if (at >= tail.from) return within(tail, at)
  return head.end + ((at - head.to) / (tail.from - head.to)) * (tail.start - head.end)
}

function within({ from, to, start, end }: Part, at: number): number {
  return start + Math.max(0, Math.min(1, (at - from) / (to - from))) * (end - start)
}

/** Returns what the cut leaves out, and where it is; null for an axis without one. */
export function cutOf({ parts }: TimeAxis): Part | null {
  const [head, tail] = parts
  return tail === undefined ? null : { from: head.to, to: tail.from, start: head.end, end: tail.start }
}

/** Returns the times to write above the axis, none of them so near to another or to the present that they overlap. */
export function ticksOf(axis: TimeAxis): readonly Tick[] {
  const [head, tail] = axis.parts
  const step = niceStep((head.to - head.from) / headTicks)
  const wanted: Tick[] = []
  for (let ms = 0; head.from + ms <= head.to; ms += step)
    wanted.push({ at: head.from + ms, share: shareOf(axis, head.from + ms), isSince: true })
  if (tail !== undefined)
    for (const at of [tail.from, tail.to]) wanted.push({ at, share: shareOf(axis, at), isSince: false })
  const taken = axis.now === null ? [] : [centerOf(shareOf(axis, axis.now))]
  return wanted.filter(({ share }) => {
    const center = centerOf(share)
    const isFree = taken.every(other => Math.abs(other - center) >= leastShare)
    if (isFree) taken.push(center)
    return isFree
  })
}

/** Returns where a tick ends up that is kept inside at an end of the axis: none of its text is beyond it. */
function centerOf(share: number): number {
  const place = tickPlace(share)
  return place === 'start' ? share + leastShare / 4 : place === 'end' ? share - leastShare / 2 : share
}

/** Returns at which end of the axis a tick is; undefined for one between them. */
export const tickPlace = (share: number) => (share < 0.05 ? 'start' : share > 0.9 ? 'end' : undefined)

/** Returns the least of 1, 2, 5, 10, 20 … that is not smaller. */
function niceStep(ms: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, ms)))
  return ([1, 2, 5, 10].find(factor => factor * power >= ms) ?? 10) * power
}

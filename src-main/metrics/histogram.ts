/** Counts durations in buckets. */
export type Histogram = ReturnType<typeof createHistogram>

/** @param bounds the upper bounds of the buckets in seconds, ascending. A duration belongs to all buckets it fits in. */
export function createHistogram(bounds: readonly number[]) {
  /** Those that fit in a bucket and not in the one before; the last place has those beyond all bounds. */
  const counts = new Float64Array(bounds.length + 1)
  const boundsMs = Float64Array.from(bounds, seconds => seconds * 1000)
  let sumMs = 0
  return {
    add(ms: number) {
      let bucket = 0
      while (bucket < boundsMs.length && ms > (boundsMs[bucket] ?? 0)) bucket++
      counts[bucket] = (counts[bucket] ?? 0) + 1
      sumMs += ms
    },
    /** Returns how many durations there were up to each bound, how many in all, and their sum in seconds. */
    read() {
      let count = 0
      const buckets = Array.from(counts, more => (count += more))
      return {
        buckets: bounds.map((bound, index) => ({ bound, count: buckets[index] ?? 0 })),
        count,
        sumSeconds: sumMs / 1000,
      }
    },
  }
}

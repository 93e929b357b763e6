import { hundredth } from '#main/lib/hundredth.ts'
import { mostDurations } from '#main/storage/statistics.ts'

/**
 * Keeps the newest durations of a repeated operation, for their median.
 *
 * @param before durations from before a restart, oldest first.
 */
export function createNewestTimes(before: readonly number[] = []) {
  const times = new Float32Array(mostDurations)
  let added = 0

  function add(milliseconds: number): void {
    times[added % mostDurations] = milliseconds
    added++
  }
  for (const milliseconds of before) add(milliseconds)

  function newestOf(count: number): Float32Array {
    const newest = new Float32Array(Math.min(count, added, mostDurations))
    const first = added - newest.length
    for (let index = 0; index < newest.length; index++)
      newest[index] = times[(first + index) % mostDurations] ?? 0
    return newest
  }

  return {
    add,
    /** Returns the newest `count` that are mostDurations, oldest first, to a hundredth. */
    list: (count: number) => Array.from(newestOf(count), hundredth),
    /** Returns their median, to a hundredth; null for none. */
    median(count: number): number | null {
      const newest = newestOf(count).sort()
      const size = newest.length
      if (size === 0) return null
      const upper = newest[size >> 1] ?? 0
      const lower = newest[(size - 1) >> 1] ?? 0
      return hundredth((lower + upper) / 2)
    },
  }
}

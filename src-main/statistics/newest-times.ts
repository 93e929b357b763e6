const kept = 256

/** The newest times of something that happens again and again, for their median. */
export type NewestTimes = {
  add(milliseconds: number): void
  /** The median of the newest `count`, as far as they are kept, to a hundredth; null without any. */
  median(count: number): number | null
}

export function createNewestTimes(): NewestTimes {
  const times = new Float32Array(kept)
  let added = 0
  return {
    add(milliseconds) {
      times[added % kept] = milliseconds
      added++
    },
    median(count) {
      const size = Math.min(count, added, kept)
      if (size === 0) return null
      const newest = new Float32Array(size)
      for (let index = 0; index < size; index++) newest[index] = times[(added - 1 - index) % kept] ?? 0
      newest.sort()
      const upper = newest[size >> 1] ?? 0
      const lower = newest[(size - 1) >> 1] ?? 0
      return Math.round((lower + upper) * 50) / 100
    },
  }
}

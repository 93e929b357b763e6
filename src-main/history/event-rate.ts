/** Seconds over which events are counted. */
const seconds = 10

/**
 * Counts events of the last seconds.
 *
 * @param clock milliseconds since 1970.
 */
export function createEventRate(clock: () => number) {
  const secondNow = () => Math.floor(clock() / 1000)
  const since = secondNow()
  const counts = Array.from({ length: seconds + 1 }, () => ({ second: -1, events: 0 }))
  return {
    count(): void {
      const second = secondNow()
      const slot = counts[second % counts.length]
      if (slot === undefined) return
      if (slot.second !== second) Object.assign(slot, { second, events: 0 })
      slot.events++
    },
    /** Returns events a second, of the last ten that have ended, or of those since the start. */
    perSecond(): number {
      const now = secondNow()
      const ended = counts.filter(({ second }) => second < now && second >= now - seconds)
      const events = ended.reduce((sum, slot) => sum + slot.events, 0)
      return events / Math.max(1, Math.min(seconds, now - since))
    },
  }
}

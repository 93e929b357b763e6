import { hourMs } from '#shared/durations.ts'
import { hoursShown } from '#shared/model/statistics.ts'

/** Returns the number of the clock hour (UTC) of a time, both since 1970. */
export function hourOf(ms: number): number {
  return Math.floor(ms / hourMs)
}

/**
 * Creates counters for each row and clock hour, of the 24 hours up to the newest hour that was counted.
 *
 * @param rows the initial number; a count in a later row adds rows.
 * @param size how many hours there are instead of 24, or of whatever else is counted in turn.
 * @param onClockBack called when the clock was set back by a day or more, so that all that was counted is in the future.
 */
export function createHourTable(rows: number, onClockBack = () => {}, size = hoursShown) {
  let counts = new Uint32Array(rows * size)
  let newest = 0

  const placeOf = (row: number, hour: number) => row * size + (hour % size)

  /** Clears the hours that leave the 24; all, if the clock moved by a day or more in either direction. */
  function moveTo(hour: number): void {
    if (Math.abs(hour - newest) >= size) counts.fill(0)
    else {
      for (let gone = newest + 1; gone <= hour; gone++)
        for (let place = placeOf(0, gone); place < counts.length; place += size) counts[place] = 0
    }
    if (hour <= newest - size) onClockBack()
    newest = hour
  }

  function grow(row: number): void {
    const larger = new Uint32Array(Math.max((row + 1) * size, counts.length * 2))
    larger.set(counts)
    counts = larger
  }

  function at(row: number, hour: number): number {
    return hour > newest - size && hour <= newest ? (counts[placeOf(row, hour)] ?? 0) : 0
  }

  return {
    add(row: number, hour: number, count = 1) {
      if (hour > newest || hour <= newest - size) moveTo(hour)
      const place = placeOf(row, hour)
      if (place >= counts.length) grow(row)
      counts[place] = (counts[place] ?? 0) + count
    },
    /**
     * Returns the last of the 24 hours to show at an hour: a later one if the clock was set back since something was
     * counted, as long as that is less than a day.
     */
    lastShown: (hour: number) => (newest > hour && newest < hour + size ? newest : hour),
    /** Returns a row's count of an hour. */
    at,
    /** Returns a row's counts of the 24 hours that end with `upTo`, oldest first. */
    hours: (row: number, upTo: number) =>
      Array.from({ length: size }, (_, index) => at(row, upTo - size + 1 + index)),
    /** Returns their sum. */
    sum(row: number, upTo: number) {
      const first = Math.max(upTo, newest) - size + 1
      const rowEnd = (row + 1) * size
      let place = placeOf(row, first)
      let sum = 0
      for (let left = Math.min(upTo, newest) - first; left >= 0; left--) {
        sum += counts[place++] ?? 0
        if (place === rowEnd) place -= size
      }
      return sum
    },
    /** Sets a row to zero. */
    clear: (row: number) => void counts.fill(0, row * size, (row + 1) * size),
  }
}

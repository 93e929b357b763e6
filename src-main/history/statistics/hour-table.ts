import { hoursShown } from '#shared/model/statistics.ts'

const hourMs = 60 * 60 * 1000

/** The number of the clock hour (UTC) of a moment, both since 1970. */
export function hourOf(ms: number): number {
  return Math.floor(ms / hourMs)
}

/** Counters, one for each row and clock hour, of the 24 hours up to the newest one counted in. */
export type HourTable = {
  add(row: number, hour: number, count?: number): void
  /** What a row has of the 24 hours that end with `upTo`, oldest first. */
  hours(row: number, upTo: number): number[]
  /** The sum of those. */
  sum(row: number, upTo: number): number
  /** Sets a row to zero, for another use. */
  clear(row: number): void
}

/** @param rows how many there are to begin with; more come when they are counted in. */
export function createHourTable(rows: number): HourTable {
  let counts = new Uint32Array(rows * hoursShown)
  let newest = 0

  const placeOf = (row: number, hour: number) => row * hoursShown + (hour % hoursShown)

  /** Forgets what leaves the 24 hours; all, when the clock was moved by a day or more in either direction. */
  function moveTo(hour: number): void {
    if (Math.abs(hour - newest) >= hoursShown) counts.fill(0)
    else {
      for (let gone = newest + 1; gone <= hour; gone++)
        for (let place = placeOf(0, gone); place < counts.length; place += hoursShown) counts[place] = 0
    }
    newest = hour
  }

  function grow(row: number): void {
    const larger = new Uint32Array(Math.max((row + 1) * hoursShown, counts.length * 2))
    larger.set(counts)
    counts = larger
  }

  function at(row: number, hour: number): number {
    return hour > newest - hoursShown && hour <= newest ? (counts[placeOf(row, hour)] ?? 0) : 0
  }

  return {
    add(row, hour, count = 1) {
      if (hour > newest || hour <= newest - hoursShown) moveTo(hour)
      const place = placeOf(row, hour)
      if (place >= counts.length) grow(row)
      counts[place] = (counts[place] ?? 0) + count
    },
    hours: (row, upTo) =>
      Array.from({ length: hoursShown }, (_, index) => at(row, upTo - hoursShown + 1 + index)),
    sum(row, upTo) {
      let sum = 0
      for (let hour = upTo - hoursShown + 1; hour <= upTo; hour++) sum += at(row, hour)
      return sum
    },
    clear: row => counts.fill(0, row * hoursShown, (row + 1) * hoursShown),
  }
}

/** A process has one of these in all its numbers, and so many numbers a millisecond. */
export const slots = 32
const numbersAMillisecond = 32
const stepsAMillisecond = slots * numbersAMillisecond

/**
 * Creates a generator of growing numbers that start with the time, like `createSequence`: milliseconds × 1024, plus the
 * slot × 32, plus one for each further number of the millisecond. Processes with different slots never get the same. It
 * returns the first of `count` numbers, 1 by default; the others are those of `nthInSql`.
 *
 * @param after a number of any slot that all are larger than.
 */
export function createSlotNumbers(
  clock: () => number,
  slot: () => number,
  after: number,
): (count?: number) => number {
  // Positions count the numbers of the slot alone.
  let last = (Math.floor(after / stepsAMillisecond) + 1) * numbersAMillisecond - 1
  return (count = 1) => {
    const first = Math.max(last + 1, Math.floor(clock()) * numbersAMillisecond)
    last = first + count - 1
    const ms = Math.floor(first / numbersAMillisecond)
    return ms * stepsAMillisecond + slot() * numbersAMillisecond + (first % numbersAMillisecond)
  }
}

/** Returns a number that no process makes: it would be the last of many in a millisecond that is over. */
export const numberOfNoNode = (ms: number) => (Math.floor(ms) + 1) * stepsAMillisecond - 1

/** Returns the time of a number, in milliseconds since 1970: it may be ahead of the clock that made it. */
export const msOf = (number: number) => Math.floor(number / stepsAMillisecond)

/** Returns the slot of the process that made a number. */
export const slotOf = (number: number) => Math.floor((number % stepsAMillisecond) / numbersAMillisecond)

/** Returns how many numbers of its slot have no gap between them from one on. */
export const withoutGapFrom = (number: number) => numbersAMillisecond - (number % numbersAMillisecond)
/** How much larger a number is at least than the one of its slot before it, if there is a gap between them. */
export const leastGap = stepsAMillisecond - numbersAMillisecond + 1

/** Returns the number that comes `nth` after another of its slot. */
export function nthOf(number: number, nth: number): number {
  const at = (number % numbersAMillisecond) + nth
  const start = number - (number % numbersAMillisecond)
  return start + Math.floor(at / numbersAMillisecond) * stepsAMillisecond + (at % numbersAMillisecond)
}

/** Returns the SQL of how many numbers of a slot there are from one up to another that is not smaller. */
export const distanceInSql = (from: string, to: string) =>
  `((${to} >> 10) * ${numbersAMillisecond} + (${to} & ${numbersAMillisecond - 1}) - (${from} >> 10) * ${numbersAMillisecond} - (${from} & ${numbersAMillisecond - 1}))`

/** Returns SQL that says whether two numbers are of the same slot. */
export const isOfSlotInSql = (one: string, other: string) =>
  `(${one} & ${stepsAMillisecond - numbersAMillisecond}) = (${other} & ${stepsAMillisecond - numbersAMillisecond})`

/** Returns SQL that says whether two numbers are of the same slot and millisecond. */
export const isOfSameMsInSql = (one: string, other: string) =>
  `(${one} / ${numbersAMillisecond} = ${other} / ${numbersAMillisecond})`

/** Returns the SQL of the number that comes `nth` after another of its slot. */
export function nthInSql(number: string, nth: string): string {
  const position = `((${number} & ${numbersAMillisecond - 1}) + ${nth})`
  return `((${number} & ~${numbersAMillisecond - 1}::bigint) + ${position} / ${numbersAMillisecond} * ${stepsAMillisecond} + ${position} % ${numbersAMillisecond})`
}

/** Returns how much larger a number may be than another one that comes so many before it. */
export const spanOf = (count: number) => (Math.ceil(count / numbersAMillisecond) + 2) * stepsAMillisecond

/** Returns the SQL of a number that is larger than so many after another of its slot. */
export const endInSql = (number: string, count: string) =>
  `(${number} + (${count} / ${numbersAMillisecond} + 2) * ${stepsAMillisecond})`

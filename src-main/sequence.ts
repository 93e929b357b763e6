const stepsPerMillisecond = 1024
const digits = 11

/**
 * Gives growing numbers that begin with the time, so that they go on growing after a restart without
 * anything having been written: milliseconds × 1024, plus one for each further number of a millisecond.
 *
 * @param after a number that was given before (0 for none), for clocks that were set back.
 */
export function createSequence(clock: () => number, after = 0): () => number {
  let last = after
  return () => {
    last = Math.max(last + 1, Math.floor(clock()) * stepsPerMillisecond)
    return last
  }
}

/** 36^5: what the last 5 digits count up to. */
const lowDigits = 60_466_176

/** 11 base-36 digits: enough for 2^53, and in the order of the numbers when sorted as text. */
export function sequenceText(value: number): string {
  // In two halves, since a number beyond 32 bits is written out several times as slowly as two within them.
  const high = Math.floor(value / lowDigits)
  const low = value - high * lowDigits
  const text = high.toString(36) + (low + lowDigits).toString(36).slice(1)
  return text.padStart(digits, '0')
}

/** @returns NaN for what `sequenceText` cannot have made. */
export function parseSequence(text: string): number {
  return /^[0-9a-z]{11}$/.test(text) ? Number.parseInt(text, 36) : Number.NaN
}

const eventIdPrefix = 'evt_'

export function eventIdOf(value: number): string {
  return eventIdPrefix + sequenceText(value)
}

/** @returns 0 for null, so that it can be where a sequence goes on. */
export function sequenceOfEventId(eventId: string | null): number {
  return eventId === null ? 0 : parseSequence(eventId.slice(eventIdPrefix.length))
}

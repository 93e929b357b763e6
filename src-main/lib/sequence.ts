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

/** Returns the time that a number begins with, in milliseconds since 1970. */
export function timeOfSequence(value: number): number {
  return Math.floor(value / stepsPerMillisecond)
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

/** Returns the number of a sequence's text; null for any other text, and for a number beyond 2^53. */
export function sequenceOfText(text: string): number | null {
  if (!/^[0-9a-z]{11}$/.test(text)) return null
  const value = Number.parseInt(text, 36)
  return Number.isSafeInteger(value) ? value : null
}

/** Returns an id: a prefix that names its kind, and the text of its number, so that ids sort as their numbers do. */
export function idOf(prefix: string, value: number): string {
  return prefix + sequenceText(value)
}

/** Returns the number of an id with this prefix; null for any other text. */
export function numberOfId(prefix: string, id: string): number | null {
  return id.startsWith(prefix) ? sequenceOfText(id.slice(prefix.length)) : null
}

export const eventPrefix = 'evt_'

/** Returns the id of an event: the order of event ids, as text too, is that of their numbers. */
export function eventIdOf(value: number): string {
  return idOf(eventPrefix, value)
}

/** Returns the number of an event id; null when it is not an event id or beyond 2^53. */
export function sequenceOfEventId(text: string): number | null {
  return numberOfId(eventPrefix, text)
}

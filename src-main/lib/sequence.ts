const stepsPerMillisecond = 1024
const digits = 11

/**
 * Creates a generator of growing numbers that start with the time: milliseconds × 1024, plus one for each further
 * number of the same millisecond. They keep growing after a restart without any stored state. It returns the first of
 * `count` consecutive numbers, 1 by default.
 *
 * @param after the last number generated before (0 for none), in case the clock was set back.
 */
export function createSequence(clock: () => number, after = 0): (count?: number) => number {
  let last = after
  return (count = 1) => {
    const first = Math.max(last + 1, Math.floor(clock()) * stepsPerMillisecond)
    last = first + count - 1
    return first
  }
}

/** Returns the time at the start of a number, in milliseconds since 1970. */
export function timeOfSequence(value: number): number {
  return Math.floor(value / stepsPerMillisecond)
}

/** Returns the first number of a time, in milliseconds since 1970; the nearest number for one outside 1970 to 2248. */
export function sequenceOfTime(ms: number): number {
  return Math.min(Math.max(Math.floor(ms) * stepsPerMillisecond, 0), Number.MAX_SAFE_INTEGER)
}

/** 36^5: the number of values of the last 5 digits. */
const lowDigits = 60_466_176

/** Returns 11 base-36 digits: enough for 2^53, and sorted as text in the order of the numbers. */
export function sequenceText(value: number): string {
  // Formatting one number beyond 32 bits takes several times as long as formatting two halves.
  const high = Math.floor(value / lowDigits)
  const low = value - high * lowDigits
  const text = high.toString(36) + (low + lowDigits).toString(36).slice(1)
  return text.padStart(digits, '0')
}

/** Returns the number of a sequence's text; null for any other text, and for a number beyond 2^53. */
function sequenceOfText(text: string): number | null {
  if (!/^[0-9a-z]{11}$/.test(text)) return null
  const value = Number.parseInt(text, 36)
  return Number.isSafeInteger(value) ? value : null
}

/** Returns the number of an id with any prefix, or of a text without one; null for any other text. */
export function numberOfAnyId(id: string): number | null {
  return sequenceOfText(id.slice(id.lastIndexOf('_') + 1))
}

/** Returns an id: a prefix for its kind and the text of its number, so that ids sort like their numbers. */
export function idOf(prefix: string, value: number): string {
  return prefix + sequenceText(value)
}

/** Returns the number of an id with this prefix; null for any other text. */
export function numberOfId(prefix: string, id: string): number | null {
  return id.startsWith(prefix) ? sequenceOfText(id.slice(prefix.length)) : null
}

export const eventPrefix = 'evt_'

/** Returns the id of an event. Event ids sort like their numbers, as text too. */
export function eventIdOf(value: number): string {
  return idOf(eventPrefix, value)
}

/** Returns the number of an event id; null if the text is not an event id or the number is beyond 2^53. */
export function sequenceOfEventId(text: string): number | null {
  return numberOfId(eventPrefix, text)
}

import type { AlertUnit } from '#shared/model/alert.ts'

/** The state of one subject, such as a connection, by a rule. */
export type Reading = {
  /** Whether an alert opens. */
  readonly opens: boolean
  /** Whether an open alert may close. Between the two it stays as it is. */
  readonly isCalm: boolean
  /** Milliseconds for which it has to be calm before it closes. */
  readonly calmMs: number
  readonly value: number | null
  readonly threshold: number | null
  /** One sentence. Written only for an alert that opens. */
  readonly message: () => string
  readonly details?: Readonly<Record<string, unknown>>
}

/** The state of an open alert between two steps. */
export type Previous = {
  /** Since when it is calm, in milliseconds since 1970; null while it is not. */
  readonly calmSince: number | null
}

/** A kind of alert: a pure function of numbers and thresholds. */
export type Rule<Numbers> = {
  readonly unit: AlertUnit | null
  /**
   * Returns null for a subject that is not watched: its alert closes.
   *
   * @param now milliseconds since 1970. @param previous null if no alert is open.
   */
  read(numbers: Numbers, now: number, previous: Previous | null): Reading | null
}

export type Decision = 'open' | 'close' | Previous

/** Returns what becomes of an alert. @param previous null if none is open. */
export function decide(reading: Reading | null, previous: Previous | null, now: number): Decision | null {
  if (previous === null) return reading?.opens === true ? 'open' : null
  if (reading === null) return 'close'
  if (!reading.isCalm) return previous.calmSince === null ? null : { calmSince: null }
  const calmSince = previous.calmSince ?? now
  if (now - calmSince >= reading.calmMs) return 'close'
  return previous.calmSince === null ? { calmSince } : null
}

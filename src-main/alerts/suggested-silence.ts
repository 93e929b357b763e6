import { mostSilentHours } from '#shared/model/alert.ts'

/** Two weeks: a gap of a weekend is in them. */
export const hoursOfSuggestion = 14 * 24
/** How much longer than the longest gap it is. */
const factor = 1.5
/** Fewer hours with events tell nothing of the gaps between them. */
const leastHours = 3

/**
 * Returns after how many hours without an event an alert is suggested: one and a half times the longest gap.
 *
 * @param hours the clock hours with events, in any order. @returns null with too few of them.
 */
export function suggestedSilence(hours: readonly number[]): number | null {
  if (hours.length < leastHours) return null
  const sorted = hours.toSorted((one, other) => one - other)
  const gaps = sorted.slice(1).map((hour, index) => hour - (sorted[index] ?? hour))
  return Math.min(mostSilentHours, Math.ceil(Math.max(...gaps) * factor))
}

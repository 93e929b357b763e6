import type { OccurrenceBounds } from '#main/storage/occurrence-storage.ts'

const dayMs = 24 * 60 * 60 * 1000

/** How occurrences of a kind are kept. */
type Kind = OccurrenceBounds & {
  /** What its ids begin with. */
  readonly prefix: string
  /** Records written in a second, in the long run: strangers can cause any number of refusals. */
  readonly writesPerSecond: number
}

/** Every kind of occurrence that outlives a restart (decisions: rejected attempts; calls and tests). */
export const kinds = {
  attempt: { prefix: 'att_', most: 200, maxAgeMs: 7 * dayMs, writesPerSecond: 20 },
  call: { prefix: 'call_', most: 1000, maxAgeMs: 30 * dayMs, writesPerSecond: Number.POSITIVE_INFINITY },
} as const satisfies Record<string, Kind>
export type KindName = keyof typeof kinds

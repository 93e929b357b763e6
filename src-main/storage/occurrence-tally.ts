import { causeOf } from './occurrence-filter.ts'
import type { BucketCount, Buckets, CauseCount, OccurrenceSummary } from './occurrence-storage.ts'

/** Creates a tally that counts records by kind, connection and cause. */
export function createCauseTally() {
  const counts = new Map<string, CauseCount>()
  return {
    add(record: OccurrenceSummary): void {
      const { kind, connectionId, number } = record
      const cause = causeOf(record)
      // As JSON, because a cause may have any character.
      const key = JSON.stringify([kind, connectionId, cause])
      const { count = 0, first = number, last = number } = counts.get(key) ?? {}
      const range = { first: Math.min(first, number), last: Math.max(last, number) }
      counts.set(key, { kind, connectionId, cause, count: count + 1, ...range })
    },
    counts: (): CauseCount[] => [...counts.values()],
  }
}

/** Creates a tally that counts the records of kinds in buckets. */
export function createBucketTally({ from, width }: Buckets) {
  const found = new Map<
    string,
    { readonly kind: string; readonly failed: boolean; readonly counts: number[] }
  >()
  return {
    /** Returns a function that counts a record of a kind, with a cause or without one, by its number. */
    of(kind: string, failed: boolean): (number: number) => void {
      const key = `${kind} ${failed}`
      const { counts } = found.get(key) ?? { counts: [] }
      found.set(key, { kind, failed, counts })
      return number => {
        const bucket = Math.floor((number - from) / width)
        counts[bucket] = (counts[bucket] ?? 0) + 1
      }
    },
    counts: (): BucketCount[] =>
      [...found.values()].flatMap(({ counts, ...of }) =>
        Object.entries(counts).map(([bucket, count]) => ({ ...of, bucket: Number(bucket), count })),
      ),
  }
}

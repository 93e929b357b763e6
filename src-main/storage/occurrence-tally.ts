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
  const counts = new Map<string, BucketCount>()
  return {
    add(kind: string, failed: boolean, number: number): void {
      const bucket = Math.floor((number - from) / width)
      const key = `${kind} ${failed} ${bucket}`
      const { count = 0 } = counts.get(key) ?? {}
      counts.set(key, { kind, failed, bucket, count: count + 1 })
    },
    counts: (): BucketCount[] => [...counts.values()],
  }
}

import { type RecentCounts, recentBuckets } from '#main/storage/statistics.ts'
import type { LastHour } from '#shared/model/connection-status.ts'
import { createEventNameRows } from './event-names.ts'
import { createHourTable } from './hour-table.ts'

/** Workflows whose runs are counted for one connection. The one whose runs ended longest ago makes room. */
const mostWorkflows = 50

/** The rows of a workflow are these after its own number. */
const part = { ended: 0, failed: mostWorkflows } as const

/**
 * Counts the runs of each workflow in 12 buckets of 5 minutes. Most connections start none, and cost nothing.
 *
 * @param before the counts from before a restart.
 */
export function createRecentRuns(before?: RecentCounts) {
  let table: ReturnType<typeof createHourTable> | null = null
  const rows = createEventNameRows(mostWorkflows, 0, row => {
    table?.clear(row + part.ended)
    table?.clear(row + part.failed)
  })

  function count(workflowId: string, bucket: number, ended: number, failed: number): void {
    table ??= createHourTable(0, undefined, recentBuckets)
    const row = rows.rowOf(workflowId, bucket)
    if (ended > 0) table.add(row + part.ended, bucket, ended)
    if (failed > 0) table.add(row + part.failed, bucket, failed)
  }
  for (const { workflowId, ended, failed } of before?.runs ?? [])
    for (let index = 0; index < recentBuckets; index++) {
      const bucket = (before?.upTo ?? 0) - recentBuckets + 1 + index
      if ((ended[index] ?? 0) > 0) count(workflowId, bucket, ended[index] ?? 0, failed[index] ?? 0)
    }

  const lastShown = (bucket: number) => table?.lastShown(bucket) ?? bucket
  return {
    add: (workflowId: string, bucket: number, hasFailed: boolean) =>
      count(workflowId, bucket, 1, hasFailed ? 1 : 0),
    lastShown,
    /** Returns the sums of those that have ended in the hour up to a bucket, by workflow. */
    read(bucket: number): LastHour['runs'] {
      const counts = table
      if (counts === null) return []
      const upTo = lastShown(bucket)
      return rows.list().flatMap(({ eventName: workflowId, row }) => {
        const ended = counts.sum(row + part.ended, upTo)
        return ended === 0 ? [] : [{ workflowId, ended, failed: counts.sum(row + part.failed, upTo) }]
      })
    },
    /** Returns the buckets up to one. */
    save(upTo: number): RecentCounts['runs'] {
      const counts = table
      if (counts === null) return []
      return rows.list().flatMap(({ eventName: workflowId, row }) => {
        const ended = counts.hours(row + part.ended, upTo)
        if (!ended.some(count => count > 0)) return []
        return [{ workflowId, ended, failed: counts.hours(row + part.failed, upTo) }]
      })
    },
  }
}

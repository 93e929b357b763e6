import { expect, test } from 'vitest'
import { mergeStatistics } from '#renderer/client/query-client.ts'
import type { ConnectionStatistics } from '#shared/model/statistics.ts'

function entry(connectionId: string, accepted: number): ConnectionStatistics {
  return {
    connectionId,
    hours: Array.from({ length: 24 }, () => ({ accepted: 0, rejected: 0, calls: 0 })),
    accepted,
    rejected: 0,
    calls: 0,
    callsOk: 0,
    medianAnswerMs: null,
    medianCallMs: null,
    oldSecret: null,
    lastEvent: null,
    lastRejection: null,
  }
}

test('replaces the statistics of changed connections and adds new ones', () => {
  const before = { since: 'then', connections: [entry('a', 1), entry('b', 2)] }
  const change = { since: 'now', connections: [entry('b', 3), entry('c', 4)] }
  expect(mergeStatistics(undefined, change)).toBe(change)
  const merged = mergeStatistics(before, change)
  expect(merged.since).toBe('now')
  expect(merged.connections.map(({ connectionId, accepted }) => [connectionId, accepted])).toEqual([
    ['a', 1],
    ['b', 3],
    ['c', 4],
  ])
})

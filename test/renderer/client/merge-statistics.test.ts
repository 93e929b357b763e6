import { expect, test } from 'vitest'
import { mergeStatistics } from '#renderer/client/query-client.ts'
import { quietStatistics } from '#renderer/entities/connection/connection-status.ts'

const entry = (connectionId: string, accepted: number) => ({ ...quietStatistics(connectionId), accepted })

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

import type { Statistics } from '#shared/model/statistics.ts'

/** Statistics with those of the connections that changed in place of their old ones. */
export function mergeStatistics(before: Statistics | undefined, change: Statistics): Statistics {
  if (before === undefined) return change
  const byId = new Map(before.connections.map(entry => [entry.connectionId, entry]))
  for (const entry of change.connections) byId.set(entry.connectionId, entry)
  return { since: change.since, connections: [...byId.values()] }
}

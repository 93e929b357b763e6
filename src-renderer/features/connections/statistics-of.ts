import { type ConnectionStatistics, hoursShown, type Statistics } from '#shared/model/statistics.ts'

/**
 * Returns what a connection did, or undefined while no statistics are known. One that is missing from those that are
 * known was made a moment ago and did nothing yet.
 */
export function statisticsOf(
  known: Statistics | undefined,
  connectionId: string,
): ConnectionStatistics | undefined {
  if (known === undefined) return undefined
  return known.connections.find(entry => entry.connectionId === connectionId) ?? quiet(connectionId)
}

function quiet(connectionId: string): ConnectionStatistics {
  return {
    connectionId,
    hours: Array.from({ length: hoursShown }, () => ({ accepted: 0, rejected: 0, calls: 0 })),
    accepted: 0,
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

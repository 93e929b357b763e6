import type { Bus } from '#main/lib/bus.ts'
import { stopAll } from '#main/lib/stop-all.ts'
import type { Storage } from '#main/storage/storage.ts'
import type { Occurrence } from '../kinds.ts'
import { createEdges } from './edges.ts'
import { createHourlyCounts } from './hour-counts.ts'
import { saveStatistics } from './save-statistics.ts'
import { createStatistics } from './statistics.ts'

type OpenStatisticsParts = {
  readonly storage: Storage
  readonly occurrences: Pick<Bus<Occurrence>, 'subscribe'>
  /** Runs a skipped diagnosis if the rate limit allows it now. */
  readonly diagnose: (attemptId: string) => void
  /** Returns when the pause of a connection ends; null if it is not paused. */
  readonly pausedUntil: (connectionId: string) => number | null
  /** Receives the connections that other nodes have counted. */
  readonly onOthers: (connectionIds: Iterable<string>) => void
  /** Receives the reason why something cannot be saved. */
  readonly onProblem: (notice: string) => void
}

/** Opens what counts occurrences: the last 24 hours of each connection, and the hours of 90 days. */
export async function openStatistics(parts: OpenStatisticsParts) {
  const { storage, occurrences, diagnose, pausedUntil, onOthers, onProblem } = parts
  const { config: store, clock, onError, housekeeping } = storage
  const node = storage.nodes.id
  const loaded = await storage.statistics.load(node)
  const statistics = createStatistics({ store, diagnose, pausedUntil, clock, onError, loaded })
  const stopFollowing = storage.statistics.follow(node, others => {
    statistics.setOthers(others)
    onOthers(others.keys())
  })
  const stopSaving = saveStatistics(storage.statistics, node, statistics.own, onProblem)
  const hourlyCounts = createHourlyCounts({
    ...{ store, node, clock, housekeeping, onProblem, onError },
    counts: storage.hourCounts,
    restAfter: storage.statistics.restAfter,
  })
  const unsubscribe = [statistics, hourlyCounts].map(({ add }) => occurrences.subscribe(add))
  return {
    statistics,
    hourlyCounts,
    edges: createEdges({ counts: storage.hourCounts, hourlyCounts, node }),
    /** Saves what was counted, and counts no more. */
    stop: () =>
      stopAll([...unsubscribe, stopSaving, stopFollowing, () => hourlyCounts.stop(), statistics.stop]),
  }
}

import type { Occurrence } from '#main/history/kinds.ts'
import type { FinishedCall } from '#main/outbound/finished-call.ts'
import { goneConnectionIds } from '#main/storage/config-diff.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { RunEnd } from '#main/storage/runs.ts'
import { neverSent } from '#shared/errors/call.ts'
import { createHistogram } from './histogram.ts'

/** How many connections have counts of their own. More would make a page of metrics too large for a scraper. */
export const mostLabelled = 1000
/** The label of what belongs to no connection, or to one without counts of its own. */
export const otherConnections = 'other'

/** Seconds. */
const eventBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
export const callBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120]

/** The counts of a connection since the start. */
type Counts = {
  accepted: number
  repeated: number
  /** By code. */
  readonly refused: Map<string, number>
  /** By the class of the status, or the code of the error. */
  readonly calls: Map<string, number>
}

const statusClasses = ['', '1xx', '2xx', '3xx', '4xx', '5xx']

/** Counts what happens in this process, for the metrics. */
export type ProcessCounts = ReturnType<typeof createCounts>

/**
 * Creates the counters. Counting happens for every event, so it costs a look-up and an increment.
 *
 * @param store whose oldest connections have counts of their own. One that has them keeps them until it is deleted, so
 *   that no counter goes down.
 */
export function createCounts(store: Pick<ConfigStore, 'snapshot' | 'onChange'>) {
  const labelled = new Map<string, Counts>()
  const others = newCounts()
  const runsEnded: Record<RunEnd['state'], number> = { succeeded: 0, failed: 0, cancelled: 0 }
  const eventSeconds = createHistogram(eventBounds)
  const callSeconds = createHistogram(callBounds)
  let stepRetries = 0

  function labelOldest(): void {
    for (const connectionId of store.snapshot().connections.keys()) {
      if (labelled.size >= mostLabelled) return
      if (!labelled.has(connectionId)) labelled.set(connectionId, newCounts())
    }
  }
  labelOldest()
  const stop = store.onChange((next, _previous, diff) => {
    const gone = goneConnectionIds(next, diff)
    for (const connectionId of gone) labelled.delete(connectionId)
    if (gone.length > 0 || diff.connections.some(({ before }) => before === undefined)) labelOldest()
  })

  function countsOf(connectionId: string | null): Counts {
    return (connectionId === null ? undefined : labelled.get(connectionId)) ?? others
  }

  function countCall({ connectionId, status, code, totalMs, source }: FinishedCall): void {
    // The calls of a receiver check are wrong on purpose.
    if (source === 'check') return
    const outcome = code ?? statusClasses[Math.floor((status ?? 0) / 100)]
    if (outcome) increment(countsOf(connectionId).calls, outcome)
    if (code === null || !neverSent.has(code)) callSeconds.add(totalMs)
  }

  return {
    /** Counts an occurrence. */
    add(occurrence: Occurrence) {
      switch (occurrence.kind) {
        case 'event.accepted':
          // A question about the URL is not an event.
          if (occurrence.isQuestion === true) return
          countsOf(occurrence.connectionId).accepted++
          eventSeconds.add(occurrence.tookMs)
          return
        case 'event.repeated':
          countsOf(occurrence.connectionId).repeated++
          eventSeconds.add(occurrence.tookMs)
          return
        case 'event.rejected':
          return increment(countsOf(occurrence.connectionId).refused, occurrence.code)
        case 'event.unavailable':
          return increment(countsOf(occurrence.connectionId).refused, 'unavailable')
        case 'call.finished':
          return countCall(occurrence)
        default:
      }
    },
    runEnded(state: RunEnd['state']) {
      runsEnded[state]++
    },
    stepRetried() {
      stepRetries++
    },
    /** Returns the counts of each connection that has its own, the oldest first, then those of all others. */
    connections: (): readonly (readonly [connectionId: string, Counts])[] => [
      ...labelled,
      [otherConnections, others],
    ],
    runsEnded: (): Readonly<typeof runsEnded> => runsEnded,
    stepRetries: () => stepRetries,
    eventSeconds: eventSeconds.read,
    callSeconds: callSeconds.read,
    /** Stops following the configuration. */
    stop,
  }
}

function newCounts(): Counts {
  return { accepted: 0, repeated: 0, refused: new Map(), calls: new Map() }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

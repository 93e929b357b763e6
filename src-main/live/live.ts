import type { Activity } from '#main/history/activity.ts'
import type { Statistics } from '#main/history/statistics/statistics.ts'
import type { Bus } from '#main/lib/bus.ts'
import { followSources, type Source } from '#main/lib/follow-sources.ts'
import { createThrottle } from '#main/lib/throttle.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import { hourMs } from '#shared/durations.ts'
import { type LiveMessage, maxRunIds } from '#shared/model/live.ts'
import type { ListenerStatus } from '#shared/model/service.ts'

export type LiveParts = {
  readonly store: Pick<ConfigStore, 'snapshot' | 'onChange' | 'changeCount'>
  readonly activity: Pick<Activity, 'read'>
  readonly statistics: Statistics
  /** Publishes the id of each run that has changed; null for runs whose ids are not known. */
  readonly runChanges: Bus<string | null>
  /** Publishes when MCP clients, their tokens or held calls have changed. */
  readonly assistantChanges: Bus<void>
  /** Publishes when files of agents were added or deleted. They are announced as configuration. */
  readonly knowledgeChanges: Bus<void>
  /** Publishes when a list of conversations has changed. */
  readonly conversationChanges: Bus<void>
  readonly listenerStatus: () => ListenerStatus
  readonly listenerChanges: Bus<ListenerStatus>
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** The changes of each kind since the service started. */
export type ChangeCounts = Record<
  'configuration' | 'runs' | 'assistant' | 'conversations' | 'listener',
  number
>

/** Returns the current counts of changes: where a reader of every later change starts. */
export function countChanges(parts: LiveParts): ChangeCounts {
  return {
    configuration: parts.store.changeCount() + parts.knowledgeChanges.count(),
    runs: parts.runChanges.count(),
    assistant: parts.assistantChanges.count(),
    conversations: parts.conversationChanges.count(),
    listener: parts.listenerChanges.count(),
  }
}

export type FollowRequest = {
  /** Adds the activity of this connection. */
  readonly activityOf: string | undefined
  /** The id of the last item that this reader saw; null for all that are kept. */
  readonly lastId: string | null
  /** The changes that the reader knows of, updated with each message. Only others are announced. */
  readonly known: ChangeCounts
  readonly signal: AbortSignal | undefined
}

/**
 * Yields the statistics of all connections, then every change, until the signal aborts. It is one stream, because a
 * browser opens only six connections to a server. A slow reader costs nothing: it gets several changes as one, and the
 * activity keeps its position. Rare messages come first, so that they do not wait for a busy activity.
 */
export function followLive(
  parts: LiveParts,
  { activityOf, lastId, known, signal }: FollowRequest,
): AsyncGenerator<LiveMessage> {
  const { store, runChanges, assistantChanges, conversationChanges, knowledgeChanges } = parts
  const { listenerChanges, listenerStatus } = parts
  const open = (wake: () => void): Source<LiveMessage>[] => {
    const counts = countChanges(parts)
    const changeSource = (
      kind: keyof ChangeCounts,
      intervalMs: number,
      subscribe: Subscribe,
      message: () => LiveMessage,
    ) => {
      const due = createDue(intervalMs, wake, subscribe, () => {
        known[kind] = countChanges(parts)[kind]
        return message()
      })
      if (known[kind] !== counts[kind]) due.ask()
      return due
    }
    const configuration: Subscribe = ask => {
      const stops = [store.onChange(ask), knowledgeChanges.subscribe(ask)]
      return () => stops.forEach(stop => void stop())
    }
    const runs = collectRuns(runChanges, known.runs !== counts.runs)
    return [
      statisticsSource(parts, wake),
      changeSource('configuration', 200, configuration, () => ({ type: 'configuration' })),
      changeSource('runs', 250, runs.subscribe, runs.take),
      changeSource('assistant', 1000, assistantChanges.subscribe, () => ({ type: 'assistant' })),
      changeSource('conversations', 250, conversationChanges.subscribe, () => ({ type: 'conversations' })),
      changeSource('listener', 200, listenerChanges.subscribe, () => ({
        type: 'listener',
        listener: listenerStatus(),
      })),
      ...(activityOf === undefined ? [] : [activitySource(parts, activityOf, lastId, wake)]),
    ]
  }
  return followSources(open, signal)
}

function statisticsSource({ store, statistics, clock }: LiveParts, wake: () => void): Source<LiveMessage> {
  let changed = new Set<string>()
  const subscribe: Subscribe = ask =>
    statistics.changes.subscribe(connectionId => {
      changed.add(connectionId)
      ask()
    })
  const due = createDue(1000, wake, subscribe, () => {
    const ids = [...changed].filter(connectionId => store.snapshot().connections.has(connectionId))
    changed = new Set()
    const connections = ids.map(statistics.of)
    return { type: 'statistics', statistics: { since: statistics.since(), connections } }
  })
  let hourTimer: NodeJS.Timeout | undefined

  /** Sends the statistics of all connections, now and at the start of each clock hour, when their 24 hours shift by one. */
  function askForAll(): void {
    changed = new Set(store.snapshot().connections.keys())
    due.ask()
    hourTimer = setTimeout(askForAll, hourMs - (clock() % hourMs)).unref()
  }
  askForAll()

  return {
    take: due.take,
    stop() {
      due.stop()
      clearTimeout(hourTimer)
    },
  }
}

/** Collects the ids of changed runs for a message. @param hasMissed whether others have changed before. */
function collectRuns(changes: Bus<string | null>, hasMissed: boolean) {
  let runIds = new Set<string>()
  let more = hasMissed
  const subscribe: Subscribe = ask =>
    changes.subscribe(runId => {
      if (runId !== null && (runIds.has(runId) || runIds.size < maxRunIds)) runIds.add(runId)
      else more = true
      ask()
    })
  function take(): LiveMessage {
    const message = { type: 'runs.changed' as const, runIds: [...runIds], more }
    runIds = new Set()
    more = false
    return message
  }
  return { subscribe, take }
}

function activitySource(
  { activity }: LiveParts,
  activityOf: string,
  lastId: string | null,
  wake: () => void,
): Source<LiveMessage> {
  const matches = ({ connectionId }: { connectionId: string | null }) => connectionId === activityOf
  const items = activity.read({ matches, lastId }, wake)
  return {
    take() {
      const item = items.take()
      return item && { type: 'activity', item }
    },
    stop: items.stop,
  }
}

type Subscribe = (listener: () => void) => () => void

/** Creates a source with at most one message per interval, however many changes `subscribe` announces. */
function createDue(intervalMs: number, wake: () => void, subscribe: Subscribe, message: () => LiveMessage) {
  let isDue = false
  const { ask, stop } = createThrottle(intervalMs, () => {
    isDue = true
    wake()
  })
  const unsubscribe = subscribe(ask)
  return {
    ask,
    take() {
      if (!isDue) return null
      isDue = false
      return message()
    },
    stop() {
      unsubscribe()
      stop()
    },
  }
}

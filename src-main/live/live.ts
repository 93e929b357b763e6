import type { Activity } from '#main/history/activity.ts'
import type { Statistics } from '#main/history/statistics/statistics.ts'
import type { Bus } from '#main/lib/bus.ts'
import { followSources, type Source } from '#main/lib/follow-sources.ts'
import { createThrottle } from '#main/lib/throttle.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import { recentMs } from '#main/storage/statistics.ts'
import { type LiveMessage, maxChangedIds } from '#shared/model/live.ts'
import type { ListenerStatus } from '#shared/model/service.ts'

export type LiveParts = {
  readonly store: Pick<ConfigStore, 'snapshot' | 'everywhere'>
  readonly activity: Pick<Activity, 'changes'>
  readonly statistics: Statistics
  /** Publishes the id of each run that has changed; null for runs whose ids are not known. */
  readonly runChanges: Bus<string | null>
  /** Publishes when MCP clients, their tokens or held calls have changed. */
  readonly assistantChanges: Bus<void>
  /** Publishes when files of agents were added or deleted. They are announced as configuration. */
  readonly knowledgeChanges: Bus<void>
  /** Publishes pauses of connections. They are announced as configuration. */
  readonly pauses: Pick<Bus<string>, 'subscribe' | 'count'>
  /** Publishes when a list of conversations has changed. */
  readonly conversationChanges: Bus<void>
  readonly listenerStatus: () => ListenerStatus
  readonly listenerChanges: Bus<ListenerStatus>
  /** Whether a reader may then ask another node, which learns of some changes later. */
  readonly isShared: boolean
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** Milliseconds after the last change of a kind, when other nodes know of it. */
const elsewhereMs = 1000

/** The changes of each kind since the service started. */
export type ChangeCounts = Record<
  'configuration' | 'runs' | 'activity' | 'assistant' | 'conversations' | 'listener',
  number
>

/** Returns the current counts of changes: where a reader of every later change starts. */
export function countChanges(parts: LiveParts): ChangeCounts {
  return {
    configuration: parts.store.everywhere.count() + parts.knowledgeChanges.count() + parts.pauses.count(),
    runs: parts.runChanges.count(),
    activity: parts.activity.changes.count(),
    assistant: parts.assistantChanges.count(),
    conversations: parts.conversationChanges.count(),
    listener: parts.listenerChanges.count(),
  }
}

export type FollowRequest = {
  /** The changes that the reader knows of, updated with each message. Only others are announced. */
  readonly known: ChangeCounts
  readonly signal: AbortSignal | undefined
}

/**
 * Yields an empty message of statistics at once, then every change, until the signal aborts. It is one stream, because a
 * browser opens only six connections to a server. A slow reader costs nothing: it gets several changes as one.
 */
export function followLive(parts: LiveParts, { known, signal }: FollowRequest): AsyncGenerator<LiveMessage> {
  const { store, activity, runChanges, assistantChanges, conversationChanges, knowledgeChanges } = parts
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
      const pauses = twiceIfShared(parts, listen => parts.pauses.subscribe(listen))
      const stops = [store.everywhere.subscribe(ask), knowledgeChanges.subscribe(ask), pauses(ask)]
      return () => stops.forEach(stop => void stop())
    }
    const runs = collectIds(runChanges, known.runs !== counts.runs)
    const active = collectIds(activity.changes, known.activity !== counts.activity)
    return [
      statisticsSource(parts, wake),
      changeSource('configuration', 200, configuration, () => ({ type: 'configuration' })),
      changeSource('runs', 250, runs.subscribe, () => {
        const { ids, more } = runs.take()
        return { type: 'runs.changed', runIds: ids, more }
      }),
      changeSource('activity', 250, active.subscribe, () => {
        const { ids, more } = active.take()
        return { type: 'activity.changed', connectionIds: ids, more }
      }),
      changeSource('assistant', 1000, twiceIfShared(parts, assistantChanges.subscribe), () => ({
        type: 'assistant',
      })),
      changeSource('conversations', 250, conversationChanges.subscribe, () => ({ type: 'conversations' })),
      changeSource('listener', 200, listenerChanges.subscribe, () => ({
        type: 'listener',
        listener: listenerStatus(),
      })),
    ]
  }
  return followSources(open, signal)
}

function statisticsSource(parts: LiveParts, wake: () => void): Source<LiveMessage> {
  const { store, statistics, clock, isShared } = parts
  let changed = new Set<string>()
  /** The connections about which the reader is told again. */
  let recent = new Set<string>()
  let isAll = true
  const subscribe = twiceIfShared(
    parts,
    ask => {
      const change = (connectionId: string) => {
        changed.add(connectionId)
        recent.add(connectionId)
        ask()
      }
      // A pause is in the status.
      const stops = [statistics.changes.subscribe(change), parts.pauses.subscribe(change)]
      return () => stops.forEach(stop => void stop())
    },
    () => {
      for (const connectionId of recent) changed.add(connectionId)
      recent = new Set()
    },
  )
  const due = createDue(isShared ? 500 : 1000, wake, subscribe, () => {
    const ids = [...changed].filter(connectionId => store.snapshot().connections.has(connectionId))
    // More are not worth their size: the reader reads those that it shows.
    const connections = isAll || ids.length > maxChangedIds ? [] : ids.map(statistics.of)
    changed = new Set()
    isAll = false
    return { type: 'statistics', statistics: { since: statistics.since(), connections } }
  })
  let bucketTimer: NodeJS.Timeout | undefined

  /** Sends an empty message, now and every 5 minutes, when the last hour of all shifts by a bucket. */
  function askForAll(): void {
    isAll = true
    due.ask()
    bucketTimer = setTimeout(askForAll, recentMs - (clock() % recentMs)).unref()
  }
  askForAll()

  return {
    take: due.take,
    stop() {
      due.stop()
      clearTimeout(bucketTimer)
    },
  }
}

/**
 * Collects ids for a message, at most `maxChangedIds`.
 *
 * @param changes null for a change without an id. @param hasMissed whether others have changed before.
 */
function collectIds(changes: Bus<string | null>, hasMissed: boolean) {
  let ids = new Set<string>()
  let more = hasMissed
  const subscribe: Subscribe = ask =>
    changes.subscribe(id => {
      if (id !== null && (ids.has(id) || ids.size < maxChangedIds)) ids.add(id)
      else more = true
      ask()
    })
  function take() {
    const taken = { ids: [...ids], more }
    ids = new Set()
    more = false
    return taken
  }
  return { subscribe, take }
}

type Subscribe = (listener: () => void) => () => void

/** Calls a listener once more after the last change, when other nodes know of it too. @param before is called before. */
function twiceIfShared({ isShared }: LiveParts, subscribe: Subscribe, before = () => {}): Subscribe {
  if (!isShared) return subscribe
  return listener => {
    let timer: NodeJS.Timeout | undefined
    const again = () => {
      before()
      listener()
    }
    const stop = subscribe(() => {
      listener()
      clearTimeout(timer)
      timer = setTimeout(again, elsewhereMs).unref()
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }
}

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

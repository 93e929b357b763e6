import type { Activity } from '#main/history/activity.ts'
import type { Statistics } from '#main/history/statistics/statistics.ts'
import type { Bus } from '#main/lib/bus.ts'
import { createThrottle } from '#main/lib/throttle.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { LiveMessage } from '#shared/model/live.ts'
import type { ListenerStatus } from '#shared/model/service.ts'

export type FollowRequest = {
  /** Also the activity of this connection. */
  readonly activityOf: string | undefined
  /** The id of the last item or stream that this reader saw; null for a new reader. */
  readonly lastId: string | null
  readonly signal: AbortSignal | undefined
}

/**
 * The statistics of all connections, then whatever changes, until the signal aborts; one stream, since a
 * browser opens only six connections to a server. A slow reader costs nothing: of several changes it learns
 * once, and the feed keeps its place.
 */
export async function* followLive(
  parts: LiveParts,
  { activityOf, lastId, signal }: FollowRequest,
): AsyncGenerator<LiveMessage> {
  let resume = () => {}
  const wake = () => resume()
  const resumed = lastId !== null
  const sources: Source[] = [
    statisticsSource(parts, wake),
    configurationSource(parts, resumed, wake),
    listenerSource(parts, resumed, wake),
    ...(activityOf === undefined ? [] : [activitySource(parts, activityOf, lastId, wake)]),
  ]
  signal?.addEventListener('abort', wake)
  try {
    while (signal?.aborted !== true) {
      const message = firstOf(sources)
      if (message !== null) yield message
      else
        await new Promise<void>(resolve => {
          resume = resolve
        })
    }
  } finally {
    signal?.removeEventListener('abort', wake)
    for (const source of sources) source.stop()
  }
}

/** In the order of the sources: what is rare and paced does not wait for a busy feed. */
function firstOf(sources: readonly Source[]): LiveMessage | null {
  for (const source of sources) {
    const message = source.take()
    if (message !== null) return message
  }
  return null
}

export type LiveParts = {
  readonly store: Pick<ConfigStore, 'snapshot' | 'onChange'>
  readonly activity: Activity
  readonly statistics: Statistics
  readonly listenerStatus: () => ListenerStatus
  readonly listenerChanges: Bus<ListenerStatus>
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** Where messages of one kind come from, for one reader. Of what it does not take at once, little is kept. */
type Source = {
  /** The next message; null when there is none now. */
  take(): LiveMessage | null
  stop(): void
}

const hourMs = 60 * 60 * 1000

/** @param wake is called when there may be a message. */
function statisticsSource({ store, statistics, clock }: LiveParts, wake: () => void): Source {
  let changed = new Set<string>()
  const due = createDue(1000, wake)
  const unsubscribe = statistics.changes.subscribe(connectionId => {
    changed.add(connectionId)
    due.ask()
  })
  let hourTimer: NodeJS.Timeout | null = null

  /** With each clock hour all hours move, though nothing happens. */
  function takeAll(): void {
    changed = new Set(store.snapshot().connections.keys())
    due.ask()
    hourTimer = setTimeout(takeAll, hourMs - (clock() % hourMs))
    hourTimer.unref()
  }
  takeAll()

  return {
    take() {
      if (!due.take()) return null
      const ids = [...changed].filter(connectionId => store.snapshot().connections.has(connectionId))
      changed = new Set()
      return {
        type: 'statistics',
        statistics: { since: statistics.since(), connections: ids.map(statistics.of) },
      }
    },
    stop() {
      unsubscribe()
      due.stop()
      if (hourTimer !== null) clearTimeout(hourTimer)
    },
  }
}

/** @param resumed tells of a change at once: nobody knows what this reader missed while it was away. */
function configurationSource({ store }: LiveParts, resumed: boolean, wake: () => void): Source {
  const due = createDue(200, wake)
  const stopFollowing = store.onChange(due.ask)
  if (resumed) due.ask()
  return {
    take: () => (due.take() ? { type: 'configuration' } : null),
    stop() {
      stopFollowing()
      due.stop()
    },
  }
}

/** @param resumed as for the configuration. */
function listenerSource(parts: LiveParts, resumed: boolean, wake: () => void): Source {
  const due = createDue(200, wake)
  const unsubscribe = parts.listenerChanges.subscribe(due.ask)
  if (resumed) due.ask()
  return {
    take: () => (due.take() ? { type: 'listener', listener: parts.listenerStatus() } : null),
    stop() {
      unsubscribe()
      due.stop()
    },
  }
}

/** @param lastId goes on after the item of this id; null begins with what is kept. */
function activitySource(
  { activity }: LiveParts,
  connectionId: string,
  lastId: string | null,
  wake: () => void,
): Source {
  const ending = new AbortController()
  const items = activity.follow({
    matches: occurrence => occurrence.connectionId === connectionId,
    lastId,
    signal: ending.signal,
  })
  let message: LiveMessage | null = null
  let failure: { readonly error: unknown } | null = null

  function readAhead(): void {
    items.next().then(
      ({ done, value }) => {
        if (done === true) return
        message = { type: 'activity', item: value }
        wake()
      },
      error => {
        failure = { error }
        wake()
      },
    )
  }
  readAhead()

  return {
    take() {
      if (failure !== null) throw failure.error
      const taken = message
      message = null
      if (taken !== null) readAhead()
      return taken
    },
    stop: () => ending.abort(),
  }
}

/** Whether a message is due: at most once in an interval, and until it is taken. */
function createDue(intervalMs: number, wake: () => void) {
  let isDue = false
  const throttle = createThrottle(intervalMs, () => {
    isDue = true
    wake()
  })
  return {
    ask: () => throttle.ask(),
    take(): boolean {
      const was = isDue
      isDue = false
      return was
    },
    stop: () => throttle.stop(),
  }
}

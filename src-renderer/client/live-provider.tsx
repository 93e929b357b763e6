import { createSafeContext } from '@mantine/core'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import type { LiveMessage } from '#shared/model/live.ts'
import type { ConnectionStatistics } from '#shared/model/statistics.ts'
import { api, client } from './client.ts'
import { changeRows } from './connection-rows.ts'
import { followLive, wait } from './follow-live.ts'
import { oneAtATime, queries } from './query-client.ts'

type LiveState = 'connecting' | 'live' | 'lost'

/** `useLiveState` returns whether the screen is up to date. */
const [LiveContext, useLiveState] = createSafeContext<LiveState>('There is no LiveProvider.')

export { useLiveState }

/** How long the screens wait for the first stream, in milliseconds. A proxy may buffer it. */
const firstStreamMs = 2000

/**
 * Keeps the screen up to date with one stream. Shows the children once the stream reports changes: what they fetch is
 * then current, and is not fetched again.
 *
 * @param props.isPaused whether there is no session to read with. What is shown stays.
 */
export function LiveProvider(props: { readonly isPaused?: boolean; readonly children: ReactNode }) {
  const { isPaused = false, children } = props
  const [state, setState] = useState<LiveState>('connecting')
  const [isShown, setShown] = useState(false)
  /** Whether something may have changed since the last fetches that no message announces. */
  const mayMiss = useRef(false)

  const showWithoutStream = useCallback(() => {
    mayMiss.current = true
    setShown(true)
  }, [])
  useEffect(() => {
    if (isShown) return
    const timer = setTimeout(showWithoutStream, firstStreamMs)
    return () => clearTimeout(timer)
  }, [isShown, showWithoutStream])

  useEffect(() => {
    if (isPaused) {
      mayMiss.current = true
      return
    }
    const stop = new AbortController()
    void followLive({
      open: (lastEventId, signal) => client.live.follow({}, { signal, lastEventId }),
      onMessage(message) {
        if (!stop.signal.aborted) refresh(message)
      },
      onState(next) {
        if (stop.signal.aborted) return
        setState(next)
        if (next === 'lost') return showWithoutStream()
        setShown(true)
        // Fetches the changes made while the page was not connected.
        if (mayMiss.current) void queries.invalidateQueries()
        mayMiss.current = false
      },
      wait,
      signal: stop.signal,
    })
    return () => stop.abort()
  }, [isPaused, showWithoutStream])

  return <LiveContext value={state}>{isShown && children}</LiveContext>
}

const refetchRuns = oneAtATime(async () => {
  const keys = [api.runs.key(), api.workflows.overview.key(), api.workflows.steps.key()]
  await Promise.all(keys.map(queryKey => queries.invalidateQueries({ queryKey })))
})

/** Milliseconds between two readings of what counts many items at once, or lists many. */
const sumsEveryMs = 2000
const isCountedOverTime = ({ queryKey }: { readonly queryKey: readonly unknown[] }) =>
  Object(Object(queryKey[1]).input).buckets !== undefined
const refetchSums = oneAtATime(async () => {
  await Promise.all([
    queries.invalidateQueries({ queryKey: api.activity.counts.key(), predicate: isCountedOverTime }),
    queries.invalidateQueries({ queryKey: api.activity.groups.key() }),
    queries.invalidateQueries({ queryKey: api.cases.key() }),
  ])
  await wait(sumsEveryMs, new AbortController().signal)
})

/** The least and the most milliseconds between two readings of a list. */
const activityEveryMs = { least: 250, most: 2000 }
/** How many times as long as a reading took the page rests: however much happens, it has time for the reader. */
const restFactor = 4

/** Where something happened since the lists of it were refetched last. */
let happened = { connectionIds: new Set<string>(), more: false }
const refetchActivity = oneAtATime(async () => {
  const { connectionIds, more } = happened
  happened = { connectionIds: new Set(), more: false }
  const startedAt = performance.now()
  const isOfThese = ({ queryKey }: { readonly queryKey: readonly unknown[] }) => {
    const connectionId: unknown = Object(Object(queryKey[1]).input).connectionId
    return (
      !isCountedOverTime({ queryKey }) &&
      (more || typeof connectionId !== 'string' || connectionIds.has(connectionId))
    )
  }
  const keys = [api.activity.list.key(), api.activity.counts.key()]
  // Another node than the one of the list may not have had it yet.
  const opened = [api.attempts.get.key(), api.calls.get.key()]
  await Promise.all([
    ...keys.map(queryKey => queries.invalidateQueries({ queryKey, predicate: isOfThese })),
    ...opened.map(queryKey =>
      queries.invalidateQueries({
        queryKey,
        predicate: query => isOfThese(query) && query.state.status === 'error',
      }),
    ),
  ])
  const rest = restFactor * (performance.now() - startedAt)
  const { least, most } = activityEveryMs
  await wait(Math.min(Math.max(rest, least), most), new AbortController().signal)
})

const refetchFigures = oneAtATime(() =>
  queries.invalidateQueries({ queryKey: api.connections.figures.key() }),
)

/** The connections that a list shows of one state, or with a text, may be others once something has happened. */
const refetchNarrowed = oneAtATime(() =>
  queries.invalidateQueries({
    queryKey: api.connections.rows.key(),
    predicate({ queryKey }) {
      const { state, text } = Object(Object(queryKey[1]).input)
      return Boolean(state) || Boolean(text)
    },
  }),
)

/** @param changed the statistics of the connections that have changed; none if all may have. */
function takeStatistics(changed: readonly ConnectionStatistics[]): void {
  refetchFigures()
  refetchNarrowed()
  if (changed.length === 0) {
    void queries.invalidateQueries({ queryKey: api.statistics.key() })
    void queries.invalidateQueries({ queryKey: api.connections.rows.key() })
    return
  }
  const byId = new Map(changed.map(entry => [entry.connectionId, entry]))
  for (const [connectionId, entry] of byId)
    queries.setQueryData(api.statistics.get.queryKey({ input: { connectionId } }), before => before && entry)
  changeRows(row => {
    const statistics = byId.get(row.connectionId)
    return statistics === undefined ? row : { ...row, statistics }
  })
}

/** Brings what is fetched up to date with a message. */
function refresh(message: LiveMessage): void {
  if (message.type === 'statistics') takeStatistics(message.statistics.connections)
  else if (message.type === 'listener')
    queries.setQueryData(
      api.service.get.queryKey(),
      before => before && { ...before, listener: message.listener },
    )
  else if (message.type === 'runs.changed') refetchRuns()
  else if (message.type === 'activity.changed') {
    for (const connectionId of message.connectionIds) happened.connectionIds.add(connectionId)
    happened.more ||= message.more
    refetchActivity()
    refetchSums()
  } else if (message.type === 'conversations')
    void queries.invalidateQueries({ queryKey: api.conversations.list.key() })
  else if (message.type === 'assistant') void queries.invalidateQueries({ queryKey: api.assistant.key() })
  else
    void queries.invalidateQueries({
      predicate: ({ queryKey }) => Array.isArray(queryKey[0]) && queryKey[0][0] !== 'statistics',
    })
}

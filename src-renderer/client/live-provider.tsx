import { createSafeContext } from '@mantine/core'
import { getEventMeta } from '@orpc/client'
import {
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { LiveMessage } from '#shared/model/live.ts'
import { type ActivitySnapshot, createActivityStore, throttledFrames } from './activity-store.ts'
import { api, client } from './client.ts'
import { followLive, wait } from './follow-live.ts'
import { mergeStatistics, oneAtATime, queries } from './query-client.ts'

type LiveState = 'connecting' | 'live' | 'lost'

type Live = {
  readonly state: LiveState
  readonly store: ReturnType<typeof createActivityStore>
  /** Also follows the activity of a connection. @returns a function that stops it. */
  watch(connectionId: string): () => void
}
type Watcher = { readonly connectionId: string }

const [LiveContext, useLive] = createSafeContext<Live>('There is no LiveProvider.')

/** How long the screens wait for the first stream, in milliseconds. A proxy may buffer it. */
const firstStreamMs = 2000

/**
 * Keeps the screen up to date with one stream: statistics and configuration, and the activity of the connection
 * that a screen watches. Shows the children once the stream reports changes: what they fetch is then current, and is
 * not fetched again.
 */
export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const [state, setState] = useState<LiveState>('connecting')
  // A list, not one id: when one screen replaces another, the new one may watch before the old one stops.
  const [watchers, setWatchers] = useState<readonly Watcher[]>([])
  const watched = watchers.at(-1)?.connectionId ?? null
  const [store] = useState(() => createActivityStore(throttledFrames()))
  const [isShown, setShown] = useState(false)
  /** Whether something may have changed since the last fetches that no message announces. */
  const mayMiss = useRef(false)
  /** The id of the last message, after which another stream continues. */
  const lastId = useRef<string>(undefined)

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
    const stop = new AbortController()
    const since = lastId.current
    // The store starts over together with the stream, so it never misses an item.
    store.watch(watched)
    // The data is current again with the new stream's first message.
    setState(before => (before === 'live' ? 'connecting' : before))
    // The activity of a connection updates what its screens have fetched only while it is watched.
    void queries.invalidateQueries({ type: 'inactive', refetchType: 'none' })
    void followLive({
      open: (lastEventId, signal) =>
        client.live.follow({ activityOf: watched ?? undefined, since }, { signal, lastEventId }),
      onMessage(message) {
        if (stop.signal.aborted) return
        lastId.current = getEventMeta(message)?.id
        if (message.type === 'activity') store.add(message.item)
        else refresh(message)
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
  }, [watched, store, showWithoutStream])

  const watch = useCallback((connectionId: string) => {
    const watcher = { connectionId }
    setWatchers(before => [...before, watcher])
    return () => setWatchers(before => before.filter(other => other !== watcher))
  }, [])
  const live = useMemo(() => ({ state, store, watch }), [state, store, watch])
  return <LiveContext value={live}>{isShown && children}</LiveContext>
}

const refetchRuns = oneAtATime(async () => {
  const keys = [api.runs.key(), api.workflows.overview.key(), api.workflows.steps.key()]
  await Promise.all(keys.map(queryKey => queries.invalidateQueries({ queryKey })))
})

/** Brings what is fetched up to date with a message. */
function refresh(message: Exclude<LiveMessage, { type: 'activity' }>): void {
  if (message.type === 'statistics')
    queries.setQueryData(api.statistics.list.queryKey({ input: {} }), before =>
      mergeStatistics(before, message.statistics),
    )
  else if (message.type === 'listener')
    queries.setQueryData(
      api.service.get.queryKey(),
      before => before && { ...before, listener: message.listener },
    )
  else if (message.type === 'runs.changed') refetchRuns()
  else if (message.type === 'conversations')
    void queries.invalidateQueries({ queryKey: api.conversations.list.key() })
  else if (message.type === 'assistant') void queries.invalidateQueries({ queryKey: api.assistant.key() })
  else
    void queries.invalidateQueries({
      predicate: ({ queryKey }) => Array.isArray(queryKey[0]) && queryKey[0][0] !== 'statistics',
    })
}

/** Returns whether the screen is up to date. */
export function useLiveState(): LiveState {
  return useLive().state
}

/** Returns a connection's activity, kept and new, and watches it while the calling component is mounted. */
export function useActivity(connectionId: string): ActivitySnapshot {
  const { store, watch } = useLive()
  useEffect(() => watch(connectionId), [watch, connectionId])
  const snapshot = useSyncExternalStore(store.subscribe, store.snapshot)
  return snapshot.connectionId === connectionId ? snapshot : { connectionId, items: [] }
}

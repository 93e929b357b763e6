import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createStatistics } from '#main/history/statistics/statistics.ts'
import { createBus } from '#main/lib/bus.ts'
import { countChanges, type FollowRequest, followLive, type LiveParts } from '#main/live/live.ts'
import type { LiveMessage } from '#shared/model/live.ts'
import type { ListenerStatus } from '#shared/model/service.ts'
import { startOfTests } from '../support/connection-records.ts'
import { startInbound } from '../support/inbound-fixture.ts'
import { take } from '../support/take.ts'

const listener: ListenerStatus = {
  host: '127.0.0.1',
  port: 8787,
  url: 'http://127.0.0.1:8787',
  since: new Date(startOfTests).toISOString(),
  fixedBy: null,
}

/** Real parts over the inbound channel of two connections; timers move by hand from here on. */
async function openLiveParts({ isShared = false } = {}) {
  const fixture = await startInbound({ connection: { persistEvents: false } })
  const onError = (error: unknown) => void fixture.errors.push(error)
  const { store, activity, inbound, clock } = fixture
  let followers = 0
  const statistics = createStatistics({
    pausedUntil: () => null,
    store,
    diagnose: inbound.diagnoseLate,
    clock: () => clock.now,
    onError,
    loaded: { since: null, connections: new Map() },
  })
  fixture.occurrences.subscribe(statistics.add)
  const listenerChanges = createBus<ListenerStatus>(onError)
  const runChanges = createBus<string | null>(onError)
  const knowledgeChanges = createBus<void>(onError)
  const pauses = createBus<string>(onError)
  const parts: LiveParts = {
    store: {
      snapshot: store.snapshot,
      everywhere: {
        count: store.everywhere.count,
        subscribe(call) {
          followers++
          const stop = store.everywhere.subscribe(call)
          return () => {
            followers--
            return stop()
          }
        },
      },
    },
    activity,
    assistantChanges: createBus<void>(onError),
    knowledgeChanges,
    pauses,
    conversationChanges: createBus<void>(onError),
    statistics,
    listenerStatus: () => listener,
    listenerChanges,
    ...{ runChanges, isShared },
    clock: () => clock.now,
  }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  return {
    ...fixture,
    listenerChanges,
    runChanges,
    countChanges: () => countChanges(parts),
    /** Whether any timer or subscription of a reader is left. The store and the listener have timers too, for a while. */
    isAnythingLeft: () =>
      followers > 0 ||
      vi.getTimerCount() > 0 ||
      statistics.changes.hasListeners() ||
      runChanges.hasListeners() ||
      activity.changes.hasListeners() ||
      listenerChanges.hasListeners(),
    follow(request: Partial<FollowRequest> = {}) {
      const leaving = new AbortController()
      const stream = followLive(parts, {
        known: countChanges(parts),
        signal: leaving.signal,
        ...request,
      })
      return { stream, leave: () => leaving.abort() }
    },
  }
}

/** The next message, and whether it is there yet. */
function nextOf(stream: AsyncGenerator<LiveMessage>) {
  const state: { message: LiveMessage | null } = { message: null }
  const arrival = stream.next().then(({ value }) => {
    state.message = value ?? null
  })
  return { state, arrival }
}

/** The messages of a stream without those about the activity, which most events lead to as well. */
async function* withoutActivity(stream: AsyncGenerator<LiveMessage>) {
  for await (const message of stream) if (message.type !== 'activity.changed') yield message
}

const countsOf = (message: LiveMessage | null) =>
  message?.type === 'statistics'
    ? Object.fromEntries(
        message.statistics.connections.map(({ connectionId, accepted }) => [connectionId, accepted]),
      )
    : message

describe('a live stream', () => {
  test('sends changed statistics, at most once a second, after an empty message at the start', async () => {
    const { follow, post, other } = await openLiveParts()
    const stream = withoutActivity(follow().stream)
    expect(countsOf((await take(stream, 1))[0] ?? null)).toEqual({})
    const { state, arrival } = nextOf(stream)
    for (const event of ['a', 'b', 'c']) await post({ body: JSON.stringify({ event }) })
    await vi.advanceTimersByTimeAsync(999)
    expect(state.message).toBeNull()
    await vi.advanceTimersByTimeAsync(1)
    await arrival
    expect(countsOf(state.message)).toEqual({ conn_first: 3 })

    const later = nextOf(stream)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(later.state.message).toBeNull()
    await post({}, other)
    await later.arrival
    expect(countsOf(later.state.message)).toEqual({ conn_second: 1 })
  })

  test('sends statistics again when other nodes have them, with those that changed meanwhile', async () => {
    const { follow, post, other } = await openLiveParts({ isShared: true })
    const stream = withoutActivity(follow().stream)
    await take(stream, 1)
    await vi.advanceTimersByTimeAsync(2000)
    await post({})
    expect((await take(stream, 1)).map(countsOf)).toEqual([{ conn_first: 1 }])
    await vi.advanceTimersByTimeAsync(600)
    await post({}, other)
    await vi.advanceTimersByTimeAsync(400)
    expect((await take(stream, 1)).map(countsOf)).toEqual([{ conn_second: 1 }])
    await vi.advanceTimersByTimeAsync(1000)
    expect((await take(stream, 1)).map(countsOf)).toEqual([{ conn_first: 1, conn_second: 1 }])
    const { state } = nextOf(stream)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(state.message).toBeNull()
  })

  test('announces a new connection', async () => {
    const { follow, store } = await openLiveParts()
    const { stream } = follow()
    await take(stream, 1)
    await vi.advanceTimersByTimeAsync(1000)
    await store.update(config => {
      const [first] = config.connections.values()
      if (first === undefined) throw new Error('There are two.')
      const third = { ...first, connectionId: 'conn_third', inboundToken: 'third' }
      const connections = new Map(config.connections).set('conn_third', third)
      return { next: { ...config, connections }, result: undefined }
    })
    const messages = await take(stream, 2)
    expect(messages.map(countsOf)).toEqual([{ conn_third: 0 }, { type: 'configuration' }])
  })

  test('announces changes of the configuration at most five times a second', async () => {
    const { follow, change } = await openLiveParts()
    const { stream, leave } = follow()
    await take(stream, 1)
    let told = 0
    const reading = (async () => {
      for await (const message of stream) if (message.type === 'configuration') told++
    })()
    for (let time = 0; time < 20; time++) {
      await change({ name: `name ${time}` })
      await vi.advanceTimersByTimeAsync(time === 19 ? 49 : 50)
    }
    expect(told).toBe(5)
    await vi.advanceTimersByTimeAsync(1)
    expect(told).toBe(6)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(told).toBe(6)
    leave()
    await reading
  })

  test('announces the listener’s new address', async () => {
    const { follow, listenerChanges } = await openLiveParts()
    const { stream } = follow()
    await take(stream, 1)
    listenerChanges.publish({ ...listener, url: null, since: null })
    expect(await take(stream, 1)).toEqual([{ type: 'listener', listener }])
  })

  test('says every 5 minutes that all statistics may have changed', async () => {
    const { follow, post, clock } = await openLiveParts()
    const stream = withoutActivity(follow().stream)
    await post()
    await take(stream, 1)
    const { state, arrival } = nextOf(stream)
    const fiveMinutes = 5 * 60_000
    clock.now += fiveMinutes
    await vi.advanceTimersByTimeAsync(fiveMinutes - 1)
    expect(state.message).toBeNull()
    await vi.advanceTimersByTimeAsync(1)
    await arrival
    expect(countsOf(state.message)).toEqual({})
    const next = nextOf(stream)
    clock.now += fiveMinutes
    await vi.advanceTimersByTimeAsync(fiveMinutes)
    await next.arrival
    expect(countsOf(next.state.message)).toEqual({})
  })

  test('names the connections where something happened, at most four times a second and a hundred at once', async () => {
    const { follow, post, other, activity } = await openLiveParts()
    const { stream } = follow()
    await take(stream, 1)
    const first = nextOf(stream)
    await post()
    await first.arrival
    expect(first.state.message).toEqual({
      type: 'activity.changed',
      connectionIds: ['conn_first'],
      more: false,
    })
    const second = nextOf(stream)
    for (const account of [undefined, other, other]) await post({}, account)
    await vi.advanceTimersByTimeAsync(249)
    expect(second.state.message).toBeNull()
    await vi.advanceTimersByTimeAsync(1)
    await second.arrival
    expect(second.state.message).toMatchObject({ connectionIds: ['conn_first', 'conn_second'], more: false })
    await vi.advanceTimersByTimeAsync(1000)
    expect(await take(stream, 1)).toMatchObject([{ type: 'statistics' }])

    const third = nextOf(stream)
    await post({ signedBody: 'another' })
    await third.arrival
    expect(third.state.message).toMatchObject({ connectionIds: ['conn_first'] })
    // Its diagnosis, which another thread made.
    await vi.advanceTimersByTimeAsync(250)
    expect(await take(stream, 1)).toMatchObject([{ type: 'activity.changed', connectionIds: ['conn_first'] }])
    await vi.advanceTimersByTimeAsync(1000)
    await take(stream, 1)

    const last = nextOf(stream)
    for (let n = 0; n < 101; n++) activity.changes.publish(`conn_${n}`)
    await last.arrival
    expect(last.state.message).toMatchObject({ connectionIds: { length: 100 }, more: true })
    activity.changes.publish(null)
    await vi.advanceTimersByTimeAsync(250)
    expect(await take(stream, 1)).toMatchObject([{ connectionIds: [], more: true }])
  })

  test('names the runs that changed, at most four times a second and a hundred at once', async () => {
    const { follow, runChanges } = await openLiveParts()
    const { stream } = follow()
    await take(stream, 1)
    const first = nextOf(stream)
    runChanges.publish('run_a')
    await first.arrival
    expect(first.state.message).toEqual({ type: 'runs.changed', runIds: ['run_a'], more: false })
    const second = nextOf(stream)
    for (const runId of ['run_a', 'run_b', 'run_a']) runChanges.publish(runId)
    await vi.advanceTimersByTimeAsync(249)
    expect(second.state.message).toBeNull()
    await vi.advanceTimersByTimeAsync(1)
    await second.arrival
    expect(second.state.message).toEqual({ type: 'runs.changed', runIds: ['run_a', 'run_b'], more: false })
    const third = nextOf(stream)
    for (let n = 0; n < 101; n++) runChanges.publish(`run_${n}`)
    await vi.advanceTimersByTimeAsync(250)
    await third.arrival
    expect(third.state.message).toMatchObject({ runIds: { length: 100 }, more: true })
    const fourth = nextOf(stream)
    runChanges.publish(null)
    await vi.advanceTimersByTimeAsync(250)
    await fourth.arrival
    expect(fourth.state.message).toEqual({ type: 'runs.changed', runIds: [], more: true })
  })

  test('announces at first which kinds have changed since the counts that its reader knows', async () => {
    const { follow, change, countChanges, runChanges, listenerChanges } = await openLiveParts()
    await change({ name: 'known' })
    runChanges.publish('run_known')
    const known = countChanges()
    const first = follow({ known: { ...known } })
    expect(await take(first.stream, 1)).toMatchObject([{ type: 'statistics' }])
    const next = nextOf(first.stream)
    await vi.advanceTimersByTimeAsync(1000)
    expect(next.state.message).toBeNull()
    first.leave()

    await change({ name: 'missed' })
    const second = follow({ known })
    expect(await take(second.stream, 2)).toMatchObject([{ type: 'statistics' }, { type: 'configuration' }])
    second.leave()
    // The reader has been told of it, and keeps the counts for its next stream.
    runChanges.publish('run_missed')
    listenerChanges.publish(listener)
    expect(await take(follow({ known }).stream, 3)).toMatchObject([
      { type: 'statistics' },
      { type: 'runs.changed', runIds: [], more: true },
      { type: 'listener' },
    ])
  })

  test('does not count a change as known before the message that announces it', async () => {
    const { follow, change, countChanges } = await openLiveParts()
    const known = countChanges()
    const { stream, leave } = follow({ known })
    await take(stream, 1)
    await change({ name: 'first' })
    await take(stream, 1)
    // Throttled: its message is due in 200 ms, and the reader leaves before.
    await change({ name: 'second' })
    leave()
    expect(await take(follow({ known }).stream, 2)).toMatchObject([
      { type: 'statistics' },
      { type: 'configuration' },
    ])
  })

  test('announces to a reader that knows nothing that anything may have changed', async () => {
    const { follow } = await openLiveParts()
    const known = {
      configuration: -1,
      runs: -1,
      activity: -1,
      assistant: -1,
      conversations: -1,
      listener: -1,
    }
    expect(await take(follow({ known }).stream, 7)).toMatchObject([
      { type: 'statistics' },
      { type: 'configuration' },
      { type: 'runs.changed', runIds: [], more: true },
      { type: 'activity.changed', connectionIds: [], more: true },
      { type: 'assistant' },
      { type: 'conversations' },
      { type: 'listener' },
    ])
  })
})

describe('when a reader leaves', () => {
  test('releases everything while it waits', async () => {
    const { follow, post, isAnythingLeft } = await openLiveParts()
    await post()
    const { stream, leave } = follow()
    await take(stream, 1)
    const waiting = stream.next()
    expect(isAnythingLeft()).toBe(true)
    leave()
    expect(await waiting).toEqual({ value: undefined, done: true })
    await expect.poll(isAnythingLeft).toBe(false)
  })

  test('releases everything in a pause, with waiting messages, or before the first one', async () => {
    const { follow, post, change, isAnythingLeft } = await openLiveParts()
    const paused = follow()
    await take(paused.stream, 1)
    await post()
    await change({ name: 'changed' })
    await paused.stream.return(undefined)
    await expect.poll(isAnythingLeft).toBe(false)

    const busy = follow()
    await take(busy.stream, 1)
    busy.leave()
    expect(await busy.stream.next()).toEqual({ value: undefined, done: true })
    await expect.poll(isAnythingLeft).toBe(false)

    const late = follow({ signal: AbortSignal.abort() })
    expect(await late.stream.next()).toEqual({ value: undefined, done: true })
    await expect.poll(isAnythingLeft).toBe(false)
  })
})

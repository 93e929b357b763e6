import { type Bus, createBus } from '#main/lib/bus.ts'
import { createSerialQueue } from '#main/lib/serial-queue.ts'
import { hourMs } from '#shared/durations.ts'
import type { RateLimit } from '#shared/model/rate-limit.ts'
import {
  type CallAsked,
  type CallRoom,
  type CallSettled,
  type CallWindow,
  settleCalls,
  takeRoom,
  withoutLine,
} from './call-window.ts'
import { createCoalescedPoll } from './coalesced-poll.ts'
import type { Signals } from './signals.ts'

/** A connection whose server asked for no calls until a time, in milliseconds since 1970. */
export type CallPause = { readonly connectionId: string; readonly until: number }

/** The longest pause. */
export const longestPauseMs = hourMs

/**
 * Limits the calls of connections on all nodes: by their pauses, which survive a restart, and by the calls that count in
 * their rate limits. Every implementation must pass test/storage/call-limits-contract.ts.
 */
export type CallLimits = {
  /** Returns when the pause of a connection ends; null if it is not paused. In memory, at no cost. */
  pausedUntil(connectionId: string): number | null
  /**
   * Pauses a connection, at most for `longestPauseMs`; it does not shorten a pause. On this node it holds at once, on others
   * within about a second.
   */
  pause(connectionId: string, until: number): Promise<void>
  /** Ends the pause of a connection. */
  resume(connectionId: string): Promise<void>
  /** Publishes the id of each connection whose pause began, changed or ended early, on whatever node. */
  readonly pauses: Pick<Bus<string>, 'subscribe' | 'count'>
  /** Asks for room in the rate limit of a connection. @throws ServiceError `storage_unavailable`. */
  take(connectionId: string, limit: RateLimit, asked: CallAsked): Promise<CallRoom>
  /** Forgets when those that wait for room were told to come: all come now. @throws ServiceError `storage_unavailable`. */
  beginLine(connectionId: string): Promise<void>
  /** Says that a call was answered, or was not sent. Never fails. */
  settle(connectionId: string, limit: RateLimit, settled: CallSettled): void
}

/** Where the limits are kept. */
export type CallLimitRecords = {
  /** Returns the pauses that have not ended. */
  pauses(now: number): Promise<readonly CallPause[]>
  /** Keeps a pause, unless a longer one is kept. */
  setPause(pause: CallPause, now: number): Promise<void>
  endPause(connectionId: string): Promise<void>
  /** Changes the window of a connection. The changes of all nodes follow one another. @param change pure. */
  change<Result>(
    connectionId: string,
    change: (window: CallWindow, now: number) => { readonly window: CallWindow; readonly result: Result },
  ): Promise<Result>
}

export type CallLimitsOptions = {
  readonly records: CallLimitRecords
  readonly signals: Signals
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Milliseconds between two looks for pauses of other nodes; null if there are none. */
  readonly pollMs: number | null
  /** Milliseconds after which a call without an answer counts as arrived. */
  readonly arrivesWithinMs?: number | undefined
  readonly onError: (error: unknown) => void
}

/** The calls that wait for the next change of a window. */
type Waiting = {
  limit: RateLimit
  readonly asked: (CallAsked & { resolve(room: CallRoom): void; reject(error: unknown): void })[]
  readonly settled: CallSettled[]
}

const topic = 'pauses'

export async function openCallLimits(
  options: CallLimitsOptions,
): Promise<CallLimits & { close(): Promise<void> }> {
  const { records, signals, clock, pollMs, arrivesWithinMs, onError } = options
  const pauses = createBus<string>(onError)
  let known = new Map<string, number>()
  /** Pauses that are being written: a look that began before may not find them. */
  const writing = new Map<string, number>()
  const inTurn = createSerialQueue()
  const waiting = new Map<string, Waiting>()
  const changing = new Map<string, Promise<void>>()
  // A look that fails is left out: the next one finds the same.
  const poll = createCoalescedPoll(() => inTurn(read))
  const stopSignals = signals.on(topic, poll)
  await read()
  const timer = pollMs === null ? undefined : setInterval(poll, pollMs).unref()

  async function read(): Promise<void> {
    const found = await records.pauses(clock())
    const next = new Map(found.map(({ connectionId, until }) => [connectionId, until]))
    for (const [connectionId, until] of writing)
      next.set(connectionId, Math.max(until, next.get(connectionId) ?? 0))
    const before = known
    const now = clock()
    known = next
    for (const id of new Set([...before.keys(), ...next.keys()])) {
      const until = before.get(id)
      // One that has only ended tells it by its time.
      const isOver = !next.has(id) && until !== undefined && until <= now
      if (until !== next.get(id) && !isOver) pauses.publish(id)
    }
  }

  function changed(connectionId: string): void {
    pauses.publish(connectionId)
    signals.send(topic, connectionId)
  }

  function waitingOf(connectionId: string, limit: RateLimit): Waiting {
    const one = waiting.get(connectionId) ?? { limit, asked: [], settled: [] }
    one.limit = limit
    waiting.set(connectionId, one)
    return one
  }

  /** Carries out what waits for a window, together while an earlier change is under way. */
  async function changeAll(connectionId: string): Promise<void> {
    for (let next = waiting.get(connectionId); next !== undefined; next = waiting.get(connectionId)) {
      waiting.delete(connectionId)
      const { limit, asked, settled } = next
      try {
        const rooms = await records.change(connectionId, (window, now) => {
          const after = settleCalls(window, limit, now, settled)
          const taken = takeRoom(after, limit, now, asked, arrivesWithinMs)
          return { window: taken.window, result: taken.rooms }
        })
        for (const [index, room] of rooms.entries()) asked[index]?.resolve(room)
      } catch (error) {
        // Places that are not given back count a little longer.
        for (const one of asked) one.reject(error)
      }
    }
    changing.delete(connectionId)
  }

  function changeSoon(connectionId: string): void {
    if (!changing.has(connectionId))
      changing.set(
        connectionId,
        Promise.resolve().then(() => changeAll(connectionId)),
      )
  }

  return {
    pausedUntil(connectionId) {
      if (known.size === 0) return null
      const until = known.get(connectionId)
      if (until === undefined) return null
      const left = until - clock()
      // After the clock was set back, the end may be far ahead.
      return left > 0 && left <= longestPauseMs ? until : null
    },
    async pause(connectionId, until) {
      const now = clock()
      const end = Math.min(Math.ceil(until), now + longestPauseMs)
      if (end <= Math.max(now, known.get(connectionId) ?? 0)) return
      known.set(connectionId, end)
      writing.set(connectionId, end)
      await inTurn(async () => {
        try {
          await records.setPause({ connectionId, until: end }, now)
        } finally {
          if (writing.get(connectionId) === end) writing.delete(connectionId)
        }
      })
      changed(connectionId)
    },
    async resume(connectionId) {
      await inTurn(async () => {
        await records.endPause(connectionId)
        writing.delete(connectionId)
        known.delete(connectionId)
      })
      changed(connectionId)
    },
    pauses,
    take: (connectionId, limit, asked) =>
      new Promise((resolve, reject) => {
        waitingOf(connectionId, limit).asked.push({ ...asked, resolve, reject })
        changeSoon(connectionId)
      }),
    beginLine: connectionId =>
      records.change(connectionId, window => ({ window: withoutLine(window), result: undefined })),
    settle(connectionId, limit, settled) {
      waitingOf(connectionId, limit).settled.push(settled)
      changeSoon(connectionId)
    },
    async close() {
      stopSignals()
      clearInterval(timer)
      await Promise.all(changing.values())
      await inTurn(async () => {})
    },
  }
}

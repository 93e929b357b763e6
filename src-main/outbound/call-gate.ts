import { setTimeout as delay } from 'node:timers/promises'
import { type CallLimits, longestPauseMs } from '#main/storage/call-limits.ts'
import type { ConnectionRecord } from '#main/storage/config.ts'
import type { ConfigStore } from '#main/storage/config-store.ts'
import type { CallError } from '#shared/model/call.ts'
import type { RateLimit } from '#shared/model/rate-limit.ts'
import { callError } from './failures.ts'
import type { OutboundRequest } from './outbound-request.ts'
import { type RetryHint, retryAfterMs } from './retry-after.ts'
import { pathBelow } from './sign-in.ts'

/** Milliseconds for which a call waits for room, unless its caller comes again. */
export const waitsForMs = 2000
/** Milliseconds between two looks for room: an answer may make some earlier than it was told. */
const lookEveryMs = 250

/** A call that may be sent. */
export type Admitted = {
  /** Gives its place in the rate limit back. Must be called when the call has ended. */
  leave(isSent: boolean): void
}
/** A call for which there is no room before a time, in milliseconds since 1970. */
export type Held = { readonly until: number; readonly because: 'pause' | 'limit'; readonly error: CallError }

export type CallGateParts = {
  readonly limits: CallLimits
  readonly store: Pick<ConfigStore, 'snapshot'>
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly onError: (error: unknown) => void
}

const limitWords = ({ calls, perSeconds }: RateLimit) =>
  `${calls} ${calls === 1 ? 'call' : 'calls'} in ${perSeconds} s`

const free: Admitted = { leave() {} }

/** Creates what holds calls back: those of paused connections, and those for which a rate limit has no room. */
export function createCallGate({ limits, store, clock, onError }: CallGateParts) {
  const connectionOf = (connectionId: string) => store.snapshot().connections.get(connectionId)

  /** Returns the connection whose API a request calls; null for none. An `http` step may call another one. */
  function calledBy({ connectionId, actionId, origin, target }: OutboundRequest): ConnectionRecord | null {
    const connection = connectionId === null ? undefined : connectionOf(connectionId)
    if (connection === undefined || actionId !== null) return connection ?? null
    const { baseUrl } = connection
    return baseUrl === null || pathBelow(baseUrl, new URL(origin + target)) === null ? null : connection
  }

  /** Returns whether a connection has any limit now. Costs nothing for those without. */
  function isLimited(connectionId: string): boolean {
    if (limits.pausedUntil(connectionId) !== null) return true
    return connectionOf(connectionId)?.rateLimit !== undefined
  }

  /** Asks once for room. @throws ServiceError `storage_unavailable`. */
  async function ask(connection: ConnectionRecord, comesAgain: boolean): Promise<Admitted | Held> {
    const { connectionId, rateLimit } = connection
    const paused = limits.pausedUntil(connectionId)
    if (paused !== null) return held(connection, paused, 'pause')
    if (rateLimit === undefined) return free
    const room = await limits.take(connectionId, rateLimit, { comesAgain })
    if ('dueAt' in room) return held(connection, room.dueAt, 'limit')
    const { place } = room
    const leave = (isSent: boolean) => limits.settle(connectionId, rateLimit, { place, isSent })
    const pausedMeanwhile = limits.pausedUntil(connectionId)
    if (pausedMeanwhile === null) return { leave }
    leave(false)
    return held(connection, pausedMeanwhile, 'pause')
  }

  function held({ name, rateLimit }: ConnectionRecord, until: number, because: Held['because']): Held {
    const seconds = Math.max(1, Math.ceil((until - clock()) / 1000))
    const why =
      because === 'pause'
        ? `${name} asked for no calls for another ${seconds} s.`
        : `The rate limit of ${name}, ${rateLimit && limitWords(rateLimit)}, has no room for another ${seconds} s.`
    const data = { retryAt: new Date(until).toISOString(), retryAfterSeconds: seconds }
    return { until, because, error: callError('rate_limited', `${why} No request was sent.`, data) }
  }

  return {
    /**
     * Lets a call pass. Returns null for one without limits, synchronously. A call waits for up to two seconds.
     *
     * @param comesAgain whether its caller comes again later instead of waiting.
     * @throws ServiceError `storage_unavailable` if the database cannot tell.
     */
    enter(
      request: OutboundRequest,
      comesAgain: boolean,
      signal?: AbortSignal,
    ): Promise<Admitted | Held> | null {
      if (request.connectionId === null || !isLimited(request.connectionId)) return null
      return calledBy(request) && pass(request, comesAgain, signal)
    },
    /** Pauses the connection of a call whose answer asks for it. Returns until when; null if it does not ask. */
    answered(request: OutboundRequest, response: RetryHint): Promise<number | null> | null {
      const now = clock()
      const waitMs = Math.min(retryAfterMs(response, now), longestPauseMs)
      const connectionId = waitMs > 0 ? calledBy(request)?.connectionId : undefined
      return connectionId === undefined ? null : pause(connectionId, now + waitMs)
    },
  }

  async function pause(connectionId: string, until: number): Promise<number | null> {
    // On this node it holds also if it cannot be written.
    await limits.pause(connectionId, until).catch(onError)
    return limits.pausedUntil(connectionId)
  }

  async function pass(
    request: OutboundRequest,
    comesAgain: boolean,
    signal: AbortSignal | undefined,
  ): Promise<Admitted | Held> {
    for (let left = waitsForMs; ; ) {
      // It may have another limit by now, or be gone.
      const connection = calledBy(request)
      if (connection === null) return free
      const asked = await ask(connection, comesAgain)
      if (!('until' in asked) || comesAgain) return asked
      const waitMs = asked.until - clock()
      if (waitMs > left || signal?.aborted) return asked
      const ms = Math.min(Math.max(1, waitMs), lookEveryMs)
      // An aborted wait is found in the next turn.
      await delay(ms, undefined, signal && { signal }).catch(() => {})
      left -= ms
    }
  }
}

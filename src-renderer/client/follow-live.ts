import { getEventMeta } from '@orpc/client'
import type { LiveMessage } from '#shared/model/live.ts'

/** How long to wait before the next try, in milliseconds, by the number of tries that failed. */
export function retryDelay(failures: number): number {
  return Math.min(10_000, 250 * 2 ** Math.min(failures, 6))
}

export type LiveSource = (
  lastEventId: string | undefined,
  signal: AbortSignal,
) => Promise<AsyncIterable<LiveMessage>>

type FollowOptions = {
  readonly open: LiveSource
  readonly onMessage: (message: LiveMessage) => void
  /** Told when the stream is there, before its first message, and when it is gone and tried again. */
  readonly onState: (state: 'live' | 'lost', error?: unknown) => void
  /** Resolves after so many milliseconds, or when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
}

/**
 * Follows the live stream until the signal aborts: whenever it breaks off it is opened again, from the last
 * activity seen, with growing pauses.
 */
export async function followLive({ open, onMessage, onState, wait, signal }: FollowOptions): Promise<void> {
  let lastEventId: string | undefined
  let failures = 0
  while (!signal.aborted) {
    try {
      const stream = await open(lastEventId, signal)
      let isLive = false
      for await (const message of stream) {
        // With its first message, and no sooner, the service listens to all that changes.
        if (!isLive) onState('live')
        isLive = true
        failures = 0
        lastEventId = getEventMeta(message)?.id ?? lastEventId
        onMessage(message)
      }
      // The service ended it, as it does when it stops.
      if (!signal.aborted) onState('lost')
    } catch (error) {
      if (signal.aborted) return
      onState('lost', error)
    }
    await wait(retryDelay(failures++), signal)
  }
}

import { getEventMeta } from '@orpc/client'

/** Returns the backoff before the next attempt, in milliseconds. */
export function retryDelay(failures: number): number {
  return Math.min(10_000, 250 * 2 ** Math.min(failures, 6))
}

export type LiveSource<Message> = (
  lastEventId: string | undefined,
  signal: AbortSignal,
) => Promise<AsyncIterable<Message>>

type FollowOptions<Message> = {
  readonly open: LiveSource<Message>
  readonly onMessage: (message: Message) => void
  /**
   * Called with `live` before the first message of a stream. Called with `lost` before the next attempt after a stream
   * that failed, or that ended without a message.
   */
  readonly onState: (state: 'live' | 'lost', error?: unknown) => void
  /** Resolves after these milliseconds or when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
}

/** Resolves after these milliseconds or when the signal aborts. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    setTimeout(resolve, ms)
    signal.addEventListener('abort', () => resolve())
  })
}

/**
 * Follows a live stream until the signal aborts. Reopens a broken stream from the last item seen, with exponential
 * backoff.
 */
export async function followLive<Message>(options: FollowOptions<Message>): Promise<void> {
  const { open, onMessage, onState, wait, signal } = options
  let lastEventId: string | undefined
  let failures = 0
  while (!signal.aborted) {
    try {
      const stream = await open(lastEventId, signal)
      let isLive = false
      for await (const message of stream) {
        // The service is sure to report every change only from its first message on.
        if (!isLive) onState('live')
        isLive = true
        failures = 0
        lastEventId = getEventMeta(message)?.id ?? lastEventId
        onMessage(message)
      }
      // A service that stops ends the stream. Behind a load balancer, another one answers at once.
      if (!signal.aborted && !isLive) onState('lost')
    } catch (error) {
      if (signal.aborted) return
      onState('lost', error)
    }
    await wait(retryDelay(failures++), signal)
  }
}

import type { LiveMessage } from '#shared/model/live.ts'
import {
  activitySource,
  configurationSource,
  type LiveParts,
  listenerSource,
  type Source,
  statisticsSource,
} from './sources.ts'

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

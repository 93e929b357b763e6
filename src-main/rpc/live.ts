import { withEventMeta } from '@orpc/server'
import { findConnection } from '#main/connections/connections.ts'
import { followLive } from '#main/live/live.ts'
import type { LiveMessage } from '#shared/model/live.ts'
import type { Base } from './base.ts'
import type { RpcParts } from './context.ts'

/** How long a client waits before it reconnects, in milliseconds. */
const retryMs = 1000
/** Less than every id of the feed: a reader that reconnects before its first item gets everything that is kept. */
const idBeforeAll = '0'

export function live(os: Base, parts: RpcParts) {
  return os.live.router({
    follow: os.live.follow.handler(({ input: { activityOf }, lastEventId, signal }) => {
      // Before the stream starts, so that a wrong id returns an error response.
      if (activityOf !== undefined) findConnection(parts.store.snapshot(), activityOf)
      const lastId = lastEventId ?? null
      return withMeta(
        followLive(
          { ...parts, runChanges: parts.engine.changes, assistantChanges: parts.assistant.changes },
          { activityOf, lastId, signal },
        ),
        lastId ?? idBeforeAll,
      )
    }),
  })
}

/** @param firstId the id of the first message, from which a reader can continue. */
async function* withMeta(messages: AsyncIterable<LiveMessage>, firstId: string) {
  let id: string | null = firstId
  for await (const message of messages) {
    if (message.type === 'activity') id = message.item.id
    yield withEventMeta(message, id === null ? { retry: retryMs } : { id, retry: retryMs })
    id = null
  }
}

import { withEventMeta } from '@orpc/server'
import { findConnection } from '#main/connections/connections.ts'
import { followLive } from '#main/live/live.ts'
import type { LiveMessage } from '#shared/model/live.ts'
import type { Base } from './base.ts'
import type { RpcParts } from './context.ts'

/** How long a client waits before it connects again, in milliseconds. */
const retryMs = 1000
/** Before every id of the feed: a reader that connects again, but has seen no item, begins with what is kept. */
const idBeforeAll = '0'

export function live(os: Base, parts: RpcParts) {
  return os.live.router({
    follow: os.live.follow.handler(({ input: { activityOf }, lastEventId, signal }) => {
      // Before the stream begins, so that a wrong id is an answer and not a message.
      if (activityOf !== undefined) findConnection(parts.store.snapshot(), activityOf)
      const lastId = lastEventId ?? null
      return withMeta(followLive(parts, { activityOf, lastId, signal }), lastId ?? idBeforeAll)
    }),
  })
}

/** @param firstId makes of the first message one behind which a reader can go on. */
async function* withMeta(messages: AsyncIterable<LiveMessage>, firstId: string) {
  let id: string | null = firstId
  for await (const message of messages) {
    if (message.type === 'activity') id = message.item.id
    yield withEventMeta(message, id === null ? { retry: retryMs } : { id, retry: retryMs })
    id = null
  }
}

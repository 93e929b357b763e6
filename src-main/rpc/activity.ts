import { withEventMeta } from '@orpc/server'
import { findConnection } from '#main/connections/connections.ts'
import type { ActivityItem } from '#shared/model/activity.ts'
import type { Base } from './base.ts'
import type { RpcParts } from './context.ts'

/** How long a client waits before it reconnects, in milliseconds. */
const retryMs = 1000

export function activity(os: Base, { store, activity: feed }: RpcParts) {
  return os.activity.router({
    live: os.activity.live.handler(({ input: { connectionId }, lastEventId, signal }) => {
      // Before the stream starts, so that a wrong id returns an error response.
      if (connectionId !== undefined) findConnection(store.snapshot(), connectionId)
      const items = feed.follow({
        matches: entry => connectionId === undefined || entry.connectionId === connectionId,
        lastId: lastEventId ?? null,
        signal,
      })
      return withMeta(items)
    }),
  })
}

async function* withMeta(items: AsyncIterable<ActivityItem>) {
  for await (const item of items) yield withEventMeta(item, { id: item.id, retry: retryMs })
}

import { withEventMeta } from '@orpc/server'
import { findConnection } from '#main/connections/connections.ts'
import type { ActivityItem } from '#shared/model/activity.ts'
import type { Handlers, RpcParts } from './context.ts'

/** How long a client waits before it reconnects, in milliseconds. */
const retryMs = 1000

export function activity({ store, activity: feed, occurrences }: RpcParts): Handlers['activity'] {
  return {
    list: ({ input: { before, after, limit, ...selection } }) =>
      occurrences.list(selection, { before, after, limit }),
    counts: ({ input }) => occurrences.count(input),
    live: ({ input: { connectionId }, lastEventId, signal }) => {
      // Before the stream starts, so that a wrong id returns an error response.
      if (connectionId !== undefined) findConnection(store.snapshot(), connectionId)
      const items = feed.follow({
        matches: entry => connectionId === undefined || entry.connectionId === connectionId,
        lastId: lastEventId ?? null,
        signal,
      })
      return withMeta(items)
    },
  }
}

async function* withMeta(items: AsyncIterable<ActivityItem>) {
  for await (const item of items) yield withEventMeta(item, { id: item.id, retry: retryMs })
}

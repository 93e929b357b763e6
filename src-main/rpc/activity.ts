import { withEventMeta } from '@orpc/server'
import { findConnection } from '#main/connections/connections.ts'
import { exportItems } from '#main/history/export-items.ts'
import { ServiceError } from '#shared/errors.ts'
import type { ActivityItem } from '#shared/model/activity.ts'
import type { Handlers, RpcParts } from './context.ts'

/** How long a client waits before it reconnects, in milliseconds. */
const retryMs = 1000

export function activity(parts: RpcParts): Handlers['activity'] {
  const { store, activity: feed, occurrences, inbound } = parts
  return {
    list: async ({ input: { before, after, limit, ...selection } }) => {
      const page = await occurrences.list(selection, { before, after, limit })
      // Somebody looks at these, so the diagnoses that a flood left out are made now.
      for (const item of page.items)
        if (item.type === 'event.rejected' && item.diagnosis === null && item.attemptId !== null)
          inbound.diagnoseLate(item.attemptId)
      return page
    },
    counts: ({ input: { after, buckets, ...selection } }) => occurrences.count(selection, after, buckets),
    groups: ({ input }) => occurrences.groups(input),
    export: ({ input }) => {
      const nameOf = (connectionId: string) => store.snapshot().connections.get(connectionId)?.name ?? null
      return exportItems({ occurrences, nameOf }, input)
    },
    get: async ({ input: { itemId } }) => {
      const item = await occurrences.get(itemId)
      if (item === null) throw new ServiceError('activity_item_not_found')
      return item
    },
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

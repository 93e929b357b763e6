import { withEventMeta } from '@orpc/server'
import { connectionOf } from '#main/inbound/activity-entries.ts'
import type { Base } from './base.ts'
import type { RpcParts } from './context.ts'

/** How long a client waits before it connects again, in milliseconds. */
const retryMs = 1000

export function activity(os: Base, { inbound }: RpcParts) {
  return os.activity.router({
    live: os.activity.live.handler(async function* ({ input: { connectionId }, lastEventId, signal }) {
      const items = inbound.activity.follow({
        matches: entry => connectionId === undefined || connectionOf(entry) === connectionId,
        lastId: lastEventId ?? null,
        signal,
      })
      for await (const item of items) yield withEventMeta(item, { id: item.id, retry: retryMs })
    }),
  })
}

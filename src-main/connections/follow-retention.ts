import type { ConfigStore } from '#main/storage/config-store.ts'
import type { EventLog } from '#main/storage/event-log.ts'

/** Passes each connection's retention to the event log, now and after each change. */
export function followRetention(store: ConfigStore, log: EventLog): () => void {
  for (const { connectionId, retention } of store.snapshot().connections.values())
    log.setRetention(connectionId, retention)
  return store.onChange((_next, _previous, { connections }) => {
    for (const { id, before, after } of connections)
      if (after !== undefined && after.retention !== before?.retention) log.setRetention(id, after.retention)
  })
}

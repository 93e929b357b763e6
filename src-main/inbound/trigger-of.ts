import type { LoggedEvent } from '#main/storage/event-log.ts'
import { type Trigger, triggerType } from '#shared/model/trigger.ts'

/** The trigger of an accepted event (specification: Workflow trigger payload). */
export function triggerOf(event: LoggedEvent, workspaceId: string, data: Record<string, unknown>): Trigger {
  const { eventId, connectionId, eventName, receivedAt, repeat, replayOf } = event
  return {
    type: triggerType,
    eventId,
    connectionId,
    workspaceId,
    eventName,
    receivedAt,
    repeat,
    replayOf,
    // Spreading copies own fields only, `__proto__` as an ordinary one; the service's two keys come last and win.
    payload: { ...data, eventName, connectionId },
  }
}

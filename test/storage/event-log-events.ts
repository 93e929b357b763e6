import type { EventLog, LoggedEvent } from '#main/storage/event-log.ts'

export type EventParts = Partial<Omit<LoggedEvent, 'eventId'>>

/** The original text of a body as a sender might write it. */
export function bodyOf(data: Record<string, unknown>, event = 'order.created'): string {
  return JSON.stringify({ event, data })
}

/** @returns a function that makes events with growing ids; `now` gives milliseconds since 1970. */
export function eventMaker(now: () => number = Date.now): (parts?: EventParts) => LoggedEvent {
  let last = 0
  return parts => {
    last = Math.max(last + 1, now() * 4096)
    return {
      eventId: `evt_${last.toString(36).padStart(11, '0')}`,
      connectionId: 'conn_a',
      eventName: 'order.created',
      bodyText: bodyOf({ orderId: last % 1_000_003 }),
      headerLines: 'Content-Type: application/json',
      receivedAt: now(),
      repeat: false,
      replayOf: null,
      ...parts,
    }
  }
}

/** Returns how many events of a connection are visible. */
export function countOf(log: EventLog, connectionId: string): Promise<number> {
  return log.countBetween({ connectionIds: [connectionId], above: -1, below: Number.MAX_SAFE_INTEGER })
}

import type { Bus } from '#main/lib/bus.ts'
import type { ConnectionRecord } from '#main/storage/config.ts'
import type { EventLog, LoggedEvent } from '#main/storage/event-log.ts'
import { type Trigger, triggerType } from '#shared/model/trigger.ts'
import { parseBody } from './body.ts'
import type { Examined } from './examine.ts'
import { eventFacts, type RecordInbound, unavailablePrefix } from './occurrences.ts'
import type { Repeats } from './repeats.ts'
import { headerLines } from './signed-headers.ts'

export type Receiver = {
  /**
   * The last steps of E1: durable, trigger. Null, or a promise that resolves, when the sender may be told
   * 200; null is for events that nothing needs on disk, and spares them the promise.
   *
   * @param rawHeaders names and values in turn, for the stored copy.
   * @param startedAt when the request's header fields were there, by the stopwatch.
   * @throws ServiceError `unavailable`, in the promise, when the event cannot be made durable; then no
   *   trigger was raised.
   */
  accept(examined: Examined, rawHeaders: readonly string[], startedAt: number): Promise<void> | null
  /**
   * Raises the trigger of an event again, marked as a replay, and stores the replay if the connection
   * logs its events.
   *
   * @returns the id of the replay.
   * @throws ServiceError `unavailable` as for `accept`.
   */
  replay(original: LoggedEvent, connection: ConnectionRecord): Promise<string>
}

type ReceiverParts = {
  log: EventLog
  triggers: Bus<Trigger>
  record: RecordInbound
  repeats: Repeats
  nextEventId: () => string
  nextId: (prefix: string) => string
  /** Milliseconds since 1970. */
  clock: () => number
  /** Milliseconds of a clock that is never set. */
  stopwatch: () => number
}

export function createReceiver({
  log,
  triggers,
  record,
  repeats,
  nextEventId,
  nextId,
  clock,
  stopwatch,
}: ReceiverParts): Receiver {
  /** Signatures being made durable now, for connections that ignore repeats. */
  const underWay = new Map<string, Promise<void>>()

  function raise(examined: Examined, event: LoggedEvent, startedAt: number): Promise<void> | null {
    if (examined.connection.record.persistEvents)
      return store(event, () => announce(examined, event, startedAt))
    announce(examined, event, startedAt)
    return null
  }

  /** The event is as durable as it has to be: now, and not before, it may have effects. */
  function announce(examined: Examined, event: LoggedEvent, startedAt: number): void {
    const { connectionId, workspaceId, persistEvents } = examined.connection.record
    repeats.remember(connectionId, examined.signature, event.receivedAt)
    if (triggers.hasListeners()) triggers.publish(triggerOf(event, workspaceId, examined.data))
    // Written out, since it is made for every event: a spread takes longer.
    record({
      kind: 'event.accepted',
      id: event.eventId,
      at: event.receivedAt,
      connectionId,
      eventName: event.eventName,
      bodyText: event.bodyText,
      repeat: event.repeat,
      stored: persistEvents,
      previousSecret: examined.previousSecret,
      tookMs: stopwatch() - startedAt,
    })
  }

  function store(event: LoggedEvent, whenDurable: () => void): Promise<void> {
    return log.append(event).then(whenDurable, error => {
      const { connectionId } = event
      record({ kind: 'event.unavailable', id: nextId(unavailablePrefix), at: clock(), connectionId, error })
      throw error
    })
  }

  /** As `raise`, but answers an exact repeat without a second trigger. */
  async function raiseOnce(examined: Examined, event: LoggedEvent, startedAt: number): Promise<void> {
    const { signature } = examined
    // A repeat may come while the first is still on its way to the disk: it shares that one's fate.
    // Without one, no await: of two that came in one piece the second would look before the first had begun.
    const first = underWay.get(signature)
    if (first !== undefined) await first
    if (repeats.has(event.connectionId, signature, event.receivedAt)) {
      record({ kind: 'event.repeated', ...eventFacts(event), tookMs: stopwatch() - startedAt })
      return
    }
    const raised = raise(examined, event, startedAt) ?? Promise.resolve()
    underWay.set(signature, raised)
    try {
      await raised
    } finally {
      underWay.delete(signature)
    }
  }

  return {
    accept(examined, rawHeaders, startedAt) {
      const { connectionId, ignoreRepeats } = examined.connection.record
      const receivedAt = clock()
      const accepted: LoggedEvent = {
        eventId: nextEventId(),
        connectionId,
        eventName: examined.eventName,
        bodyText: examined.bodyText,
        headerLines: headerLines(rawHeaders),
        receivedAt,
        repeat: repeats.has(connectionId, examined.signature, receivedAt),
        replayOf: null,
      }
      const event: LoggedEvent = examined.previousSecret ? { ...accepted, oldSecret: true } : accepted
      return ignoreRepeats ? raiseOnce(examined, event, startedAt) : raise(examined, event, startedAt)
    },
    async replay(original, connection) {
      const replayOf = original.eventId
      const event: LoggedEvent = {
        ...original,
        eventId: nextEventId(),
        receivedAt: clock(),
        repeat: false,
        replayOf,
      }
      const parsed = parseBody(Buffer.from(event.bodyText))
      if (connection.persistEvents) await store(event, () => {})
      if (parsed.ok) triggers.publish(triggerOf(event, connection.workspaceId, parsed.data))
      record({ kind: 'event.replayed', ...eventFacts(event), replayOf })
      return event.eventId
    },
  }
}

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

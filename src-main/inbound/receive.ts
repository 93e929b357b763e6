import type { ConnectionRecord } from '#main/storage/config.ts'
import { type DeduplicationKey, deduplicationKey } from '#main/storage/deduplication-key.ts'
import type { EventLog, LoggedEvent } from '#main/storage/event-log.ts'
import type { NewRuns, Started } from '#main/storage/runs.ts'
import type { Storage } from '#main/storage/storage.ts'
import { dayMs, minuteMs } from '#shared/durations.ts'
import { ServiceError } from '#shared/errors.ts'
import { eventTextOf } from '#shared/model/sender/reading.ts'
import { parseBodyText } from './body.ts'
import type { Examined, OtherSchemeFacts } from './examine.ts'
import { hideSecrets } from './hidden-secrets.ts'
import {
  type Accepted,
  eventFacts,
  type RecordInbound,
  type Repeated,
  unavailablePrefix,
} from './occurrences.ts'
import { createListReader, type ReceivedList, type RunsFor } from './read-list.ts'
import { createRedelivery, type Redeliver } from './redelivery.ts'
import { type Repeats, usualMs } from './repeats.ts'
import { headerLines } from './signed-headers.ts'

export type Receiver = ReturnType<typeof createReceiver>

/** The runs of workflows that events start. */
export type EventWorkflows = {
  readonly runsFor: RunsFor
  /** Makes runs durable whose event is not stored. @param key a key of the event, as for `EventLog.append`. */
  start(runs: NewRuns, eventId: string, key?: DeduplicationKey): Promise<Started>
  readonly redeliver: Redeliver
  /** Called when the runs of an event are durable. */
  stored(runs: NewRuns, started: Started, event: LoggedEvent): void
}

/**
 * Returns how long the signatures of a sender are remembered: as long as a copied request could be accepted. Undefined
 * for the usual time, that of the default scheme.
 */
function rememberedMs(otherScheme: OtherSchemeFacts | null): number | undefined {
  if (otherScheme === null) return undefined
  return otherScheme.windowMs === null ? dayMs : 2 * otherScheme.windowMs
}

/**
 * How long a signature is remembered that only the log knew, after a restart. The log keeps the time of the first event,
 * so it is asked again then, and not for each repeat.
 */
const lookedUpMs = minuteMs

export function createReceiver(parts: {
  log: EventLog
  /** Whether other processes append to the log too: it then has to know what one process could remember alone. */
  isShared: boolean
  /** See the storage: for what is accepted without being stored. */
  confirmCurrent: Storage['confirmCurrent']
  decidesBy: Storage['decidesBy']
  /** Returns whether a record is the present one of its connection. */
  isPresent: (record: ConnectionRecord) => boolean
  workflows: EventWorkflows
  record: RecordInbound
  repeats: Repeats
  nextEventId: () => string
  nextId: (prefix: string) => string
  /** Milliseconds since 1970. */
  clock: () => number
  /** Milliseconds of a monotonic clock. */
  stopwatch: () => number
}) {
  const { log, isShared, confirmCurrent, decidesBy, workflows, record, repeats } = parts
  const { nextEventId, nextId, clock, stopwatch } = parts
  const startAgain = createRedelivery(log, workflows.redeliver)
  const lists = createListReader(parts)
  /** Events that are being stored, by their connections that ignore repeats and their signatures. */
  const underWay = new Map<string, Promise<void>>()

  function raise(examined: Examined, event: LoggedEvent, startedAt: number): Promise<void> | null {
    const { connection, signature, data, sentAt, otherScheme } = examined
    const { persistEvents, ignoreRepeats, workspaceId } = connection.record
    const runs = workflows.runsFor(event, workspaceId, data)
    // Without `examined`: while an event waits for the disk, each garbage collection would copy its data.
    const rememberMs = rememberedMs(otherScheme)
    const whenDurable = (duplicateOf: string | null) =>
      announce(event, signature, persistEvents, startedAt, duplicateOf, rememberMs, runs.length === 0, sentAt)
    if (!persistEvents && runs.length === 0) return confirmed(event.connectionId, () => whenDurable(null))
    const isOnce = otherScheme?.isOnce === true
    const isFound = ignoreRepeats && isShared && signature !== ''
    if (!isOnce && !isFound) return store(event, persistEvents, runs, whenDurable)
    const { connectionId, receivedAt } = event
    const forMs = rememberMs ?? usualMs
    const key = deduplicationKey(connectionId, `event ${signature}`, receivedAt, forMs)
    const whenRepeated = (repeatOf: string | undefined) => {
      repeats.remember(connectionId, signature, receivedAt, forMs, lookedUpMs)
      return repeated(examined, event, startedAt, repeatOf)
    }
    return store(event, persistEvents, runs, whenDurable, { key, whenRepeated })
  }

  /** The same for the events of a list: all of them, or none. */
  async function raiseAll(
    { signature, sentAt, otherScheme }: Examined,
    list: ReceivedList,
    startedAt: number,
  ): Promise<void> {
    const { connectionId, persistEvents, ignoreRepeats } = list.connection
    const rememberMs = rememberedMs(otherScheme)
    const entries = await lists.read(list).catch(error => refuseUnavailable(connectionId, error))
    const announceOne = (event: LoggedEvent, duplicateOf: string | null, runs: NewRuns) =>
      announce(event, signature, persistEvents, startedAt, duplicateOf, rememberMs, runs.length === 0, sentAt)
    if (!persistEvents && entries.every(({ runs }) => runs.length === 0))
      return (
        confirmed(connectionId, () => {
          for (const { event, runs } of entries) announceOne(event, null, runs)
        }) ?? undefined
      )
    const isSingle = otherScheme?.isOnce === true || (ignoreRepeats && isShared && signature !== '')
    const { receivedAt } = list.event
    const forMs = rememberMs ?? usualMs
    const key = isSingle ? deduplicationKey(connectionId, `event ${signature}`, receivedAt, forMs) : undefined
    const done = (outcomes: readonly Started[]) => {
      if (outcomes.some(({ isRepeated }) => isRepeated)) {
        repeats.remember(connectionId, signature, receivedAt, forMs, lookedUpMs)
        for (const { event } of entries) recordRepeated(event, startedAt)
        return
      }
      for (const [index, { event, runs }] of entries.entries()) {
        const started = outcomes[index]
        announceOne(event, started === undefined ? null : originalOf(started), runs)
        if (started !== undefined && runs.length > 0) workflows.stored(runs, started, event)
      }
    }
    return log
      .appendAll(entries, persistEvents, key)
      .then(done, error => refuseUnavailable(connectionId, error))
  }

  /** Lets an event take effect. Call this only once it is as durable as its connection requires. */
  function announce(
    event: LoggedEvent,
    signature: string,
    stored: boolean,
    startedAt: number,
    duplicateOf: string | null,
    rememberMs: number | undefined,
    startsNothing: boolean,
    sentAt: number | null,
  ): void {
    const { connectionId, reading } = event
    repeats.remember(connectionId, signature, event.receivedAt, rememberMs)
    // Fields instead of a spread, which is slower: this runs for every event.
    const accepted: Accepted = {
      kind: 'event.accepted',
      id: event.eventId,
      at: event.receivedAt,
      connectionId,
      eventName: event.eventName,
      bodyText: event.bodyText,
      repeat: event.repeat,
      stored,
      previousSecret: event.oldSecret === true,
      duplicateOf,
      tookMs: stopwatch() - startedAt,
      startsNothing,
      sentAt,
    }
    record(reading === undefined ? accepted : { ...accepted, reading })
  }

  /**
   * Carries out `accept` if what was decided by the present configuration may take effect: at once, and returns null, if this
   * process is alone.
   */
  function confirmed(
    connectionId: string,
    accept: () => void,
    decidedBy = decidesBy(),
  ): Promise<void> | null {
    if (confirmCurrent !== null)
      return confirmCurrent(decidedBy).then(accept, error => refuseUnavailable(connectionId, error))
    accept()
    return null
  }

  function refuseUnavailable(connectionId: string, error: unknown): never {
    record({ kind: 'event.unavailable', id: nextId(unavailablePrefix), at: clock(), connectionId, error })
    throw error
  }

  function recordRepeated(event: LoggedEvent, startedAt: number, redelivery?: Repeated['redelivery']): void {
    const tookMs = stopwatch() - startedAt
    record({ kind: 'event.repeated', ...eventFacts(event), tookMs, ...(redelivery && { redelivery }) })
  }

  /** Records a repeat, and starts the event again if its sender delivers it again for that. */
  async function repeated(
    examined: Examined,
    event: LoggedEvent,
    startedAt: number,
    repeatOf: string | undefined,
  ): Promise<void> {
    recordRepeated(event, startedAt, await startAgain(examined, event, repeatOf))
  }

  /** Returns the event that a signature came with first, if the log knows that. */
  async function originalOfRepeat(
    { signature, otherScheme }: Examined,
    { connectionId, eventId, receivedAt }: LoggedEvent,
  ) {
    const forMs = rememberedMs(otherScheme) ?? usualMs
    const key = deduplicationKey(connectionId, `event ${signature}`, receivedAt, forMs)
    return (await workflows.start([], eventId, key)).repeatOf
  }

  /**
   * Makes an event durable, if its connection stores events, together with the runs that it starts.
   *
   * @param single for an event that must not be accepted twice.
   */
  function store(
    event: LoggedEvent,
    persists: boolean,
    runs: NewRuns,
    whenDurable: (duplicateOf: string | null) => void,
    single?: {
      readonly key: DeduplicationKey
      readonly whenRepeated: (repeatOf: string | undefined) => Promise<void>
    },
  ): Promise<void> {
    const key = single?.key
    const stored = persists ? log.append(event, runs, key) : workflows.start(runs, event.eventId, key)
    const done = (started: Started | null): Promise<void> | void => {
      if (single !== undefined && started?.isRepeated === true) return single.whenRepeated(started.repeatOf)
      whenDurable(started === null ? null : originalOf(started))
      if (started !== null) workflows.stored(runs, started, event)
    }
    return stored.then(done, error => refuseUnavailable(event.connectionId, error))
  }

  /**
   * Lets a request take effect once: only records an exact repeat.
   *
   * @param event of the request, or what those of a list have in common. @param list null for one event.
   */
  async function raiseOnce(
    examined: Examined,
    event: LoggedEvent,
    list: ReceivedList | null,
    startedAt: number,
    raise: () => Promise<void> | null,
  ): Promise<void> {
    const { signature, otherScheme } = examined
    const rememberMs = rememberedMs(otherScheme)
    // A repeat that arrives while the first is being stored shares its outcome.
    // Await only then: otherwise the second of two in one read would look before the first is registered.
    const key = `${event.connectionId} ${signature}`
    const decidedBy = decidesBy()
    for (let first = underWay.get(key); first !== undefined; first = underWay.get(key)) {
      await first
      if (decidesBy() !== decidedBy)
        refuseUnavailable(event.connectionId, new Error('The configuration has changed meanwhile.'))
    }
    if (repeats.has(event.connectionId, signature, event.receivedAt, rememberMs)) {
      const isRedelivery = (otherScheme?.deliveryHeader ?? null) !== null && otherScheme?.events === null
      if (isRedelivery) {
        const redelivered = originalOfRepeat(examined, event).then(repeatOf =>
          repeated(examined, event, startedAt, repeatOf),
        )
        await asOnlyOne(
          key,
          redelivered.catch(error => refuseUnavailable(event.connectionId, error)),
        )
        return
      }
      const repeat = () => {
        for (const one of list === null ? [event] : lists.eventsOf(list)) recordRepeated(one, startedAt)
      }
      await confirmed(event.connectionId, repeat, decidedBy)
      return
    }
    await asOnlyOne(key, raise() ?? Promise.resolve())
  }

  /** Lets later requests with the same signature wait for this one. */
  async function asOnlyOne(key: string, work: Promise<void>): Promise<void> {
    underWay.set(key, work)
    try {
      await work
    } finally {
      underWay.delete(key)
    }
  }

  return {
    /**
     * Makes an event and the workflow runs that it starts durable. The sender may get 200 when the promise resolves.
     * Returns null for an event that needs no write: the sender may get 200 immediately.
     *
     * @param rawHeaders alternating names and values, for the stored copy.
     * @param startedAt when the request's header was complete, by the stopwatch.
     * @param bodyBytes see LoggedEvent.
     * @throws ServiceError `unavailable`, in the promise, if the event cannot be stored. No workflow was started then.
     */
    accept(
      examined: Examined,
      rawHeaders: readonly string[],
      startedAt: number,
      bodyBytes?: LoggedEvent['bodyBytes'],
    ) {
      const { connectionId, ignoreRepeats } = examined.connection.record
      const { otherScheme } = examined
      const receivedAt = clock()
      const isOnce = examined.signature !== '' && (ignoreRepeats || otherScheme?.isOnce === true)
      const accepted: LoggedEvent = {
        eventId: nextEventId(),
        connectionId,
        eventName: examined.eventName,
        bodyText: examined.bodyText,
        bodyBytes: otherScheme?.keepsBody === false ? undefined : bodyBytes,
        // A sender may also send its token where it was not looked for.
        headerLines: headerLines(hideSecrets(rawHeaders, examined.connection), otherScheme?.signatureHeader),
        receivedAt,
        repeat: repeats.has(connectionId, examined.signature, receivedAt, rememberedMs(otherScheme)),
        replayOf: null,
      }
      const marked: LoggedEvent = examined.previousSecret ? { ...accepted, oldSecret: true } : accepted
      const event = otherScheme === null ? marked : { ...marked, reading: otherScheme.reading }
      const listed = otherScheme?.events ?? null
      // Without a timestamp, only its memory keeps a copied request from starting everything again. And if the signature
      // does not cover the name, a copy with another one would be a second event of the same bytes.
      if (listed === null) {
        const raiseIt = () => raise(examined, event, startedAt)
        return isOnce ? raiseOnce(examined, event, null, startedAt, raiseIt) : raiseIt()
      }
      const list = { connection: examined.connection.record, event, listed }
      const raiseIt = () => raiseAll(examined, list, startedAt)
      return isOnce ? raiseOnce(examined, event, list, startedAt, raiseIt) : raiseIt()
    },
    /**
     * Records a request that is right and has no event. It starts nothing and is not stored. Returns as `accept` does.
     */
    acceptWithoutEvent(
      { connection, eventName, bodyText, previousSecret, otherScheme }: Examined,
      startedAt: number,
    ) {
      const { connectionId } = connection.record
      return confirmed(connectionId, () =>
        record({
          kind: 'event.accepted',
          id: nextEventId(),
          at: clock(),
          connectionId,
          ...{ eventName, bodyText, previousSecret, repeat: false, stored: false, duplicateOf: null },
          ...(otherScheme !== null && { reading: otherScheme.reading }),
          ...(otherScheme?.noEvent?.question != null && { isQuestion: true as const }),
          tookMs: stopwatch() - startedAt,
        }),
      )
    },
    /**
     * Starts the workflows of an event again, marked as a replay. Stores the replay if the connection stores its
     * events. Returns the replay's id.
     *
     * @throws ServiceError `unavailable` as for `accept`; `damaged_event`.
     */
    async replay(original: LoggedEvent, connection: ConnectionRecord) {
      const body = parseBodyText(eventTextOf(original))
      if (!body.ok) throw new ServiceError('damaged_event')
      const replayOf = original.eventId
      const event: LoggedEvent = {
        ...original,
        eventId: nextEventId(),
        receivedAt: clock(),
        repeat: false,
        replayOf,
      }
      const runs = workflows.runsFor(event, connection.workspaceId, body.data)
      if (connection.persistEvents || runs.length > 0)
        await store(event, connection.persistEvents, runs, () => {})
      record({ kind: 'event.replayed', ...eventFacts(event), replayOf, stored: connection.persistEvents })
      return event.eventId
    },
  }
}

/** Returns the run that has the key of the first duplicate; null without duplicates. */
function originalOf({ ids, duplicates }: Started): string | null {
  const [first] = duplicates
  return first === undefined ? null : (ids[first] ?? null)
}

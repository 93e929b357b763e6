import { readEventText } from '#main/inbound/event-text.ts'
import { type Bus, createBus } from '#main/lib/bus.ts'
import { idOf } from '#main/lib/sequence.ts'
import type { Lookups } from '#main/occurrences/kind.ts'
import type { RelayedItem } from '#main/storage/activity-relay.ts'
import type { OccurrenceSummary } from '#main/storage/occurrence-storage.ts'
import { ActivityItem } from '#shared/model/activity.ts'
import type { Diagnosis } from '#shared/model/diagnosis.ts'
import { eventTextOf } from '#shared/model/sender/reading.ts'
import { storedDiagnosis } from './attempts.ts'
import type { Exchange } from './exchange.ts'
import { createFeed, type Feed } from './feed.ts'
import { asStored, kindOf, numberIn, type Occurrence, recalled } from './kinds.ts'
import { createOccurrenceSlots, type EventOccurrence, isOnlyHere } from './occurrence-slots.ts'

/** Maximum number of items that are kept. */
export const maxEntries = 1000
const maxBytes = 8 * 1024 * 1024
/** UTF-16 units of the longest body that is read for its notes: each reader of the live activity reads it again. */
const mostRead = 16 * 1024
/** Connections that are announced one by one. */
const mostAnnounced = 50

/** An item of another node. */
type Relayed = {
  readonly kind: 'relayed'
  readonly connectionId: string | null
  readonly item: ActivityItem
  readonly bytes: number
}

/**
 * The newest occurrences of all kinds; while somebody reads, those of other nodes too. They are in `follow` and `changes`
 * alone: what else is here concerns this node.
 */
export type Activity = Pick<Feed<Occurrence | Relayed, ActivityItem>, 'follow'> & {
  add(occurrence: Occurrence): void
  /** Tells the readers on all nodes that lists of connections have changed in another way, such as a deletion. */
  announce(connectionIds: ReadonlySet<string | null>): void
  /** Publishes the connection of what was added, diagnoses included, or announced; null for no connection. */
  readonly changes: Bus<string | null>
  /** Returns how long it took to accept an event, in milliseconds; null if the memory does not have it. */
  tookMsOf(eventId: string): number | null
  /**
   * Yields occurrences that only the memory has, about newest first: above all events that are not logged. Without those
   * that are added or dropped meanwhile.
   */
  unstored(): Generator<Occurrence>
  /** Returns since when the memory has everything that only it has, in milliseconds since 1970. */
  wholeSince(): number
  /** Returns an event that only the memory has; null for any other. */
  unstoredEvent(eventId: string): EventOccurrence | null
  /** Adds a record of an earlier run, before anything else is added. */
  recall(record: OccurrenceSummary): void
}

/**
 * @param nextNumber returns the numbers of items; they grow, also across restarts.
 * @param clock milliseconds since 1970. @param exchange with the other nodes.
 */
export function createActivity(
  isDeclared: Lookups['isDeclared'],
  nextNumber: () => number,
  clock: () => number,
  exchange: Exchange,
): Activity {
  /** By attempt id. A diagnosis follows its attempt closely, so the newest are enough. */
  const diagnoses = new Map<string, Diagnosis>()
  const lookups: Lookups = {
    isDeclared,
    diagnosisOf: attemptId => diagnoses.get(attemptId) ?? null,
    notesOf: event => (event.bodyText.length > mostRead ? [] : readEventText(eventTextOf(event)).notes),
  }
  const slots = createOccurrenceSlots(maxEntries, maxBytes)
  const relayed = new Map<number, Relayed>()
  // Listeners only wake readers and do not throw.
  const changes = createBus<string | null>(() => {})
  let wholeSince = clock()
  const feed = createFeed<Occurrence | Relayed, ActivityItem>({
    maxEntries,
    maxBytes,
    storage: {
      put(slot, entry) {
        if (entry.kind === 'relayed') relayed.set(slot, entry)
        else slots.put(slot, entry)
      },
      get: slot => relayed.get(slot) ?? slots.get(slot),
      drop(slot) {
        if (relayed.delete(slot)) return
        wholeSince = Math.max(wholeSince, (slots.onlyHereAt(slot) ?? 0) + 1)
        slots.drop(slot)
      },
    },
    weightOf: entry => (entry.kind === 'relayed' ? entry.bytes : kindOf(entry).weightOf(entry)),
    toItem: (entry, id, at) =>
      entry.kind === 'relayed' ? entry.item : kindOf(entry).toItem(entry, { id, at }, lookups),
    toGap: (count, id, at) => ({ type: 'activity.missed', id, at, count }),
    nextSequence: nextNumber,
    clock,
  })

  function addDiagnosis(attemptId: string, diagnosis: Diagnosis): void {
    diagnoses.set(attemptId, diagnosis)
    const [oldest] = diagnoses.keys()
    if (diagnoses.size > maxEntries && oldest !== undefined) diagnoses.delete(oldest)
  }

  function send(occurrence: Occurrence, number: number): void {
    const { at, connectionId } = occurrence
    const place = { id: idOf('', number), at: new Date(at).toISOString() }
    // A connection that stores nothing must not leave its texts with the storage on this way.
    const stored = asStored(occurrence)
    const item = stored && JSON.stringify(kindOf(stored).toItem(stored, place, lookups))
    exchange.send({ number, connectionId, item }, at)
  }

  function addRelayed(text: string, number: number, connectionId: string | null): void {
    const { data: item } = ActivityItem.safeParse(JSON.parse(text))
    // A newer version may have kinds that this one does not know.
    if (item === undefined) return
    feed.add({ kind: 'relayed', connectionId, item, bytes: text.length }, Date.parse(item.at), number)
  }

  function take(items: readonly RelayedItem[]): void {
    for (const { number, connectionId, item } of items) {
      if (item !== null) addRelayed(item, number, connectionId)
      changes.publish(connectionId)
    }
  }

  return {
    add(occurrence) {
      if (occurrence.kind === 'event.diagnosed') addDiagnosis(occurrence.attemptId, occurrence.diagnosis)
      // The item of a stored occurrence has the number in its id, so that it is the same after a restart.
      const isStored = kindOf(occurrence).stored !== null
      const number = (isStored ? numberIn(occurrence.kind, occurrence.id) : null) ?? nextNumber()
      feed.add(occurrence, occurrence.at, number)
      changes.publish(occurrence.connectionId)
      if (exchange.isFollowed()) send(occurrence, number)
    },
    announce(connectionIds) {
      // Readers read everything again anyway.
      for (const connectionId of connectionIds.size > mostAnnounced ? [null] : connectionIds) {
        changes.publish(connectionId)
        if (exchange.isFollowed()) exchange.send({ number: nextNumber(), connectionId, item: null }, clock())
      }
    },
    changes: {
      ...changes,
      subscribe(listener) {
        const stop = changes.subscribe(listener)
        const stopReading = exchange.read(take)
        return () => {
          stop()
          stopReading()
        }
      },
    },
    recall(record) {
      const occurrence = recalled(record)
      if (occurrence === null) return
      const diagnosis = storedDiagnosis(record)
      if (diagnosis !== null) addDiagnosis(occurrence.id, diagnosis)
      feed.add(occurrence, occurrence.at, record.number)
    },
    tookMsOf: slots.tookMsOf,
    *unstored() {
      for (const entry of feed.newestFirst(slot => relayed.has(slot) || slots.isLogged(slot)))
        if (entry.kind !== 'relayed' && isOnlyHere(entry)) yield entry
    },
    wholeSince: () => wholeSince,
    unstoredEvent(eventId) {
      const event = slots.eventOf(eventId)
      return event !== null && isOnlyHere(event) ? event : null
    },
    async *follow(options) {
      const stopReading = exchange.read(take)
      try {
        yield* feed.follow(options)
      } finally {
        stopReading()
      }
    },
  }
}

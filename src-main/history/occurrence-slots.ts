import type { Accepted } from '#main/inbound/occurrences.ts'
import { hundredth } from '#main/lib/hundredth.ts'
import { eventIdOf, sequenceOfEventId } from '#main/lib/sequence.ts'
import type { EntryStorage } from './feed.ts'
import { kindOf, type Occurrence } from './kinds.ts'
import { createTextRing } from './text-ring.ts'

/** An occurrence with the body of an event. */
export type EventOccurrence = Extract<Occurrence, { readonly bodyText: string }>

type OccurrenceSlots = EntryStorage<Occurrence> & {
  /** Returns whether the occurrence of a slot is known to be an event in the log, without reading its text. */
  isLogged(slot: number): boolean
  /** Returns when the occurrence of a slot happened, without reading its text; null unless only the memory has it. */
  onlyHereAt(slot: number): number | null
  /** Returns an event; null for one that is not here. */
  eventOf(eventId: string): EventOccurrence | null
  /** Returns how long it took to accept an event, in milliseconds; null for one that is not here. */
  tookMsOf(eventId: string): number | null
}

const flags = { repeat: 1, stored: 2, previousSecret: 4 } as const

/**
 * Creates the storage of the feed. There may be thousands of accepted events a second, so they are stored in typed
 * arrays and a ring of bytes: as objects, the thousand that are kept would survive each young collection, and memory and
 * pauses would grow with the load. Other occurrences are stored as they are.
 *
 * @param slots the most occurrences. @param bytes the most bytes of their texts.
 */
export function createOccurrenceSlots(slots: number, bytes: number): OccurrenceSlots {
  const others = new Map<number, Occurrence>()
  const texts = createTextRing(slots, bytes)
  const sequences = new Float64Array(slots)
  const times = new Float64Array(slots)
  const tookMs = new Float64Array(slots)
  const states = new Uint8Array(slots)
  /** By slot: the event that a duplicate repeats. Few events are duplicates. */
  const originals = new Map<number, string>()
  // References to strings of the configuration.
  const connectionIds: string[] = new Array(slots).fill('')

  function put(slot: number, occurrence: Occurrence): void {
    if (
      occurrence.kind !== 'event.accepted' ||
      occurrence.reading !== undefined ||
      !texts.put(slot, occurrence.eventName, occurrence.bodyText)
    ) {
      others.set(slot, occurrence)
      return
    }
    const { repeat, stored, previousSecret, duplicateOf } = occurrence
    if (duplicateOf !== null) originals.set(slot, duplicateOf)
    sequences[slot] = sequenceOfEventId(occurrence.id) ?? 0
    times[slot] = occurrence.at
    tookMs[slot] = occurrence.tookMs
    states[slot] =
      (repeat ? flags.repeat : 0) | (stored ? flags.stored : 0) | (previousSecret ? flags.previousSecret : 0)
    connectionIds[slot] = occurrence.connectionId
  }

  function accepted(slot: number): Accepted {
    const state = states[slot] ?? 0
    const { label, text } = texts.get(slot)
    return {
      kind: 'event.accepted',
      id: eventIdOf(sequences[slot] ?? 0),
      at: times[slot] ?? 0,
      connectionId: connectionIds[slot] ?? '',
      eventName: label,
      bodyText: text,
      repeat: (state & flags.repeat) !== 0,
      stored: (state & flags.stored) !== 0,
      previousSecret: (state & flags.previousSecret) !== 0,
      duplicateOf: originals.get(slot) ?? null,
      tookMs: tookMs[slot] ?? 0,
    }
  }

  const isLogged = (slot: number) => !others.has(slot) && ((states[slot] ?? 0) & flags.stored) !== 0
  const slotOf = (eventId: string) => sequences.indexOf(sequenceOfEventId(eventId) ?? -1)

  return {
    put,
    get: slot => others.get(slot) ?? accepted(slot),
    drop(slot) {
      if (others.delete(slot)) return
      texts.drop(slot)
      originals.delete(slot)
      sequences[slot] = 0
    },
    isLogged,
    onlyHereAt(slot) {
      const other = others.get(slot)
      if (other !== undefined) return isOnlyHere(other) ? other.at : null
      return isLogged(slot) ? null : (times[slot] ?? 0)
    },
    eventOf(eventId) {
      const slot = slotOf(eventId)
      if (slot !== -1) return accepted(slot)
      for (const occurrence of others.values())
        if (occurrence.id === eventId && 'bodyText' in occurrence) return occurrence
      return null
    },
    tookMsOf(eventId) {
      const slot = slotOf(eventId)
      return slot === -1 ? null : hundredth(tookMs[slot] ?? 0)
    },
  }
}

/** Returns whether only the memory has an occurrence that a list shows. */
export function isOnlyHere(occurrence: Occurrence): boolean {
  switch (occurrence.kind) {
    case 'event.accepted':
    case 'event.replayed':
      return !occurrence.stored
    case 'event.diagnosed':
      return false
    default:
      return kindOf(occurrence).stored === null
  }
}

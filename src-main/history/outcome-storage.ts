import { parseBody } from '#main/inbound/body.ts'
import type { InboundOutcome } from '#main/inbound/outcomes.ts'
import { eventIdOf, sequenceOfEventId } from '#main/lib/sequence.ts'
import type { Outcome } from './entries.ts'
import type { EntryStorage } from './feed.ts'
import { createTextRing } from './text-ring.ts'

type Accepted = Extract<InboundOutcome, { kind: 'accepted' }>

const flags = { repeat: 1, stored: 2, previousSecret: 4 } as const

/**
 * Keeps the feed's outcomes. An accepted event, of which thousands may come in a second, is taken apart
 * into typed arrays and a ring of bytes: as objects, the thousand kept would outlive each young
 * collection, and memory and pauses would grow with the load. All others stay as they are.
 *
 * @param slots how many are kept at most; and of their texts, at most so many `bytes` in all.
 */
export function createOutcomeStorage(slots: number, bytes: number): EntryStorage<Outcome> {
  const others = new Map<number, Outcome>()
  const texts = createTextRing(slots, bytes)
  const sequences = new Float64Array(slots)
  const receivedAt = new Float64Array(slots)
  const tookMs = new Float64Array(slots)
  const states = new Uint8Array(slots)
  // The configuration's own strings, which live long anyway.
  const connectionIds: string[] = new Array(slots).fill('')

  function put(slot: number, outcome: Outcome): void {
    if (outcome.kind !== 'accepted' || !texts.put(slot, outcome.event.bodyText)) {
      others.set(slot, outcome)
      return
    }
    const { event, stored, previousSecret } = outcome
    sequences[slot] = sequenceOfEventId(event.eventId) ?? 0
    receivedAt[slot] = event.receivedAt
    tookMs[slot] = outcome.tookMs
    states[slot] =
      (event.repeat ? flags.repeat : 0) |
      (stored ? flags.stored : 0) |
      (previousSecret ? flags.previousSecret : 0)
    connectionIds[slot] = event.connectionId
  }

  function accepted(slot: number): Accepted {
    const bodyText = texts.get(slot)
    const parsed = parseBody(Buffer.from(bodyText))
    const state = states[slot] ?? 0
    return {
      kind: 'accepted',
      event: {
        eventId: eventIdOf(sequences[slot] ?? 0),
        connectionId: connectionIds[slot] ?? '',
        eventName: parsed.ok ? parsed.eventName : '',
        bodyText,
        receivedAt: receivedAt[slot] ?? 0,
        repeat: (state & flags.repeat) !== 0,
        replayOf: null,
      },
      stored: (state & flags.stored) !== 0,
      previousSecret: (state & flags.previousSecret) !== 0,
      tookMs: tookMs[slot] ?? 0,
    }
  }

  return {
    put,
    get: slot => others.get(slot) ?? accepted(slot),
    drop(slot) {
      if (!others.delete(slot)) texts.drop(slot)
    },
  }
}

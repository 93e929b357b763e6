import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventIdOf, timeOfSequence } from '#main/lib/sequence.ts'
import type { Storage } from '#main/storage/storage.ts'
import { eventMaker } from './event-log-events.ts'

type Part = Pick<Storage, 'ids' | 'clock' | 'events' | 'history' | 'conversations'>
/** Two handles on the same data. */
type Handles = readonly [Part, Part]

export type OpenedIds = {
  readonly handles: Handles
  /** Closes both and opens them once more, on the same data. */
  reopen(): Promise<Handles>
  /** Closes both and deletes their data. */
  dispose(): Promise<void>
}
export type OpenIds = (options: { clock: () => number }) => Promise<OpenedIds>

const kinds = ['event', 'number'] as const

/** Tests that the ids and the clock of every implementation of Storage must pass. */
export function describeIds(name: string, open: OpenIds): void {
  describe(name, () => {
    let now: number
    let opened: OpenedIds
    let a: Part
    let b: Part

    beforeEach(async () => {
      now = Date.UTC(2026, 0, 1)
      opened = await open({ clock: () => now })
      ;[a, b] = opened.handles
    })
    afterEach(() => opened.dispose())

    it('gives numbers that grow and are given only once', () => {
      for (const kind of kinds) {
        const ofA: number[] = []
        const ofB: number[] = []
        for (let n = 0; n < 5000; n++) {
          ofA.push(a.ids[kind]())
          ofB.push(b.ids[kind]())
        }
        for (const numbers of [ofA, ofB]) expect(numbers).toEqual(numbers.toSorted((one, two) => one - two))
        expect(new Set([...ofA, ...ofB]).size).toBe(10_000)
      }
    })

    it('gives numbers of the present time, by the clock of the storage', () => {
      expect(Math.abs(a.clock() - b.clock())).toBeLessThan(1000)
      for (const part of [a, b])
        for (const kind of kinds)
          expect(Math.abs(timeOfSequence(part.ids[kind]()) - part.clock())).toBeLessThan(1000)
    })

    it('gives larger numbers after a restart with a clock set back, though the newest event was removed', async () => {
      const number = a.ids.event()
      const event = { ...eventMaker(a.clock)(), eventId: eventIdOf(number) }
      await a.events.append(event)
      await b.events.remove(event.connectionId, event.eventId)
      now -= 60_000
      ;[a, b] = await opened.reopen()
      for (const { ids } of [a, b]) expect(ids.event()).toBeGreaterThan(number)
    })

    it('gives larger numbers than those of the history and of conversations', async () => {
      const number = a.ids.number()
      const record = { number, kind: 'call', connectionId: null, subject: '', at: a.clock(), finding: null }
      const occurrences = [{ ...record, summary: '{}', details: '{}' }]
      await a.history.write({ occurrences, findings: [], now: a.clock() })
      now -= 60_000
      ;[a, b] = await opened.reopen()
      for (const { ids } of [a, b]) expect(ids.number()).toBeGreaterThan(number)

      const updated = a.ids.number()
      await a.conversations.create(
        { number: updated, workspaceId: 'default', updated, head: '{}', text: '', bytes: 2 },
        { mostPerWorkspace: 10, oldest: 0, mostBytes: 1_000_000 },
      )
      now -= 60_000
      ;[a, b] = await opened.reopen()
      for (const { ids } of [a, b]) expect(ids.number()).toBeGreaterThan(updated)
    })
  })
}

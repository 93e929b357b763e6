import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CallLimits } from '#main/storage/call-limits.ts'
import { eventually } from '../support/eventually.ts'

export type OpenedCallLimits = {
  /** Two handles on the same limits, as two nodes have them; the same one twice where there is one node. */
  readonly handles: readonly [CallLimits, CallLimits]
  /** Opens them once more, as after a restart. */
  reopen(): Promise<CallLimits>
  dispose(): Promise<void>
}

const hourMs = 3_600_000
const limit = { calls: 3, perSeconds: 3600 }

/** Tests that every implementation of CallLimits must pass. */
export function describeCallLimits(
  name: string,
  open: (clock: () => number) => Promise<OpenedCallLimits>,
): void {
  describe(name, () => {
    let opened: OpenedCallLimits
    let a: CallLimits
    let b: CallLimits
    /** Milliseconds by which the clock is ahead. */
    let aheadMs = 0
    const now = () => Date.now() + aheadMs
    beforeEach(async () => {
      aheadMs = 0
      opened = await open(now)
      ;[a, b] = opened.handles
    })
    afterEach(() => opened.dispose())

    it('pauses a connection on all nodes, and after a restart', async () => {
      const until = now() + hourMs / 2
      await a.pause('conn_1', until)
      expect(a.pausedUntil('conn_1')).toBe(until)
      await eventually(() => expect(b.pausedUntil('conn_1')).toBe(until))
      expect(a.pausedUntil('conn_2')).toBeNull()
      const again = await opened.reopen()
      expect(again.pausedUntil('conn_1')).toBe(until)
      expect(again.pausedUntil('conn_2')).toBeNull()
    })

    it('does not shorten a pause, and keeps none for more than an hour', async () => {
      const until = now() + hourMs / 2
      await a.pause('conn_1', until)
      await a.pause('conn_1', until - 1000)
      expect(a.pausedUntil('conn_1')).toBe(until)
      await b.pause('conn_1', now() + 5 * hourMs)
      expect((b.pausedUntil('conn_1') ?? 0) - now()).toBeLessThanOrEqual(hourMs)
      await eventually(() => expect(a.pausedUntil('conn_1')).toBe(b.pausedUntil('conn_1')))
    })

    it('ends a pause at its time, and earlier if it is told to', async () => {
      const until = now() + hourMs / 2
      await a.pause('conn_1', until)
      await a.pause('conn_2', until)
      await eventually(() => expect(b.pausedUntil('conn_1')).toBe(until))
      await b.resume('conn_1')
      await eventually(() => expect([a, b].map(one => one.pausedUntil('conn_1'))).toEqual([null, null]))
      expect(a.pausedUntil('conn_2')).toBe(until)
      aheadMs = hourMs
      expect(a.pausedUntil('conn_2')).toBeNull()
      expect((await opened.reopen()).pausedUntil('conn_2')).toBeNull()
    })

    it('does not take a clock that was set back for a long pause', async () => {
      await a.pause('conn_1', now() + 1000)
      aheadMs = -24 * hourMs
      expect(a.pausedUntil('conn_1')).toBeNull()
    })

    it('tells each node of pauses that begin or end early', async () => {
      const told: string[] = []
      b.pauses.subscribe(connectionId => void told.push(connectionId))
      await a.pause('conn_1', now() + hourMs / 2)
      await eventually(() => expect(told).toEqual(['conn_1']))
      await a.resume('conn_1')
      await eventually(() => expect(told).toEqual(['conn_1', 'conn_1']))
    })

    it('puts those that come again in one line, until a new one is begun', async () => {
      const take = async (store: CallLimits) => {
        const room = await store.take('conn_1', { calls: 3, perSeconds: 600 }, { comesAgain: true })
        return 'dueAt' in room ? room.dueAt : 0
      }
      const [, , , first = 0, second = 0] = [
        await take(a),
        await take(b),
        ...[await take(a), await take(b), await take(a)],
      ]
      expect(second - first).toBe(200_000)
      await b.beginLine('conn_1')
      expect(await take(a)).toBeLessThan(first + 100_000)
    })

    it('counts the calls of all nodes, also after a restart', async () => {
      const take = (store: CallLimits, connectionId = 'conn_1') =>
        store.take(connectionId, limit, { comesAgain: false })
      const rooms = await Promise.all([a, b, a, b, a].map(store => take(store)))
      expect(rooms.filter(room => 'place' in room)).toHaveLength(3)
      expect(rooms.filter(room => 'dueAt' in room)).toHaveLength(2)
      expect(await take(b, 'conn_2')).toHaveProperty('place')
      const [place = 0] = rooms.flatMap(room => ('place' in room ? room.place : []))
      a.settle('conn_1', limit, { place, isSent: false })
      expect(await take(a)).toHaveProperty('place')
      expect(await take(b)).toHaveProperty('dueAt')
      expect(await take(await opened.reopen())).toHaveProperty('dueAt')
    })
  })
}

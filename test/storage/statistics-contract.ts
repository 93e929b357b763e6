import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { notMeasured } from '#main/storage/measured.ts'
import type { NodeCounts, SavedCounts, StatisticsStore } from '#main/storage/statistics.ts'
import { hourMs } from '#shared/durations.ts'
import { eventually } from '../support/eventually.ts'

export type OpenedStatistics = {
  /** Two handles on the same statistics, as two nodes have them; the same one twice where there is one process. */
  readonly handles: readonly [StatisticsStore, StatisticsStore]
  /** Opens them once more, as after all nodes have stopped. */
  reopen(): Promise<StatisticsStore>
  dispose(): Promise<void>
}

/** The last hour of `savedCounts`. */
export const savedHour = 490_000

/** Returns counts with `accepted` events in the last hour. */
export function savedCounts(accepted: number, changes: Partial<SavedCounts> = {}): SavedCounts {
  const none = () => new Array<number>(24).fill(0)
  const last = (count: number) => none().with(23, count)
  return {
    ...{ upToHour: savedHour, accepted: last(accepted), rejected: none(), calls: none(), callsOk: none() },
    ...{
      oldSecret: none(),
      callsNotMade: none(),
      lastOldSecretAt: 0,
      answerTimes: [1.5, 0.25],
      callTimes: [],
      lastRejection: null,
    },
    lastEvent: { eventId: 'evt_1', eventName: 'order "1"\u0000', at: savedHour * 3_600_000 },
    eventNames: [{ eventName: 'order "1"\u0000', lastAt: savedHour * 3_600_000, hours: last(accepted) }],
    recent: recentCounts(0),
    measured: notMeasured,
    ...changes,
  }
}

/** Returns counts of an hour with events in the last 5 minutes. */
export function recentCounts(accepted: number, upTo = savedHour * 12): SavedCounts['recent'] {
  const none = () => new Array<number>(12).fill(0)
  return {
    ...{ upTo, accepted: none().with(11, accepted), refused: none(), calls: none(), callsFailed: none() },
    ...{ callsNotMade: none(), runs: [] },
  }
}

/** Tests that every implementation of StatisticsStore must pass. */
export function describeStatisticsStore(
  name: string,
  open: (clock: () => number) => Promise<OpenedStatistics>,
): void {
  describe(name, () => {
    let now = 0
    let opened: OpenedStatistics
    let a: StatisticsStore
    let b: StatisticsStore
    beforeEach(async () => {
      now = savedHour * hourMs
      opened = await open(() => now)
      ;[a, b] = opened.handles
    })
    afterEach(() => opened.dispose())

    const countsOf = (counts: Record<string, SavedCounts>, since = 1000): NodeCounts => ({
      since: () => since,
      connectionIds: () => Object.keys(counts),
      countsOf: connectionId => counts[connectionId] ?? null,
    })
    async function save(store: StatisticsStore, node: string, counts: Record<string, SavedCounts>) {
      await store.save(node, countsOf(counts), new Set(Object.keys(counts)))
    }

    /** Returns what a node knows of the others, as it is told. */
    function othersOf(store: StatisticsStore, node: string): Map<string, SavedCounts> {
      const known = new Map<string, SavedCounts>()
      store.follow(node, others => {
        for (const [connectionId, counts] of others)
          if (counts === null) known.delete(connectionId)
          else known.set(connectionId, counts)
      })
      return known
    }

    it('has nothing to continue at first', async () => {
      expect(await a.load('a')).toEqual({ since: null, connections: new Map() })
      expect(a.restAfter(1)).toBeGreaterThan(0)
    })

    it('tells each node what the others have saved, before and after it asks, and not its own', async () => {
      await Promise.all([a.load('a'), b.load('b')])
      await save(a, 'a', { conn_1: savedCounts(1) })
      const [onA, onB] = [othersOf(a, 'a'), othersOf(b, 'b')]
      await eventually(() => expect(onB).toEqual(new Map([['conn_1', savedCounts(1)]])))
      await save(b, 'b', { conn_1: savedCounts(10), conn_2: savedCounts(2) })
      await save(a, 'a', { conn_1: savedCounts(3) })
      await eventually(() => {
        expect(onA).toEqual(
          new Map([
            ['conn_1', savedCounts(10)],
            ['conn_2', savedCounts(2)],
          ]),
        )
        expect(onB).toEqual(new Map([['conn_1', savedCounts(3)]]))
      })
    })

    it('merges what several others have saved', async () => {
      await Promise.all([a.load('a'), b.load('b'), b.load('c')])
      await save(a, 'a', { conn_1: savedCounts(1, { answerTimes: [1] }) })
      await save(b, 'b', { conn_1: savedCounts(10, { answerTimes: [2] }) })
      const onC = othersOf(b, 'c')
      await eventually(() => expect(onC.get('conn_1')?.accepted.at(-1)).toBe(11))
      expect(onC.get('conn_1')?.answerTimes.toSorted()).toEqual([1, 2])
    })

    it('tells the others when the counts of a connection are gone', async () => {
      await Promise.all([a.load('a'), b.load('b')])
      await save(a, 'a', { conn_1: savedCounts(1), conn_2: savedCounts(2) })
      const onB = othersOf(b, 'b')
      await eventually(() => expect(onB.size).toBe(2))
      await a.save('a', countsOf({ conn_2: savedCounts(2) }), new Set(['conn_1']))
      await eventually(() => expect([...onB.keys()]).toEqual(['conn_2']))
    })

    it('tells nobody after the end of the subscription', async () => {
      await Promise.all([a.load('a'), b.load('b')])
      const told: string[] = []
      b.follow('b', others => told.push(...others.keys()))()
      const onB = othersOf(b, 'b')
      await save(a, 'a', { conn_1: savedCounts(1) })
      await eventually(() => expect(onB.size).toBe(1))
      expect(told).toEqual([])
    })

    it('keeps when the last event of a connection was, also of a node that is gone for long', async () => {
      await Promise.all([a.load('a'), b.load('b')])
      await save(a, 'a', { conn_1: savedCounts(1) })
      for (let day = 0; day < 3; day++) {
        now += 26 * hourMs
        await save(b, 'b', { conn_2: savedCounts(day) })
      }
      const again = await opened.reopen()
      const { connections: own } = await again.load('c')
      const others = othersOf(again, 'c')
      const lastOf = (connectionId: string) =>
        (own.get(connectionId) ?? others.get(connectionId))?.lastEvent?.at
      await eventually(() =>
        expect(['conn_1', 'conn_2'].map(lastOf)).toEqual([savedHour * hourMs, savedHour * hourMs]),
      )
    })

    it('counts everything once after a restart: as its own, or as that of others', async () => {
      await Promise.all([a.load('a'), b.load('b')])
      await a.save('a', countsOf({ conn_1: savedCounts(1) }, 2000), new Set(['conn_1']))
      await b.save(
        'b',
        countsOf({ conn_1: savedCounts(10), conn_2: savedCounts(2) }),
        new Set(['conn_1', 'conn_2']),
      )
      const again = await opened.reopen()
      const { since, connections: own } = await again.load('c')
      const others = othersOf(again, 'c')
      const acceptedOf = (connectionId: string) =>
        (own.get(connectionId)?.accepted.at(-1) ?? 0) + (others.get(connectionId)?.accepted.at(-1) ?? 0)
      await eventually(() => expect(['conn_1', 'conn_2'].map(acceptedOf)).toEqual([11, 2]))
      expect(since).toBe(1000)
      expect(own.get('conn_2') ?? others.get('conn_2')).toEqual(savedCounts(2))
    })
  })
}

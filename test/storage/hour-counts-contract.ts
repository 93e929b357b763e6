import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dayHours, type HourCountStore } from '#main/storage/hour-count-store.ts'
import { emptyHour, type HourCounts, readHour, storedHour } from '#main/storage/hour-counts.ts'

export type OpenedHourCounts = {
  /** Two handles on the same counts, as two nodes have them; the same one twice where there is one process. */
  readonly handles: readonly [HourCountStore, HourCountStore]
  dispose(): Promise<void>
}

const hour = 490_000
export const everyHour = { from: 0, until: 1_000_000 }

/** Returns a row with counts of one hour. */
export function hourRow(of: string, counts: Partial<HourCounts>, at = hour) {
  return { of, hour: at, doc: storedHour({ ...emptyHour(), ...counts }) }
}

/** Tests that every implementation of HourCountStore must pass. */
export function describeHourCounts(name: string, open: () => Promise<OpenedHourCounts>): void {
  describe(name, () => {
    let opened: OpenedHourCounts
    let a: HourCountStore
    let b: HourCountStore
    beforeEach(async () => {
      opened = await open()
      ;[a, b] = opened.handles
    })
    afterEach(() => opened.dispose())

    const rowsOf = async (of: string) =>
      (await a.read(of, everyHour)).map(row => ({
        node: row.node,
        hour: row.hour,
        counts: readHour(row.doc),
      }))
    /** Returns the accepted events of a connection by hour. */
    async function acceptedOf(of: string): Promise<Record<number, number>> {
      const sums: Record<number, number> = {}
      for (const { hour: at, counts } of await rowsOf(of)) sums[at] = (sums[at] ?? 0) + counts.accepted
      return sums
    }

    it('has nothing at first', async () => {
      expect(await a.read('', everyHour)).toEqual([])
      expect(await a.first()).toBeNull()
      expect(await a.merge(hour)).toBe(false)
      expect(await a.prune(hour)).toBe(false)
    })

    it('keeps the newest counts of each node, connection and hour', async () => {
      await a.save('a', [hourRow('conn_1', { accepted: 1 }), hourRow('', { accepted: 1 })])
      await a.save('a', [hourRow('conn_1', { accepted: 3, refused: { invalid_signature: 2 } })])
      await b.save('b', [hourRow('conn_1', { accepted: 10 }), hourRow('conn_2', { accepted: 7 }, hour + 1)])
      expect(await acceptedOf('conn_1')).toEqual({ [hour]: 13 })
      expect(await acceptedOf('conn_2')).toEqual({ [hour + 1]: 7 })
      expect((await rowsOf('conn_1')).map(({ node }) => node).sort()).toEqual(['a', 'b'])
      expect(await a.read('conn_1', { from: hour + 1, until: hour + 2 })).toEqual([])
      expect(await a.read('conn_2', { from: hour, until: hour + 1 })).toEqual([])
      expect(await a.first()).toBe(hour)
    })

    it('merges the rows of nodes into one, with what was merged before', async () => {
      const full: HourCounts = {
        ...{ accepted: 5, repeated: 1, duplicates: 2, refused: { unknown_token: 3 } },
        ...{ calls: { '2xx': 4, timeout: 1 }, runs: { succeeded: 1, failed: 2, cancelled: 3 } },
        ...{ answerMs: [0, 5], callMs: [1, 0, 4] },
        ...{ started: { 'wf_1 a': [2, 1], ' b': [1, 0] }, called: { 'client a': [3, 0] }, limited: true },
      }
      await a.save('a', [hourRow('', full)])
      await b.save('b', [hourRow('', full), hourRow('', { accepted: 1 }, hour + 1)])
      while (await a.merge(hour));
      await b.save('c', [hourRow('', { accepted: 1 }, hour + 1)])
      expect(await rowsOf('')).toMatchObject([
        {
          node: '',
          counts: {
            ...{ accepted: 10, repeated: 2, duplicates: 4, refused: { unknown_token: 6 } },
            ...{ calls: { '2xx': 8, timeout: 2 }, runs: { succeeded: 2, failed: 4, cancelled: 6 } },
            ...{ answerMs: [0, 10], callMs: [2, 0, 8] },
            ...{ started: { 'wf_1 a': [4, 2], ' b': [2, 0] }, called: { 'client a': [6, 0] }, limited: true },
          },
        },
        { hour: hour + 1 },
        { hour: hour + 1 },
      ])
      while (await b.merge(hour + 1));
      expect((await rowsOf('')).map(({ node, counts }) => [node, counts.accepted])).toEqual([
        ['', 10],
        ['', 2],
      ])
    })

    it('adds up the pairs of connections over hours and nodes, also without those of one', async () => {
      await a.save('a', [
        hourRow('conn_1', { started: { 'wf_1 a': [2, 1] }, accepted: 9 }),
        hourRow('conn_1', { started: { 'wf_1 a': [3, 0] }, called: { 'client t': [1, 1] } }, hour + 1),
        hourRow('conn_2', { called: { ' t': [4, 0] } }),
      ])
      await b.save('b', [hourRow('conn_1', { started: { 'wf_1 a': [10, 0], ' b': [1, 0] }, limited: true })])
      while (await a.merge(hour - 1));
      const all = ['conn_1', 'conn_2', 'conn_none']
      expect(await a.readPairs(all, [{ ...everyHour, byDay: false }], null)).toEqual(
        new Map([
          [
            'conn_1',
            { started: { 'wf_1 a': [15, 1], ' b': [1, 0] }, called: { 'client t': [1, 1] }, limited: true },
          ],
          ['conn_2', { started: {}, called: { ' t': [4, 0] }, limited: false }],
        ]),
      )
      expect(await b.readPairs(['conn_1'], [{ from: hour, until: hour + 1, byDay: false }], 'b')).toEqual(
        new Map([['conn_1', { started: { 'wf_1 a': [2, 1] }, called: {}, limited: false }]]),
      )
      while (await a.merge(hour + 1));
      const merged = await b.readPairs(['conn_1'], [{ ...everyHour, byDay: false }], 'b')
      expect(merged.get('conn_1')?.started).toEqual({ 'wf_1 a': [15, 1], ' b': [1, 0] })
    })

    it('adds up the pairs of each day as its hours are merged', async () => {
      const day = hour - (hour % dayHours)
      const later = day + dayHours
      const pairs = (count: number) => ({ started: { 'wf_1 a': [count, 1] as [number, number] } })
      const dayOf = async (from: number) => {
        const part = { from, until: from + dayHours, byDay: true }
        return (await a.readPairs(['conn_1'], [part], null)).get('conn_1')
      }
      await a.save('a', [hourRow('', { accepted: 1 }, day), hourRow('conn_1', pairs(1), later)])
      expect(await a.summedDays()).toEqual({ from: 0, until: 0 })
      await b.save('b', [hourRow('conn_1', { ...pairs(10), limited: true }, later)])
      while (await a.merge(later));
      expect(await a.summedDays()).toEqual({ from: later, until: expect.any(Number) })
      await b.save('b', [
        hourRow('conn_1', { ...pairs(100), called: { 'client t': [1, 0] } }, later + 23),
        hourRow('conn_1', pairs(1000), later + dayHours),
      ])
      expect((await b.summedDays()).until).toBe(later)
      while (await b.merge(later + 23));
      expect(await b.summedDays()).toEqual({ from: later, until: later + dayHours })
      expect(await dayOf(later)).toEqual({
        ...{ started: { 'wf_1 a': [111, 3] }, called: { 'client t': [1, 0] }, limited: true },
      })
      expect(await dayOf(later + dayHours)).toBeUndefined()
      await a.keepOnly(['conn_1'])
      expect(await dayOf(later)).toBeDefined()
      await a.forget(['conn_1'])
      expect(await dayOf(later)).toBeUndefined()
      while (await a.prune(later));
      expect(await a.summedDays()).toEqual({ from: 0, until: 0 })
    })

    it('does not let a node that was stopped bring back what was merged', async () => {
      await a.save('a', [hourRow('conn_1', { accepted: 5 }), hourRow('', { accepted: 5 })])
      while (await b.merge(hour));
      await a.save('a', [hourRow('conn_1', { accepted: 6 }), hourRow('conn_1', { accepted: 1 }, hour + 1)])
      expect(await acceptedOf('conn_1')).toEqual({ [hour]: 5, [hour + 1]: 1 })
    })

    it('counts everything once while nodes save and two merge at once', async () => {
      const ids = Array.from({ length: 50 }, (_, index) => `conn_${index}`)
      const save = (store: HourCountStore, node: string, accepted: number) =>
        store.save(
          node,
          ids.map(id => hourRow(id, { accepted })),
        )
      await Promise.all([save(a, 'a', 1), save(b, 'b', 10)])
      const again = async (store: HourCountStore) => {
        while (await store.merge(hour));
      }
      await Promise.all([again(a), again(b), save(a, 'a', 1), save(b, 'b', 10), again(a)])
      for (const id of ids) expect(await acceptedOf(id)).toEqual({ [hour]: 11 })
      expect((await rowsOf('conn_7')).map(({ node }) => node)).toEqual([''])
    })

    it('deletes what is old', async () => {
      await a.save('a', [
        ...['', 'conn_1', 'conn_2'].flatMap(of => [
          hourRow(of, { accepted: 1 }),
          hourRow(of, { accepted: 2 }, hour + 1),
        ]),
      ])
      while (await a.merge(hour));
      while (await a.prune(hour + 1));
      for (const of of ['', 'conn_1', 'conn_2']) expect(await acceptedOf(of)).toEqual({ [hour + 1]: 2 })
    })

    it('deletes the rows of connections, and never those of workspaces and of the service', async () => {
      const all = ['', 'conn_1', 'conn_2', 'conn_3', 'default', 'ws_1']
      await a.save(
        'a',
        all.map(of => hourRow(of, { accepted: 1 })),
      )
      await a.forget(['conn_1', 'conn_none'])
      await b.keepOnly(['conn_3', 'conn_1'])
      const left = await Promise.all(all.map(async of => ((await rowsOf(of)).length > 0 ? [of] : [])))
      expect(left.flat()).toEqual(['', 'conn_3', 'default', 'ws_1'])
    })
  })
}

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AlertQuery, type AlertStore, mutedForGood, type StoredAlert } from '#main/storage/alerts.ts'

export type OpenedAlerts = {
  /** Two handles on the same alerts, as two nodes have them; the same one twice where there is one process. */
  readonly handles: readonly [AlertStore, AlertStore]
  dispose(): Promise<void>
}

const first: StoredAlert = {
  ...{ number: 1, kind: 'refused', subject: 'conn_1', workspaceId: 'default', connectionId: 'conn_1' },
  ...{ openedAt: 1000, closedAt: null, isTold: false, mutedUntil: 0, doc: '{}' },
}
const ofService = {
  ...{ ...first, number: 2, kind: 'backup_old', subject: 'service', connectionId: null, isTold: true },
}
const all: AlertQuery = { state: 'all', before: Number.MAX_SAFE_INTEGER, limit: 100 }

/** Tests that every implementation of AlertStore must pass. */
export function describeAlerts(name: string, open: () => Promise<OpenedAlerts>): void {
  describe(name, () => {
    let opened: OpenedAlerts
    let a: AlertStore
    let b: AlertStore
    beforeEach(async () => {
      opened = await open()
      ;[a, b] = opened.handles
    })
    afterEach(() => opened.dispose())

    /** Writes alerts as the step after the last one. */
    async function write(...alerts: readonly StoredAlert[]): Promise<boolean> {
      const { at } = (await a.load()).memory
      return a.write({ readAt: at, memory: { at: at + 1, doc: '{}' }, alerts })
    }
    const numbers = async (query: Partial<AlertQuery> = {}) =>
      (await b.list({ ...all, ...query })).map(({ number }) => number)

    it('has nothing at first', async () => {
      expect(await a.load()).toEqual({ memory: { at: 0, doc: '{}' }, alerts: [] })
      expect(await a.list(all)).toEqual([])
      expect(await a.get(1)).toBeNull()
      expect(await a.countOpen()).toEqual({})
      expect(await a.mute(1, 5)).toBe(false)
    })

    it('writes alerts with the memory of their step, or neither', async () => {
      const memory = { at: 50, doc: '{"silent":{}}' }
      expect(await a.write({ readAt: 0, memory, alerts: [first] })).toBe(true)
      expect(await b.load()).toEqual({ memory, alerts: [first] })
      expect(await b.write({ readAt: 0, memory: { at: 60, doc: '{}' }, alerts: [ofService] })).toBe(false)
      expect(await a.load()).toEqual({ memory, alerts: [first] })
    })

    it('lets one of many steps that have read the same write', async () => {
      const writes = [a, b, a, b].map((store, index) =>
        store.write({
          ...{ readAt: 0, memory: { at: 70 + index, doc: '{}' } },
          alerts: [{ ...first, number: 10 + index }],
        }),
      )
      expect((await Promise.all(writes)).filter(written => written)).toHaveLength(1)
      expect(await numbers()).toHaveLength(1)
    })

    it('has one open alert of a kind and a subject, and a new one once that is closed', async () => {
      await write(first)
      await write({ ...first, number: 2 })
      expect(await numbers()).toEqual([1])
      await write({ ...first, closedAt: 2000 }, { ...first, number: 3, openedAt: 3000 })
      expect(await numbers()).toEqual([3, 1])
      expect(await numbers({ state: 'open' })).toEqual([3])
      expect(await numbers({ state: 'closed' })).toEqual([1])
      expect(await a.countOpen()).toEqual({ refused: 1 })
    })

    it('notes what was told of the transition that it was told of', async () => {
      await write(first, ofService)
      await a.told(first)
      expect(await a.get(1)).toEqual({ ...first, isTold: true })
      const closed = { ...first, closedAt: 2000 }
      await write(closed)
      expect((await b.load()).alerts).toEqual([closed, ofService])
      await b.told(first)
      expect(await a.get(1)).toEqual(closed)
      await b.told(closed)
      expect((await a.load()).alerts).toEqual([ofService])
    })

    it('mutes an open alert, and a step that does not know of it leaves it muted', async () => {
      await write(first)
      expect(await b.mute(1, 99)).toBe(true)
      await write({ ...first, doc: '{"value":2}' })
      expect(await a.get(1)).toEqual({ ...first, mutedUntil: 99, doc: '{"value":2}' })
      expect(await a.mute(1, mutedForGood)).toBe(true)
      expect((await a.get(1))?.mutedUntil).toBe(mutedForGood)
      await write({ ...first, closedAt: 2000 })
      expect(await a.mute(1, 0)).toBe(false)
    })

    it('lists by kind, workspace and connection, in pages, the newest first', async () => {
      await write(first, ofService, { ...first, number: 3, subject: 'conn_2', connectionId: 'conn_2' })
      await write({ ...first, number: 4, kind: 'silent', workspaceId: 'ws_2' })
      expect(await numbers()).toEqual([4, 3, 2, 1])
      expect(await numbers({ limit: 2 })).toEqual([4, 3])
      expect(await numbers({ limit: 2, before: 3 })).toEqual([2, 1])
      expect(await numbers({ kind: 'refused' })).toEqual([3, 1])
      expect(await numbers({ workspaceId: 'ws_2' })).toEqual([4])
      expect(await numbers({ connectionId: 'conn_1' })).toEqual([4, 1])
      expect((await a.list({ ...all, kind: 'backup_old' }))[0]).toEqual(ofService)
    })

    it('deletes closed alerts that are old', async () => {
      await write({ ...first, closedAt: 2000 })
      await write({ ...first, number: 2, closedAt: 9000 })
      await write({ ...first, number: 3 })
      await a.prune(5000)
      expect(await numbers()).toEqual([3, 2])
    })
  })
}

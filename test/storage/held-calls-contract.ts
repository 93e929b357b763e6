import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { DecidedCall, HeldCall, HeldCallStore } from '#main/storage/held-calls.ts'

export type OpenedHeldCalls = {
  /** Two handles on the same calls, as two nodes have them; the same one twice where there is one node. */
  readonly handles: readonly [HeldCallStore, HeldCallStore]
  dispose(): Promise<void>
}

/** Tests that every implementation of HeldCallStore must pass. */
export function describeHeldCallStore(name: string, open: () => Promise<OpenedHeldCalls>): void {
  describe(name, () => {
    let opened: OpenedHeldCalls
    let a: HeldCallStore
    let b: HeldCallStore
    beforeEach(async () => {
      opened = await open()
      ;[a, b] = opened.handles
    })
    afterEach(() => opened.dispose())

    const held = (id: string, more: Partial<HeldCall> = {}): HeldCall => ({
      ...{ id, kind: 'mcp', doc: `{"id":"${id}","text":"\\u0000 ✓ 1.10"}`, size: 10, expiresAt: null },
      ...more,
    })
    const idsOf = async (store: HeldCallStore, kind = 'mcp') => (await store.list(kind)).map(({ id }) => id)

    function decisionsOf(store: HeldCallStore): DecidedCall[] {
      const seen: DecidedCall[] = []
      store.onDecided(decided => seen.push(decided))
      return seen
    }

    it('lists the calls of each kind, the oldest first, until they end', async () => {
      const calls = [held('two'), held('one', { size: 20 }), held('three', { kind: 'other' })]
      for (const call of calls) expect(await a.hold(call, null)).toBe(true)
      expect(await b.list('mcp')).toEqual(calls.slice(0, 2))
      expect(await b.list('other')).toEqual(calls.slice(2))
      expect(await a.end('two')).toBeNull()
      expect(await a.end('two')).toBeNull()
      expect(await idsOf(b)).toEqual(['one'])
    })

    it('returns a call to the first who decides about it, and null to all others', async () => {
      const call = held('one')
      await a.hold(call, null)
      const answers = await Promise.all(
        [a, b, a, b].map((store, place) => store.decide('mcp', 'one', `decision ${place}`)),
      )
      expect(answers.filter(answer => answer !== null)).toEqual([call])
      expect(await idsOf(a)).toEqual([])
      const decision = `decision ${answers.findIndex(answer => answer !== null)}`
      expect(await a.end('one')).toBe(decision)
      expect(await b.decide('mcp', 'one', 'late')).toBeNull()
      expect(await a.end('one')).toBeNull()
    })

    it('refuses a decision about a call that has ended, is unknown or is of another kind', async () => {
      await a.hold(held('one'), null)
      expect(await b.decide('other', 'one', 'allow')).toBeNull()
      expect(await b.decide('mcp', 'two', 'allow')).toBeNull()
      await a.end('one')
      expect(await b.decide('mcp', 'one', 'allow')).toBeNull()
    })

    it('calls back the holder with a decision of either node', async () => {
      const seen = decisionsOf(a)
      await a.hold(held('one'), null)
      await a.hold(held('two'), null)
      await b.decide('mcp', 'one', '{"given":"\\u0000"}')
      await expect.poll(() => seen).toEqual([{ id: 'one', decision: '{"given":"\\u0000"}' }])
      await a.decide('mcp', 'two', 'allow')
      expect(seen.at(-1)).toEqual({ id: 'two', decision: 'allow' })
    })

    it('bounds the calls of a kind and their size, over all nodes', async () => {
      const bounds = { most: 3, mostSize: 100 }
      expect(await a.hold(held('one', { size: 60 }), bounds)).toBe(true)
      expect(await b.hold(held('two', { size: 41 }), bounds)).toBe(false)
      expect(await b.hold(held('two', { size: 40 }), bounds)).toBe(true)
      expect(await b.hold(held('other', { kind: 'other', size: 41 }), bounds)).toBe(true)
      expect(await a.hold(held('three', { size: 0 }), bounds)).toBe(true)
      expect(await a.hold(held('four', { size: 0 }), bounds)).toBe(false)
      await b.end('two')
      expect(await a.hold(held('four', { size: 40 }), bounds)).toBe(true)
      expect(await idsOf(b)).toEqual(['one', 'three', 'four'])
    })

    it('lets calls held at once never exceed the bounds', async () => {
      const ids = Array.from({ length: 12 }, (_, n) => `call ${n}`)
      const bounds = { most: 5, mostSize: 1000 }
      const answers = await Promise.all(ids.map((id, n) => (n % 2 === 0 ? a : b).hold(held(id), bounds)))
      expect(answers.filter(Boolean)).toHaveLength(5)
      expect(await a.list('mcp')).toHaveLength(5)
    })

    it('publishes each change of a list to both nodes', async () => {
      const kinds: string[] = []
      b.changes.subscribe(kind => kinds.push(kind))
      for (const change of [
        () => a.hold(held('one', { kind: 'other' }), null),
        () => a.decide('other', 'one', 'allow'),
        () => a.hold(held('two', { kind: 'other' }), null),
        () => a.end('two'),
      ]) {
        kinds.length = 0
        await change()
        await expect.poll(() => kinds).toContain('other')
      }
    })
  })
}

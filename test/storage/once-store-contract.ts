import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mostOnce, type OnceStore } from '#main/storage/once-store.ts'
import { eventually } from '../support/eventually.ts'

export type OpenedOnce = {
  /** Two handles on the same texts, as two nodes have them; the same one twice where there is one node. */
  readonly handles: readonly [OnceStore, OnceStore]
  dispose(): Promise<void>
}

const hourMs = 3_600_000

/** Tests that every implementation of OnceStore must pass. */
export function describeOnceStore(name: string, open: () => Promise<OpenedOnce>): void {
  describe(name, () => {
    let opened: OpenedOnce
    let a: OnceStore
    let b: OnceStore
    beforeEach(async () => {
      opened = await open()
      ;[a, b] = opened.handles
    })
    afterEach(() => opened.dispose())

    it('gives a text to one of those who take it, on whatever node', async () => {
      const text = `{"text":"\u0000 ✓ \\u0000 ' \\\\"}${'x'.repeat(100_000)}`
      await a.put('link', 'one', text, hourMs)
      const taken = await Promise.all([a, b, a, b].map(store => store.take('link', 'one')))
      expect(taken.filter(each => each !== null)).toEqual([text])
      expect(await b.take('link', 'one')).toBeNull()
    })

    it('keeps kinds and keys apart', async () => {
      await a.put('link', 'one', 'a link', hourMs)
      await a.put('probe', 'one', 'a probe', hourMs)
      await b.put('link', 'two', 'another link', hourMs)
      expect(await a.take('link', 'three')).toBeNull()
      expect(await b.take('link', 'one')).toBe('a link')
      expect(await a.take('link', 'two')).toBe('another link')
      expect(await b.take('probe', 'one')).toBe('a probe')
    })

    it('replaces a text by a later one of the same kind and key', async () => {
      await a.put('link', 'one', 'first', hourMs)
      await b.put('link', 'one', 'second', hourMs)
      expect(await a.take('link', 'one')).toBe('second')
      expect(await a.take('link', 'one')).toBeNull()
    })

    it('drops a text whose time is over', async () => {
      await a.put('link', 'one', 'over', 0)
      await a.put('link', 'two', 'in time', hourMs)
      expect(await b.take('link', 'one')).toBeNull()
      expect(await b.take('link', 'two')).toBe('in time')
      await eventually(async () => {
        await a.put('link', 'three', 'soon over', 1)
        expect(await b.take('link', 'three')).toBeNull()
      })
    })

    it('keeps the newest of a kind', async () => {
      await a.put('probe', 'one', 'of another kind', hourMs)
      const keys = Array.from({ length: mostOnce + 2 }, (_, index) => `key ${index}`)
      for (const [index, key] of keys.entries()) await [a, b][index % 2]?.put('link', key, key, hourMs)
      expect(await Promise.all(keys.map(key => b.take('link', key)))).toEqual([null, null, ...keys.slice(2)])
      expect(await b.take('probe', 'one')).toBe('of another kind')
    })
  })
}

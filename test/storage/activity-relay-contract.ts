import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ActivityRelay, RelayedItem } from '#main/storage/activity-relay.ts'
import { eventually } from '../support/eventually.ts'

export type OpenedRelay = {
  /** Two handles on the same relay, as two nodes have them; the same one twice where there is one process. */
  readonly handles: readonly [ActivityRelay, ActivityRelay]
  dispose(): Promise<void>
}

/** Tests that every implementation of ActivityRelay must pass. */
export function describeActivityRelay(name: string, open: () => Promise<OpenedRelay>): void {
  describe(name, () => {
    let opened: OpenedRelay
    let a: ActivityRelay
    let b: ActivityRelay
    beforeEach(async () => {
      opened = await open()
      ;[a, b] = opened.handles
    })
    afterEach(() => opened.dispose())

    const item = (number: number, more: Partial<RelayedItem> = {}): RelayedItem => ({
      ...{ number, connectionId: 'conn_1', item: `{"text":"\\u0000 ✓ ' \\\\ ${number}"}` },
      ...more,
    })

    function itemsOf(relay: ActivityRelay, node: string) {
      const items: RelayedItem[] = []
      return { items, stop: relay.follow(node, more => items.push(...more)) }
    }

    it('tells a node whether others follow', async () => {
      expect([a.isFollowed('a'), b.isFollowed('b')]).toEqual([false, false])
      const onB = itemsOf(b, 'b')
      await eventually(() => expect(a.isFollowed('a')).toBe(true))
      expect(b.isFollowed('b')).toBe(false)
      const [onA, onAToo] = [itemsOf(a, 'a'), itemsOf(a, 'a')]
      await eventually(() => expect(b.isFollowed('b')).toBe(true))
      onA.stop()
      onAToo.stop()
      await eventually(() => expect(b.isFollowed('b')).toBe(false))
      expect(a.isFollowed('a')).toBe(true)
      onB.stop()
      await eventually(() => expect(a.isFollowed('a')).toBe(false))
    })

    it('passes the items of a node on to the others, in order, and not back', async () => {
      const [onA, onB] = [itemsOf(a, 'a'), itemsOf(b, 'b')]
      await eventually(() => expect([a.isFollowed('a'), b.isFollowed('b')]).toEqual([true, true]))
      const large = item(3, { item: JSON.stringify('x'.repeat(100_000)) })
      const sent = [item(5), item(2, { connectionId: null, item: null }), large]
      a.send('a', sent.slice(0, 2))
      a.send('a', sent.slice(2))
      b.send('b', [item(4)])
      await eventually(() => expect([onA.items, onB.items]).toEqual([[item(4)], sent]))
    })

    it('passes nothing on from before a node follows, nor after it has stopped', async () => {
      const first = itemsOf(b, 'b')
      await eventually(() => expect(a.isFollowed('a')).toBe(true))
      a.send('a', [item(1)])
      await eventually(() => expect(first.items).toEqual([item(1)]))
      const second = itemsOf(b, 'b')
      first.stop()
      a.send('a', [item(2)])
      await eventually(() => expect(second.items).toEqual([item(2)]))
      expect(first.items).toEqual([item(1)])
    })
  })
}

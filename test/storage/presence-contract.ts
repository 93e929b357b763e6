import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Presence } from '#main/storage/presence.ts'
import { eventually } from '../support/eventually.ts'

export type OpenedPresence = {
  /** Two handles on the same presence, as two nodes have them; the same one twice where there is one process. */
  readonly handles: readonly [Presence, Presence]
  dispose(): Promise<void>
}

/** Tests that every implementation of Presence must pass. */
export function describePresence(name: string, open: () => Promise<OpenedPresence>): void {
  describe(name, () => {
    let opened: OpenedPresence
    let a: Presence
    let b: Presence
    beforeEach(async () => {
      opened = await open()
      ;[a, b] = opened.handles
    })
    afterEach(() => opened.dispose())

    const topic = 'things'
    /** Returns what was last shown to a node. */
    function seenBy(presence: Presence, node: string) {
      const seen = { texts: null as readonly string[] | null, calls: 0, stop: () => {} }
      seen.stop = presence.follow(node, topic, texts => {
        seen.texts = texts.toSorted()
        seen.calls += 1
      })
      return seen
    }

    it('shows the others what a node shows, its changes and its end', async () => {
      const onB = seenBy(b, 'b')
      let text = `\u0000 ✓ '\\ ${'x'.repeat(100_000)}`
      const read = () => text
      a.show('a', topic, read)
      await eventually(() => expect(onB.texts).toEqual([text]))
      text = 'another'
      a.show('a', topic, read)
      await eventually(() => expect(onB.texts).toEqual(['another']))
      a.show('a', topic, () => null)
      await eventually(() => expect(onB.texts).toEqual([]))
    })

    it('shows one who comes later all that the others show, and nothing of its own', async () => {
      a.show('a', topic, () => 'one')
      b.show('b', topic, () => 'two')
      a.show('a', 'other things', () => 'three')
      const [onA, onB] = [seenBy(a, 'a'), seenBy(b, 'b')]
      await eventually(() => expect([onA.texts, onB.texts]).toEqual([['two'], ['one']]))
      const onC = seenBy(b, 'c')
      await eventually(() => expect(onC.texts).toEqual(['one', 'two']))
    })

    it('calls back no more after its end', async () => {
      const [first, second] = [seenBy(b, 'b'), seenBy(b, 'b')]
      a.show('a', topic, () => 'one')
      await eventually(() => expect([first.texts, second.texts]).toEqual([['one'], ['one']]))
      first.stop()
      a.show('a', topic, () => 'two')
      await eventually(() => expect(second.texts).toEqual(['two']))
      expect(first.texts).toEqual(['one'])
    })
  })
}

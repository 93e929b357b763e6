import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Board } from '#main/storage/board.ts'
import { eventually } from '../support/eventually.ts'

export type OpenedBoard = {
  /** Two handles on the same board, as two nodes have them; the same one twice where there is one process. */
  readonly handles: readonly [Board, Board]
  dispose(): Promise<void>
}

/** Tests that every implementation of Board must pass. */
export function describeBoard(name: string, open: () => Promise<OpenedBoard>): void {
  describe(name, () => {
    let opened: OpenedBoard
    let a: Board
    let b: Board
    beforeEach(async () => {
      opened = await open()
      ;[a, b] = opened.handles
    })
    afterEach(() => opened.dispose())

    const topic = 'things'
    /** Returns what was last shown to a node. */
    function seenBy(board: Board, node: string) {
      const seen = { texts: null as readonly string[] | null, calls: 0, stop: () => {} }
      seen.stop = board.follow(node, topic, texts => {
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

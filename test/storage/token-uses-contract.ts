import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { metricsTokenId, type TokenUses } from '#main/storage/token-uses.ts'
import { eventually } from '../support/eventually.ts'

export type OpenedTokenUses = {
  /** Two handles on the same uses, as two nodes have them; the same one twice where there is one node. */
  readonly handles: readonly [TokenUses, TokenUses]
  /** Closes them, and opens them once more. */
  reopen(): Promise<TokenUses>
  dispose(): Promise<void>
}

/** Tests that every implementation of TokenUses must pass. @param open gives the uses of tokens with these ids. */
export function describeTokenUses(
  name: string,
  open: (tokenIds: readonly string[]) => Promise<OpenedTokenUses>,
): void {
  describe(name, () => {
    let opened: OpenedTokenUses
    let a: TokenUses
    let b: TokenUses
    beforeEach(async () => {
      opened = await open(['tok_1', 'tok_2', 'tok_3'])
      ;[a, b] = opened.handles
    })
    afterEach(() => opened.dispose())

    const at = Date.UTC(2026, 0, 1)

    it('knows of no use at first', async () => {
      expect(await a.all()).toEqual(new Map())
    })

    it('tells all nodes when each token was used', async () => {
      a.used('tok_1', at)
      b.used('tok_2', at + 1)
      const both = new Map([
        ['tok_1', at],
        ['tok_2', at + 1],
      ])
      await eventually(async () => {
        expect(await a.all()).toEqual(both)
        expect(await b.all()).toEqual(both)
      })
    })

    it('knows the last of many uses on the node itself', async () => {
      for (let ms = 0; ms <= 1000; ms++) a.used('tok_1', at + ms)
      expect(await a.all()).toEqual(new Map([['tok_1', at + 1000]]))
    })

    it('knows when the metrics were read', async () => {
      a.used(metricsTokenId, at)
      a.used('tok_1', at + 1)
      expect(await a.all()).toEqual(
        new Map([
          [metricsTokenId, at],
          ['tok_1', at + 1],
        ]),
      )
    })

    it('knows the later of the uses on several nodes', async () => {
      a.used('tok_1', at + 5)
      await eventually(async () => expect(await b.all()).toEqual(new Map([['tok_1', at + 5]])))
      b.used('tok_1', at + 7)
      expect(await b.all()).toEqual(new Map([['tok_1', at + 7]]))
    })

    it('keeps uses over a restart, up to ten minutes', async () => {
      const minuteMs = 60_000
      a.used('tok_1', at)
      b.used('tok_2', at)
      a.used('tok_1', at + 10 * minuteMs)
      await eventually(async () =>
        expect(await b.all()).toEqual(
          new Map([
            ['tok_1', at + 10 * minuteMs],
            ['tok_2', at],
          ]),
        ),
      )
      const again = await opened.reopen()
      expect(await again.all()).toEqual(
        new Map([
          ['tok_1', at + 10 * minuteMs],
          ['tok_2', at],
        ]),
      )
    })
  })
}

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mostSessions, type SessionStore } from '#main/storage/sessions.ts'
import { eventually } from '../support/eventually.ts'

export type OpenedSessions = {
  /** Two handles on the same sessions, as two nodes have them; the same one twice where there is one node. */
  readonly handles: readonly [SessionStore, SessionStore]
  /** Opens them once more, as after a restart. */
  reopen(): Promise<SessionStore>
  dispose(): Promise<void>
}

const hourMs = 3_600_000

/** Tests that every implementation of SessionStore must pass. */
export function describeSessionStore(
  name: string,
  open: (clock: () => number) => Promise<OpenedSessions>,
): void {
  describe(name, () => {
    let opened: OpenedSessions
    let a: SessionStore
    let b: SessionStore
    /** Milliseconds by which the clock is ahead. */
    let aheadMs = 0
    beforeEach(async () => {
      aheadMs = 0
      opened = await open(() => Date.now() + aheadMs)
      ;[a, b] = opened.handles
    })
    afterEach(() => opened.dispose())

    const digest = (number: number) => number.toString(16).padStart(64, '0')
    const [one, two, three] = [digest(1), digest(2), digest(3)]
    const openOf = (store: SessionStore, digests: readonly string[]) =>
      Promise.all(digests.map(each => store.isOpen(each)))

    /** Returns the sessions whose end a store has announced so far. */
    function endsOf(store: SessionStore, ...digests: string[]): string[] {
      const over: string[] = []
      for (const each of digests) store.onOver(each, () => over.push(each))
      return over
    }

    it('has a session open on all nodes from its beginning until its end', async () => {
      await a.add(one, hourMs)
      await a.add(two, hourMs)
      expect(await openOf(b, [one, two, three])).toEqual([true, true, false])
      await b.end(one)
      expect(await openOf(a, [one, two])).toEqual([false, true])
      expect(await openOf(b, [one, two])).toEqual([false, true])
      await a.end(one)
      await a.end(three)
      expect(await openOf(a, [one, two, three])).toEqual([false, true, false])
    })

    it('tells every node once that a session is over, and nobody who no longer asks', async () => {
      await a.add(one, hourMs)
      await a.add(two, hourMs)
      const [onA, onB] = [endsOf(a, one, two), endsOf(b, one, two)]
      const stopped: string[] = []
      const stop = b.onOver(one, () => stopped.push(one))
      stop()
      stop()
      await a.end(one)
      expect(onA).toEqual([one])
      await eventually(() => expect(onB).toEqual([one]))
      await b.end(two)
      await eventually(() => expect([onA, onB, stopped]).toEqual([[one, two], [one, two], []]))
    })

    it('has closed a session whose time has come, and tells those who ask, though nobody looks', async () => {
      await a.add(one, 0)
      expect(await openOf(b, [one])).toEqual([false])
      await a.add(two, 200)
      await a.add(three, hourMs)
      const over = endsOf(b, two, three)
      await eventually(() => expect(over).toEqual([two]))
      expect(await openOf(a, [two, three])).toEqual([false, true])
    })

    it('tells those who ask about a session that is over, or never was', async () => {
      await a.add(one, hourMs)
      await b.end(one)
      const over = endsOf(a, one, two)
      await eventually(() => expect(over.toSorted()).toEqual([one, two]))
    })

    it('keeps the newest sessions, and tells those who ask about the others', async () => {
      const digests = Array.from({ length: mostSessions + 2 }, (_, index) => digest(index))
      const [first = '', ...others] = digests
      await a.add(first, hourMs)
      const over = endsOf(b, first)
      for (const [index, each] of others.entries()) await [a, b][index % 2]?.add(each, hourMs)
      expect(await openOf(b, digests)).toEqual(digests.map((_, index) => index >= 2))
      await eventually(() => expect(over).toEqual([first]))
    })

    it('has a session end for good: not even a clock that is set back, and a restart, bring it back', async () => {
      await a.add(one, hourMs)
      await a.add(two, 2 * hourMs)
      aheadMs = hourMs
      expect(await openOf(a, [one, two])).toEqual([false, true])
      aheadMs = 0
      expect(await openOf(b, [one, two])).toEqual([false, true])
      expect(await openOf(await opened.reopen(), [one, two])).toEqual([false, true])
    })

    it('keeps what is open over a restart, also when many begin and end at once', async () => {
      const digests = Array.from({ length: 20 }, (_, index) => digest(index))
      await Promise.all(digests.map((each, index) => (index % 2 ? a : b).add(each, hourMs)))
      await Promise.all(digests.slice(10).map(each => a.end(each)))
      const again = await opened.reopen()
      expect(await openOf(again, digests)).toEqual(digests.map((_, index) => index < 10))
    })
  })
}

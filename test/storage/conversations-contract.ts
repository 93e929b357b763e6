import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type {
  ChangedConversation,
  ConversationBounds,
  ConversationStore,
  ConversationWrite,
  StoredConversation,
} from '#main/storage/conversations.ts'

type Handles = readonly [ConversationStore, ConversationStore]

export type OpenedConversations = {
  /** Two handles on the same conversations, as two nodes have them; the same one twice where there is one node. */
  readonly handles: Handles
  /** Closes the storage and opens it once more, on the same data. */
  reopen(): Promise<Handles>
  /** Closes the storage. */
  close(): Promise<void>
  /** Closes the storage and deletes its data. */
  dispose(): Promise<void>
}

/** Tests that every implementation of ConversationStore must pass. */
export function describeConversationStore(name: string, open: () => Promise<OpenedConversations>): void {
  describe(name, () => {
    let opened: OpenedConversations
    let a: ConversationStore
    let b: ConversationStore
    beforeEach(async () => {
      opened = await open()
      ;[a, b] = opened.handles
    })
    afterEach(() => opened.dispose())

    const wide: ConversationBounds = { mostPerWorkspace: 100, mostBytes: 1_000_000, oldest: 0 }
    const conversation = (number: number, more: Partial<StoredConversation> = {}): StoredConversation => ({
      ...{ number, workspaceId: 'default', updated: number, head: '{}', text: '', bytes: 10 },
      ...more,
    })
    const item = (message: number, part: number, text = '') => ({ message, part, body: `"${text}"`, text })
    const change = (
      number: number,
      more: Partial<StoredConversation>,
      items: ConversationWrite['items'] = [],
      keepMessages = 0,
    ): ConversationWrite => ({ conversation: conversation(number, more), keepMessages, items })
    const numbersOf = ({ conversations }: { conversations: readonly StoredConversation[] }) =>
      conversations.map(({ number }) => number)
    const ownersOf = async (store: ConversationStore, number: number) =>
      (await store.get(number))?.conversation.owners

    function changesOf(store: ConversationStore): ChangedConversation[] {
      const seen: ChangedConversation[] = []
      store.changes.subscribe(changed => seen.push(changed))
      return seen
    }

    it('keeps items in order, replaces them, and deletes those after a place', async () => {
      await a.create(conversation(1), wide)
      const items = [item(0, -1), item(0, 0, 'lone \ud800 surrogate, \u0000'), item(1, -1), item(1, 0, 'b')]
      expect(await a.write(change(1, { updated: 2 }, items), 1)).toBe('written')
      expect((await b.get(1))?.items).toEqual(items)
      const better = [item(1, -1), item(1, 0, 'better')]
      expect(await b.write(change(1, { updated: 3, head: '{"a":1}' }, better, 1), 2)).toBe('written')
      expect((await a.get(1))?.items).toEqual([...items.slice(0, 2), ...better])
      ;[a, b] = await opened.reopen()
      expect(await b.get(1)).toEqual({
        conversation: { ...conversation(1, { updated: 3, head: '{"a":1}' }), owners: [] },
        items: [...items.slice(0, 2), ...better],
      })
      expect(await b.remove(1)).toBe(true)
      expect(await a.remove(1)).toBe(false)
      expect(await a.get(1)).toBeNull()
      expect(await a.write(change(1, { updated: 4 }, items), 3)).toBe('gone')
      expect(await b.get(1)).toBeNull()
    })

    it('writes to the version that was read, and to no other', async () => {
      await a.create(conversation(1), wide)
      const first = [item(0, -1, 'first')]
      expect(await a.write(change(1, { updated: 2, text: 'first' }, first), 1)).toBe('written')
      expect(await b.write(change(1, { updated: 3, text: 'second' }, [item(0, -1, 'second')]), 1)).toBe(
        'changed',
      )
      expect(await b.get(1)).toEqual({
        conversation: { ...conversation(1, { updated: 2, text: 'first' }), owners: [] },
        items: first,
      })
    })

    it('lets one of several changes at once win each version', async () => {
      await a.create(conversation(1), wide)
      const write = (store: ConversationStore, updated: number, expected: number) =>
        store.write(change(1, { updated }, [item(0, -1, `${updated}`)]), expected)
      let version = 1
      for (let round = 1; round <= 5; round++) {
        const versions = Array.from({ length: 6 }, (_, n) => round * 10 + n)
        const expected = version
        const outcomes = await Promise.all(
          versions.map((updated, n) => write(n % 2 === 0 ? a : b, updated, expected)),
        )
        expect(outcomes.toSorted()).toEqual([...Array(5).fill('changed'), 'written'])
        version = versions[outcomes.indexOf('written')] ?? 0
        const found = await b.get(1)
        expect(found?.conversation.updated).toBe(version)
        expect(found?.items).toEqual([item(0, -1, `${version}`)])
      }
    })

    it('lists pages by the last change, of a workspace, and searches titles and items', async () => {
      for (const number of [1, 2, 3, 4])
        await (number % 2 === 0 ? a : b).create(
          conversation(number, {
            workspaceId: number === 4 ? 'ws_other' : 'default',
            text: `title ${number}`,
          }),
          wide,
        )
      const items = [item(0, -1), item(0, 0, '50% of _orders_')]
      await a.write(change(1, { updated: 9, text: 'title 1' }, items), 1)
      expect(numbersOf(await b.list({ limit: 10 }))).toEqual([1, 4, 3, 2])
      const first = await b.list({ workspaceId: 'default', limit: 2 })
      expect(numbersOf(first)).toEqual([1, 3])
      const before = first.nextBefore ?? undefined
      const second = await b.list({ workspaceId: 'default', limit: 2, before })
      expect(numbersOf(second)).toEqual([2])
      expect(second.nextBefore).toBeNull()
      expect(numbersOf(await b.list({ text: '% of _', limit: 10 }))).toEqual([1])
      expect(numbersOf(await b.list({ text: 'title 3', limit: 10 }))).toEqual([3])
      await a.keepOnly(['ws_other'])
      expect(numbersOf(await b.list({ limit: 10 }))).toEqual([4])
    })

    it('checks a bounded amount of text on each page of a search', async () => {
      const huge = { ...wide, mostBytes: Number.MAX_SAFE_INTEGER }
      for (const number of [1, 2, 3, 4])
        await a.create(conversation(number, { bytes: 20 * 1024 * 1024, text: 'same' }), huge)
      const first = await b.list({ text: 'same', limit: 10 })
      expect(numbersOf(first)).toEqual([4, 3])
      const before = first.nextBefore ?? undefined
      expect(numbersOf(await b.list({ text: 'same', limit: 10, before }))).toEqual([2, 1])
    })

    it('deletes the oldest beyond the bounds when one is created', async () => {
      for (const number of [1, 2, 3, 4, 5]) await a.create(conversation(number), wide)
      await a.create(conversation(6), { ...wide, mostPerWorkspace: 5 })
      expect(numbersOf(await b.list({ limit: 10 }))).toEqual([6, 5, 4, 3, 2])
      await b.create(conversation(7), { ...wide, mostBytes: 40 })
      expect(numbersOf(await a.list({ limit: 10 }))).toEqual([7, 6, 5, 4])
      await a.create(conversation(8), { ...wide, oldest: 6 })
      expect(numbersOf(await b.list({ limit: 10 }))).toEqual([8, 7, 6])
    })

    it('knows the owners of a conversation until they end their leases', async () => {
      for (const number of [1, 2]) await a.create(conversation(number), wide)
      await a.own(1, 'node a', 60_000)
      await b.own(1, 'node b', 60_000)
      await b.own(1, 'node b', 60_000)
      expect((await ownersOf(b, 1))?.toSorted()).toEqual(['node a', 'node b'])
      await b.disown(1, 'node b')
      await b.disown(1, 'node b')
      const { conversations } = await b.list({ limit: 10 })
      expect(conversations.map(({ number, owners }) => [number, owners])).toEqual([
        [2, []],
        [1, ['node a']],
      ])
      expect(await a.write(change(1, { updated: 3 }), 1)).toBe('written')
      expect(await ownersOf(b, 1)).toEqual(['node a'])
      await a.disown(1, 'node a')
      expect(await ownersOf(b, 1)).toEqual([])
    })

    it('ends a lease that is not renewed', async () => {
      await a.create(conversation(1), wide)
      await a.own(1, 'gone', 20)
      await a.own(1, 'alive', 20)
      await a.own(1, 'alive', 60_000)
      await expect.poll(() => ownersOf(b, 1)).toEqual(['alive'])
      await a.own(1, 'gone', 60_000)
      expect((await ownersOf(b, 1))?.toSorted()).toEqual(['alive', 'gone'])
    })

    it('publishes each change and deletion to both nodes', async () => {
      const [atA, atB] = [changesOf(a), changesOf(b)]
      const steps: [() => Promise<unknown>, ChangedConversation][] = [
        [() => a.create(conversation(1), wide), { number: 1, updated: 1 }],
        [() => a.write(change(1, { updated: 5 }), 1), { number: 1, updated: 5 }],
        [() => a.remove(1), { number: 1, updated: null }],
        [() => a.create(conversation(6), wide), { number: 6, updated: 6 }],
        [() => a.create(conversation(7), { ...wide, oldest: 7 }), { number: 6, updated: null }],
        [() => a.keepOnly([]), { number: 7, updated: null }],
      ]
      for (const [act, expected] of steps) {
        await act()
        expect(atA).toContainEqual(expected)
        await expect.poll(() => atB).toContainEqual(expected)
      }
      atA.length = 0
      expect(await a.write(change(7, { updated: 8 }), 7)).toBe('gone')
      expect(await a.remove(7)).toBe(false)
      expect(atA).toEqual([])
    })

    it('refuses every method once it is closed', async () => {
      await opened.close()
      await expect(a.list({ limit: 1 })).rejects.toMatchObject({ code: 'storage_unavailable' })
      await expect(b.write(change(1, { updated: 2 }), 1)).rejects.toMatchObject({
        code: 'storage_unavailable',
      })
    })
  })
}

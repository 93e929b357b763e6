import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ConversationBounds, StoredConversation } from '#main/storage/conversations.ts'
import { openSqliteHistory } from '#main/storage/local/sqlite/sqlite-history.ts'

async function open(folder?: string) {
  const path = folder ?? (await mkdtemp(join(tmpdir(), 'cc-conversations-')))
  const problems: string[] = []
  const history = await openSqliteHistory({
    file: join(path, 'history.sqlite'),
    bounds: {},
    clock: () => 0,
    onProblem: ({ message }) => problems.push(message),
    onNotice: notice => problems.push(notice),
  })
  onTestFinished(async () => {
    await history.close()
    await rm(path, { recursive: true, force: true })
  })
  return { store: history.conversations, history, path, problems }
}

const wide: ConversationBounds = { mostPerWorkspace: 100, mostBytes: 1_000_000, oldest: 0 }

function conversation(number: number, more: Partial<StoredConversation> = {}): StoredConversation {
  return { number, workspaceId: 'default', updated: number, head: '{}', text: '', bytes: 10, ...more }
}

const item = (message: number, part: number, text = '') => ({ message, part, body: `"${text}"`, text })
const numbersOf = ({ conversations }: { conversations: readonly StoredConversation[] }) =>
  conversations.map(({ number }) => number)

describe('the storage of conversations', () => {
  test('keeps items in order, replaces them, and deletes those after a place', async () => {
    const { store } = await open()
    await store.create(conversation(1), wide)
    const items = [item(0, -1), item(0, 0, 'lone \ud800 surrogate'), item(1, -1), item(1, 0, 'b')]
    expect(await store.write({ conversation: conversation(1, { updated: 2 }), keepMessages: 0, items })).toBe(
      true,
    )
    expect((await store.get(1))?.items).toEqual(items)
    const better = [item(1, -1), item(1, 0, 'better')]
    await store.write({ conversation: conversation(1, { updated: 3 }), keepMessages: 1, items: better })
    expect((await store.get(1))?.items).toEqual([...items.slice(0, 2), ...better])
    expect(await store.remove(1)).toBe(true)
    expect(await store.remove(1)).toBe(false)
    expect(await store.get(1)).toBeNull()
    expect(await store.write({ conversation: conversation(1, { updated: 4 }), keepMessages: 0, items })).toBe(
      false,
    )
    expect(await store.get(1)).toBeNull()
  })

  test('lists pages by the last change, of a workspace, and searches titles and items', async () => {
    const { store } = await open()
    for (const number of [1, 2, 3, 4])
      await store.create(
        conversation(number, { workspaceId: number === 4 ? 'ws_other' : 'default', text: `title ${number}` }),
        wide,
      )
    await store.write({
      conversation: conversation(1, { updated: 9, text: 'title 1' }),
      keepMessages: 0,
      items: [item(0, -1), item(0, 0, '50% of _orders_')],
    })
    expect(numbersOf(await store.list({ limit: 10 }))).toEqual([1, 4, 3, 2])
    const first = await store.list({ workspaceId: 'default', limit: 2 })
    expect(numbersOf(first)).toEqual([1, 3])
    const second = await store.list({ workspaceId: 'default', limit: 2, before: first.nextBefore! })
    expect(numbersOf(second)).toEqual([2])
    expect(second.nextBefore).toBeNull()
    expect(numbersOf(await store.list({ text: '% of _', limit: 10 }))).toEqual([1])
    expect(numbersOf(await store.list({ text: 'title 3', limit: 10 }))).toEqual([3])
    await store.keepOnly(['ws_other'])
    expect(numbersOf(await store.list({ limit: 10 }))).toEqual([4])
  })

  test('checks a bounded amount of text on each page of a search', async () => {
    const { store } = await open()
    const huge = { ...wide, mostBytes: Number.MAX_SAFE_INTEGER }
    for (const number of [1, 2, 3, 4])
      await store.create(conversation(number, { bytes: 20 * 1024 * 1024, text: 'same' }), huge)
    const first = await store.list({ text: 'same', limit: 10 })
    expect(numbersOf(first)).toEqual([4, 3])
    expect(numbersOf(await store.list({ text: 'same', limit: 10, before: first.nextBefore! }))).toEqual([
      2, 1,
    ])
  })

  test('deletes the oldest beyond the bounds when one is created', async () => {
    const { store } = await open()
    for (const number of [1, 2, 3, 4, 5]) await store.create(conversation(number), wide)
    await store.create(conversation(6), { ...wide, mostPerWorkspace: 5 })
    expect(numbersOf(await store.list({ limit: 10 }))).toEqual([6, 5, 4, 3, 2])
    await store.create(conversation(7), { ...wide, mostBytes: 40 })
    expect(numbersOf(await store.list({ limit: 10 }))).toEqual([7, 6, 5, 4])
    await store.create(conversation(8), { ...wide, oldest: 6 })
    expect(numbersOf(await store.list({ limit: 10 }))).toEqual([8, 7, 6])
  })

  test('continues its numbers after a restart', async () => {
    const { store, history, path } = await open()
    await store.create(conversation(7, { updated: 4711 }), wide)
    await history.close()
    const again = await open(path)
    expect(again.history.nextNumber()).toBe(4712)
  })

  test('says that it cannot be used', async () => {
    const { store, history } = await open()
    await history.close()
    await expect(store.list({ limit: 1 })).rejects.toMatchObject({ code: 'storage_unavailable' })
  })
})

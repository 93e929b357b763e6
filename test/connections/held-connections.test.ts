import { expect, test } from 'vitest'
import { createHeldConnections } from '#main/connections/held-connections.ts'
import type { Housekeeping } from '#main/storage/housekeeping.ts'
import { localHousekeeping } from '#main/storage/local/housekeeping.ts'
import { startInbound } from '../support/inbound-fixture.ts'
import { startOfTests } from '../support/service-fixture.ts'

const holdMs = 10

/** Two nodes with a connection. Their clock stands still. */
async function twoNodes(deleteData: (connectionId: string) => Promise<unknown>) {
  const {
    store,
    connection: { connectionId },
  } = await startInbound()
  const errors: unknown[] = []
  const clock = { now: startOfTests }
  const housekeeping = localHousekeeping(error => errors.push(error))
  const node = () =>
    createHeldConnections({ store, housekeeping, deleteData, clock: () => clock.now, holdMs })
  return { store, connectionId, errors, clock, housekeeping, a: node(), b: node() }
}

test('keeps a connection held until its events and runs are deleted', async () => {
  let isBroken = true
  const nodes = await twoNodes(async id => {
    if (isBroken) throw new Error('The disk is full.')
    // It cannot be restored while its events are deleted.
    await expect(nodes.a.restore(id)).rejects.toThrow('There is no such connection.')
    await expect(nodes.b.restore(id)).rejects.toThrow('There is no such connection.')
  })
  const { a, b, store, connectionId, errors, clock } = nodes
  expect(await a.discard(connectionId)).toBe(startOfTests + holdMs)
  clock.now += holdMs
  await expect.poll(() => errors.length).toBeGreaterThan(0)
  // A part of its events may be deleted.
  await expect(a.restore(connectionId)).rejects.toThrow('There is no such connection.')
  expect(store.snapshot().held?.get(connectionId)?.purging).toBe(true)
  isBroken = false
  await expect.poll(() => store.snapshot().held).toBeUndefined()
  for (const node of [a, b]) await node.stop()
})

test('deletes a connection at once, or in time if its events cannot be deleted now', async () => {
  let isBroken = true
  const deleted: string[] = []
  const { a, b, store, connectionId, clock } = await twoNodes(async id => {
    if (isBroken) throw new Error('The disk is full.')
    deleted.push(id)
  })
  await expect(a.remove(connectionId)).rejects.toThrow('The disk is full.')
  expect(store.snapshot().connections.has(connectionId)).toBe(false)
  await expect(a.restore(connectionId)).rejects.toThrow('There is no such connection.')
  isBroken = false
  clock.now += holdMs
  await expect.poll(() => store.snapshot().held).toBeUndefined()
  expect(deleted).toEqual([connectionId])
  for (const node of [a, b]) await node.stop()
})

test.each([true, false])(
  'a node restores it while its time is up on another (first: %s)',
  async isRestoredFirst => {
    const { store, connectionId, clock } = await twoNodes(async () => {})
    const runs: (() => Promise<unknown>)[] = []
    const housekeeping: Housekeeping = {
      every(_step, run) {
        runs.push(run)
        return async () => {}
      },
    }
    const deleted: string[] = []
    const deleteData = async (id: string) => void deleted.push(id)
    const parts = { store, housekeeping, deleteData, clock: () => clock.now, holdMs }
    const [a, b] = [createHeldConnections(parts), createHeldConnections(parts)]
    await a.discard(connectionId)
    clock.now += holdMs
    const restore = () => b.restore(connectionId).catch(error => error.code)
    const first = isRestoredFirst ? restore() : runs[0]?.()
    const second = isRestoredFirst ? runs[0]?.() : restore()
    const answers = await Promise.all([first, second])
    expect(store.snapshot().connections.has(connectionId)).toBe(isRestoredFirst)
    expect(store.snapshot().held).toBeUndefined()
    expect(deleted).toEqual(isRestoredFirst ? [] : [connectionId])
    if (!isRestoredFirst) expect(answers[1]).toBe('connection_not_found')
  },
)

test('a connection that a node discards before it stops is deleted by another one', async () => {
  const deleted: string[] = []
  const { a, b, store, connectionId, clock } = await twoNodes(async id => void deleted.push(id))
  await a.discard(connectionId)
  await a.stop()
  clock.now += holdMs
  await expect.poll(() => store.snapshot().held).toBeUndefined()
  expect(deleted).toEqual([connectionId])
  await b.stop()
})

test('a clock that is set back does not keep a connection for ever', async () => {
  const { a, b, store, connectionId, clock } = await twoNodes(async () => {})
  await a.discard(connectionId)
  clock.now -= 1_000_000
  await expect.poll(() => store.snapshot().held).toBeUndefined()
  for (const node of [a, b]) await node.stop()
})

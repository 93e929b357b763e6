import { expect, test } from 'vitest'
import { createHeldConnections } from '#main/connections/held-connections.ts'
import { startInbound } from '../support/inbound-fixture.ts'
import { startOfTests } from '../support/service-fixture.ts'

test('keeps a connection held until its events and runs are deleted', async () => {
  const { store, connection } = await startInbound()
  const errors: unknown[] = []
  let isBroken = true
  const cleared = Promise.withResolvers<void>()
  const held = createHeldConnections({
    store,
    async deleteData() {
      if (isBroken) throw new Error('The disk is full.')
      // It cannot be restored while its events are deleted.
      await expect(held.restore(connection.connectionId)).rejects.toThrow('There is no such connection.')
      cleared.resolve()
    },
    clock: () => startOfTests,
    holdMs: 10,
    onError: error => errors.push(error),
  })
  await held.discard(connection.connectionId)
  await expect.poll(() => errors.length).toBeGreaterThan(0)
  expect(store.snapshot().held?.has(connection.connectionId)).toBe(true)
  isBroken = false
  await cleared.promise
  await expect.poll(() => store.snapshot().held).toBeUndefined()
  held.stop()
})

test('deletes a connection at once, or in time if its events cannot be deleted now', async () => {
  const { store, connection } = await startInbound()
  let isBroken = true
  const deleted: string[] = []
  const held = createHeldConnections({
    store,
    async deleteData(connectionId) {
      if (isBroken) throw new Error('The disk is full.')
      deleted.push(connectionId)
    },
    clock: () => startOfTests,
    holdMs: 10,
    onError: () => {},
  })
  await expect(held.remove(connection.connectionId)).rejects.toThrow('The disk is full.')
  expect(store.snapshot().connections.has(connection.connectionId)).toBe(false)
  isBroken = false
  await expect.poll(() => store.snapshot().held).toBeUndefined()
  expect(deleted).toEqual([connection.connectionId])
  held.stop()
})

test('deletes nothing of a connection that is restored while its time runs out', async () => {
  const { store, connection } = await startInbound()
  const deleted: string[] = []
  const held = createHeldConnections({
    store,
    deleteData: async connectionId => void deleted.push(connectionId),
    clock: () => startOfTests,
    holdMs: 5,
    onError: () => {},
  })
  await held.discard(connection.connectionId)
  // Earlier changes hold up the restore until its time has run out.
  const deadline = performance.now() + 50
  const slow = store.update(config => {
    while (performance.now() < deadline);
    return { next: { ...config }, result: undefined }
  })
  await held.restore(connection.connectionId)
  await slow
  expect(store.snapshot().connections.has(connection.connectionId)).toBe(true)
  expect(deleted).toEqual([])
  held.stop()
})

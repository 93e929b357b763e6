import { expect, test } from 'vitest'
import { createHeldConnections } from '#main/connections/held-connections.ts'
import { startInbound } from '../support/inbound-fixture.ts'
import { startOfTests } from '../support/service-fixture.ts'

test('a connection whose events cannot be cleared stays held until they are', async () => {
  const { store, connection } = await startInbound()
  const errors: unknown[] = []
  let isBroken = true
  const cleared = Promise.withResolvers<void>()
  const held = createHeldConnections({
    store,
    log: {
      async clear() {
        if (isBroken) throw new Error('The disk is full.')
        // While its events go it is no longer there to be restored.
        await expect(held.restore(connection.connectionId)).rejects.toThrow('There is no such connection.')
        cleared.resolve()
        return 0
      },
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

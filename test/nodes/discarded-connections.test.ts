import { describe, expect } from 'vitest'
import type { Storage } from '#main/storage/storage.ts'
import { createConnection } from '../support/rest-client.ts'
import type { ServiceFixture, ServiceFixtureOptions } from '../support/service-fixture.ts'
import { openTwoNodes, test, withOther } from './open-nodes.ts'

/** Two nodes with a connection that has an event. */
async function withConnection(
  options: ServiceFixtureOptions = {},
  of?: (storage: Storage, node: number) => Storage,
) {
  const [a, b] = await openTwoNodes(options, of)
  const { connectionId } = await createConnection(a.rest, { persistEvents: true })
  const path = `/connections/${connectionId}`
  await a.rest('POST', `${path}/send`, { event: 'order.created' })
  const eventsOn = async ({ rest }: ServiceFixture) => (await rest('GET', `${path}/events`)).body
  const isKept = () =>
    b.service.storage.events.countBetween({
      ...{ connectionIds: [connectionId], above: -1, below: Number.MAX_SAFE_INTEGER },
    })
  return { a, b, path, eventsOn, isKept }
}

/** Keeps a node from deleting connections in time. */
const noHousekeeping = { every: () => async () => {} }

const oneEvent = { events: [{ eventName: 'order.created' }] }

describe('a connection that is discarded on one node', () => {
  test('is gone on the other, and keeps its events when that one restores it', async () => {
    const { a, b, path, eventsOn } = await withConnection()
    expect((await a.rest('POST', `${path}/discard`)).status).toBe(200)
    expect((await b.rest('GET', path)).status).toBe(404)
    expect((await b.rest('POST', `${path}/restore`)).status).toBe(200)
    for (const node of [a, b]) expect(await eventsOn(node)).toMatchObject(oneEvent)
    expect((await a.rest('POST', `${path}/restore`)).body).toMatchObject({ code: 'connection_not_found' })
  })

  test('keeps its events when it is restored while its time is up', async () => {
    let restoreOnB: (() => Promise<unknown>) | null = null
    const restored = Promise.withResolvers<void>()
    const discarded = Promise.withResolvers<void>()
    const { a, b, path, eventsOn } = await withConnection({ service: { undoMs: 20 } }, (storage, node) => {
      const { config, housekeeping } = storage
      if (node === 1) return { ...storage, housekeeping: noHousekeeping }
      return {
        ...storage,
        housekeeping: {
          every: (step, run) => housekeeping.every(step, () => discarded.promise.then(run)),
        },
        config: withOther(config, {
          // Its time is up: A is about to delete it.
          async update(change) {
            const restore = restoreOnB
            restoreOnB = null
            if (restore !== null) await restore()
            const result = await config.update(change)
            if (restore !== null) restored.resolve()
            return result
          },
        }),
      }
    })
    await a.rest('POST', `${path}/discard`)
    restoreOnB = () => b.rest('POST', `${path}/restore`)
    discarded.resolve()
    await restored.promise
    for (const node of [a, b]) expect(await eventsOn(node)).toMatchObject(oneEvent)
  })

  test('is deleted by the other when the first one stops', async () => {
    // A stops before its time is up, however long that takes.
    const { a, b, path, isKept } = await withConnection({ service: { undoMs: 20 } }, (storage, node) =>
      node === 0 ? { ...storage, housekeeping: noHousekeeping } : storage,
    )
    await a.rest('POST', `${path}/discard`)
    await a.stop()
    await expect.poll(isKept).toBe(0)
    await expect.poll(() => b.service.storage.config.snapshot().held).toBeUndefined()
    expect((await b.rest('POST', `${path}/restore`)).status).toBe(404)
  })
})

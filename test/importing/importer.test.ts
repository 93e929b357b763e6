import { expect, test } from 'vitest'
import { changeConnection } from '#main/connections/connections.ts'
import { createImportPlanner } from '#main/importing/importer.ts'
import { now, openStore, request, shop } from './importer-fixture.ts'

test('previews and applies a document that a worker read', async () => {
  const { store, importer } = await openStore()
  const { preview, apply } = importer()
  expect(await preview(shop())).toMatchObject({
    valid: true,
    actions: { create: ['find'], skip: [] },
    details: { environmentVariables: [{ name: 'SHOP_KEY', sources: ['settings'] }] },
  })
  expect(store.snapshot().connections.size).toBe(0)
  const { connectionId, created } = await apply(shop())
  expect(created.actions).toEqual(['find'])
  expect(store.snapshot().connections.get(connectionId)?.actions).toMatchObject([
    { toolName: 'find', createdAt: now },
  ])
  expect(await apply(shop())).toMatchObject({
    connectionId,
    created: { actions: [] },
    skipped: { actions: ['find'] },
  })
})

test('keeps keys such as __proto__ in a sample payload', async () => {
  const text =
    '{"connection":{"name":"x"},"events":[{"eventName":"e","samplePayload":{"__proto__":{"a":1}}}]}'
  const { store, importer } = await openStore()
  const { connectionId } = await importer().apply(request(text))
  const [event] = store.snapshot().connections.get(connectionId)?.eventTypes ?? []
  expect(JSON.stringify(event?.samplePayload)).toBe('{"__proto__":{"a":1}}')
})

test('refuses a document with errors and an unknown target, and writes nothing', async () => {
  const { store, importer } = await openStore()
  const { apply, preview } = importer()
  await expect(apply(request('{"actions":[{}]}'))).rejects.toMatchObject({
    code: 'invalid_document',
    data: { issues: expect.arrayContaining([expect.objectContaining({ path: 'actions[0].name' })]) },
  })
  const gone = { ...shop(), connectionId: 'conn_gone' }
  await expect(preview(gone)).rejects.toMatchObject({ code: 'connection_not_found' })
  await expect(preview({ ...shop(), workspaceId: 'ws_gone' })).rejects.toMatchObject({
    code: 'workspace_not_found',
  })
  expect(store.snapshot().connections.size).toBe(0)
})

test('plans again when the connections changed while it was planned', async () => {
  const { store, importer } = await openStore()
  const planner = createImportPlanner()
  let plans = 0
  const { apply } = importer({
    ...planner,
    async run(job, signal) {
      const planned = await planner.run(job, signal)
      const [connection] = store.snapshot().connections.keys()
      if (connection !== undefined && plans++ === 0)
        await store.update(config => changeConnection(config, connection, { name: 'Renamed' }, now))
      return planned
    },
  })
  await apply(shop())
  expect(plans).toBe(0)
  const again = await apply(shop())
  expect(plans).toBe(2)
  expect(again.created.actions).toEqual(['find'])
  expect(Array.from(store.snapshot().connections.values(), ({ name }) => name)).toEqual(['Renamed', 'Shop'])
})

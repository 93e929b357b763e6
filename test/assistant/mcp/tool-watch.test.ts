import { expect, onTestFinished, test, vi } from 'vitest'
import { createToolWatch } from '#main/assistant/mcp/tool-watch.ts'
import { createBus } from '#main/lib/bus.ts'
import { CreatedClientToken } from '#shared/model/assistant.ts'
import { createAction } from '../../support/actions.ts'
import { createConnection } from '../../support/rest-client.ts'
import { sharedService } from '../../support/service-fixture.ts'

const cleanService = sharedService()

async function startWatch() {
  const { service, rest } = await cleanService()
  const store = service.storage.config
  const errors: unknown[] = []
  const watch = createToolWatch(store, error => errors.push(error))
  onTestFinished(watch.stop)
  const told: string[] = []
  const add = (name: string, scope: object, close = () => {}) =>
    watch.add({
      scope: { workspaceId: null, connectionId: null, tokenId: null, ...scope },
      toolsChanged: () => told.push(name),
      close,
    })
  return { rest, add, told, errors, watch }
}

test('tells only those whose tools have changed, once for several changes', async () => {
  const { rest, add, told } = await startWatch()
  const shop = await createConnection(rest, { baseUrl: 'http://127.0.0.1:1' })
  const other = await createConnection(rest, { baseUrl: 'http://127.0.0.1:1' })
  add('all', {})
  add('all too', {})
  add('shop', { connectionId: shop.connectionId })
  const end = add('ended', {})
  end()
  add('other', { connectionId: other.connectionId })
  await createAction(rest, shop.connectionId)
  await expect.poll(() => [...told].sort()).toEqual(['all', 'all too', 'shop'])
  // A change that the tools do not show.
  await rest('PATCH', `/connections/${shop.connectionId}`, { timeoutMs: 5000 })
  await createAction(rest, other.connectionId)
  await expect.poll(() => told.slice(3).sort()).toEqual(['all', 'all too', 'other'])
})

test('tells of a change when all nodes have it, and closes what a revoked token opened at once', async () => {
  const { service, rest } = await cleanService()
  const { config } = service.storage
  const everywhere = createBus<void>(() => {})
  const watch = createToolWatch({ ...config, everywhere }, () => {})
  onTestFinished(watch.stop)
  const told: string[] = []
  const { body } = await rest('POST', '/assistant/tokens', { name: 'Laptop' })
  const { tokenId } = CreatedClientToken.parse(body)
  for (const one of [null, tokenId])
    watch.add({
      scope: { workspaceId: null, connectionId: null, tokenId: one },
      toolsChanged: () => told.push('changed'),
      close: () => told.push('closed'),
    })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { connectionId } = await createConnection(rest, { baseUrl: 'http://127.0.0.1:1' })
  await createAction(rest, connectionId)
  await rest('DELETE', `/assistant/tokens/${tokenId}`)
  vi.advanceTimersByTime(1000)
  await new Promise(setImmediate)
  expect(told).toEqual(['closed'])
  everywhere.publish()
  vi.advanceTimersByTime(1000)
  await expect.poll(() => told).toEqual(['closed', 'changed'])
})

test('an error of one client does not keep the others from being told', async () => {
  const { rest, add, told, errors, watch } = await startWatch()
  const shop = await createConnection(rest, { baseUrl: 'http://127.0.0.1:1' })
  const scope = { workspaceId: null, connectionId: null, tokenId: null }
  const toolsChanged = () => {
    throw new Error('gone')
  }
  watch.add({ scope, toolsChanged, close: () => {} })
  add('next', {})
  await createAction(rest, shop.connectionId)
  await expect.poll(() => told).toEqual(['next'])
  expect(errors).toHaveLength(1)
})

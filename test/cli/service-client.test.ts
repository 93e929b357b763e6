import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectToService, restRequest } from '#main/cli/service-client.ts'
import { contract } from '#shared/contract/index.ts'
import { serve, stop, temporaryFolder } from '../support/cli-service.ts'

describe('the client of the running service', () => {
  it('calls procedures of the contract: path, query, body, errors', async () => {
    const service = await serve(temporaryFolder())
    const client = await connectToService(service.data)
    onTestFinished(() => client.close())
    expect(client.listenerUrl).toBe(service.listenerUrl)
    const { connectionId } = await client.call(contract.connections.create, { name: 'Shop' })
    expect(await client.call(contract.connections.list, { workspaceId: 'default' })).toMatchObject([
      { name: 'Shop' },
    ])
    const renamed = await client.call(contract.connections.update, { connectionId, name: 'Store' })
    expect(renamed.name).toBe('Store')
    const page = await client.call(contract.events.list, { connectionId, limit: 1 })
    expect(page).toEqual({ events: [], nextBefore: null })
    expect(await client.call(contract.connections.remove, { connectionId })).toEqual({ deleted: 1 })
    await expect(client.call(contract.connections.get, { connectionId })).rejects.toMatchObject({
      code: 'connection_not_found',
    })
    await expect(client.call(contract.connections.create, { name: '' })).rejects.toMatchObject({
      code: 'invalid_input',
      data: { issues: [{ path: 'name' }] },
    })
    await stop(service)
    await expect(client.call(contract.connections.list, {})).rejects.toMatchObject({
      code: 'service_not_running',
    })
  })

  it('says which file keeps it from finding the service, such as one of another user', async () => {
    const file = join(temporaryFolder(), 'service.json')
    mkdirSync(file)
    await expect(connectToService(dirname(file))).rejects.toMatchObject({
      code: 'storage_unavailable',
      message: expect.stringContaining(file),
    })
  })

  it.each(['', '{', '{"pid":1}'])('takes a service.json of %j for no service', async text => {
    const data = join(temporaryFolder(), 'data')
    mkdirSync(data)
    writeFileSync(join(data, 'service.json'), text)
    await expect(connectToService(data)).rejects.toMatchObject({ code: 'service_not_running' })
  })
})

describe('restRequest', () => {
  it('encodes what goes into the path and the query', () => {
    const route = { method: 'GET', path: '/connections/{connectionId}/events' } as const
    expect(restRequest(route, { connectionId: 'a/b?', text: 'x&y', before: undefined })).toEqual({
      method: 'GET',
      path: '/connections/a%2Fb%3F/events?text=x%26y',
      body: null,
    })
  })

  it('puts the rest into the body', () => {
    const route = { method: 'PATCH', path: '/connections/{connectionId}' } as const
    expect(restRequest(route, { connectionId: 'a', name: 'N' })).toEqual({
      method: 'PATCH',
      path: '/connections/a',
      body: '{"name":"N"}',
    })
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Action } from '#shared/model/action.ts'
import { type ExternalSystem, openExternalSystem } from '../support/external-system.ts'
import { createConnection } from '../support/rest-client.ts'
import { sharedService } from '../support/service-fixture.ts'

const cleanService = sharedService()
let system: ExternalSystem & { close(): void }
beforeAll(async () => {
  system = await openExternalSystem((_request, response) => void response.end('{}'))
})
afterAll(() => system.close())

const fields = { name: 'Act', description: 'Acts', method: 'GET' }
const openapi = (path: string) => ({
  openapi: '3.0.3',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: system.url }],
  paths: { [path]: { get: { operationId: 'act', summary: 'Acts', responses: {} } } },
})

type Way = (path: string) => object

/** The bodies of requests that create the action: directly, and with imports. */
const ways: Readonly<Record<string, Way>> = {
  'saved over REST': path => ({ ...fields, path }),
  'imported from a document': path => ({
    ...{ format: 'document', text: JSON.stringify({ actions: [{ ...fields, path }] }) },
  }),
  'imported from OpenAPI': path => ({ format: 'openapi', text: JSON.stringify(openapi(path)) }),
  'imported from curl': path => ({ format: 'curl', text: `curl ${system.url}${path}` }),
}

describe.each(Object.keys(ways))('a path that is %s', name => {
  test.each(['//j', '///j', '/j'])('%s is called with one slash', async path => {
    const { rest } = await cleanService()
    system.requests.length = 0
    const { connectionId } = await createConnection(rest, { baseUrl: system.url })
    const below = `/connections/${connectionId}`
    const body = ways[name]?.(path) ?? {}
    const created =
      'text' in body
        ? await rest('POST', '/import', { ...body, connectionId })
        : await rest('POST', `${below}/actions`, body)
    expect(created.status, created.text).toBeLessThan(300)
    const [action] = z.array(Action).parse((await rest('GET', `${below}/actions`)).body)
    expect(action?.path).toBe('/j')
    await rest('POST', `${below}/actions/${action?.actionId}/test`, { arguments: {} })
    expect(system.requests.map(({ url }) => url)).toEqual(['/j'])
  })
})

import { randomBytes } from 'node:crypto'
import { Socket } from 'node:net'
import { safe } from '@orpc/client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createImportBodies } from '#main/http/import-bodies.ts'
import { ImportComparison } from '#shared/model/import-comparison.ts'
import { ImportPreview, ImportResult } from '#shared/model/import-preview.ts'
import { createConnection, errorCode, issuePaths, readAnswer } from '../support/rest-client.ts'
import { httpClient, portClient, signIn } from '../support/rpc-client.ts'
import { adminToken, openService, type ServiceFixture } from '../support/service-fixture.ts'

let fixture: ServiceFixture
beforeAll(async () => {
  fixture = await openService()
})
afterAll(() => fixture.close())

/** Makes a body so large that another thread reads it. Every format ignores it at the end of a text. */
const padding = '\n'.repeat(300_000)

const shop = {
  connection: { name: 'Shop', baseUrl: 'https://api.shop.example' },
  actions: [{ name: 'Find', description: 'Finds.', path: '/find', headers: { 'X-Key': '{{SHOP_KEY}}' } }],
  events: [{ eventName: 'paid', samplePayload: { id: 7, note: '“ß” \ud83d\ude00' } }],
}
const pets = (paths: string) =>
  `openapi: 3.0.0\ninfo: { title: Pets, version: '1' }\nservers: [{ url: 'https://pets.example' }]\npaths:\n${paths}`
const collection = {
  info: { name: 'Orders', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
  item: [{ name: 'Find', request: { method: 'GET', url: 'https://api.example.com/orders/:id?a=1' } }],
}
const texts = {
  'an import document': JSON.stringify(shop),
  'an OpenAPI document': pets('  /pets/{id}: { get: { operationId: getPet, responses: {} } }'),
  'a Postman collection': JSON.stringify(collection),
  'a curl command': 'curl https://api.example.com/orders -d a=1',
  'an unpaired surrogate': JSON.stringify(shop).replace('Finds.', '\\ud800').replace('paid', 'pa\ud800id'),
  'a document with errors': '{"actions":[{"name":7,"path":"x"}],"events":[{}]}',
  'a text that is not a document': 'Hello',
}

describe.each(Object.entries(texts))('a large import of %s', (_what, text) => {
  test('is previewed like a small one, over each transport', async () => {
    const { rest, dashboardUrl, service } = fixture
    const small = await rest('POST', '/import/preview', { text })
    const large = await rest('POST', '/import/preview', { text: text + padding })
    expect([large.status, large.text]).toEqual([200, small.text])
    expect(large.text).toBe(JSON.stringify(ImportPreview.parse(small.body)))
    expect(large.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const session = await signIn(dashboardUrl)
    const { client: port, close } = portClient(service.router)
    onTestFinished(close)
    const page = httpClient(
      () => dashboardUrl,
      () => session,
    )
    for (const client of [page, port])
      for (const given of [text, text + padding])
        expect(await client.imports.preview({ text: given })).toEqual(small.body)
  })

  test('is applied like a small one, or refused with the same issues', async () => {
    const { rest } = fixture
    const apply = async (given: string) => {
      const { connectionId } = await createConnection(rest, { baseUrl: null })
      const { status, body } = await rest('POST', '/import', { text: given, connectionId })
      return {
        status,
        body: status === 200 ? { ...ImportResult.parse(body), connectionId: '', connectionIds: [] } : body,
      }
    }
    const small = await apply(text)
    expect(await apply(text + padding)).toEqual(small)
    expect(small.body).toHaveProperty(small.status === 200 ? 'created' : 'data.issues')
  })
})

test('a large document is compared and taken again like a small one', async () => {
  const { rest } = fixture
  const before = pets('  /pets: { get: { operationId: listPets, responses: {} } }\n')
  const after = `${before}  /pets/7: { get: { operationId: getPet, responses: {} } }\n`
  const made = await rest('POST', '/import', { text: before + padding })
  const { connectionId } = ImportResult.parse(made.body)
  const at = `/connections/${connectionId}/import`
  const small = await rest('POST', `${at}/compare`, { text: after })
  const large = await rest('POST', `${at}/compare`, { text: after + padding })
  const { hash, added } = ImportComparison.parse(large.body)
  expect(added).toMatchObject([{ name: 'get_pet' }])
  expect({ ...ImportComparison.parse(small.body), hash }).toEqual(large.body)
  const taken = await rest('POST', `${at}/update`, { text: after + padding, hash, apply: ['GET /pets/7'] })
  expect(taken).toMatchObject({ status: 200, body: { added: ['get_pet'] } })
})

describe('the body of an import', () => {
  async function post(body: string | Uint8Array<ArrayBuffer>, type = 'application/json', path = '') {
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': type }
    const url = `${fixture.dashboardUrl}/api/v1/import${path}`
    return readAnswer(await fetch(url, { method: 'POST', headers, body }))
  }
  const text = JSON.stringify(texts['an import document'])
  const broken = new Uint8Array(300_000).fill(0xff)

  test.each([
    ['a trailing comma', `{"text":${text},}`, ['']],
    ['a list', `[${text}]`, ['']],
    ['a number as its text', '{"text":7}', ['text']],
    ['an unknown field', `{"text":${text},"tekst":1}`, ['tekst']],
    ['a wrong field beside the text', `{"text":${text},"only":{"actions":7}}`, ['only.actions']],
    ['too many levels', `{"text":${text},"only":${'['.repeat(1000)}${']'.repeat(1000)}}`, ['']],
  ])('with %s is refused with the same words, however long it is', async (_what, body, paths) => {
    const [small, large] = [await post(body), await post(body + padding)]
    expect([small.status, errorCode(small), issuePaths(small)]).toEqual([400, 'invalid_input', paths])
    expect([large.status, large.text]).toEqual([400, small.text])
  })

  test('of another type, or that is not UTF-8, is refused', async () => {
    expect(errorCode(await post(padding, 'text/plain'))).toBe('unsupported_media_type')
    expect(issuePaths(await post(broken))).toEqual([''])
  })

  test('has at most 100,000 values and 4 MiB besides the text', async () => {
    const choosing = (names: readonly string[]) => JSON.stringify({ text: 'x', only: { actions: names } })
    const many = await post(choosing(Array(100_000).fill('a')))
    expect([many.status, errorCode(many)]).toEqual([400, 'invalid_input'])
    expect(many.text).toContain('more than 100000 JSON values')
    const long = await post(choosing(['a'.repeat(4 * 1024 * 1024)]))
    expect([long.status, errorCode(long)]).toEqual([413, 'body_too_large'])
  })

  test('over RPC is refused with the code of the contract', async () => {
    const session = await signIn(fixture.dashboardUrl)
    const client = httpClient(
      () => fixture.dashboardUrl,
      () => session,
    )
    const only = { actions: Array<string>(100_000).fill('a') }
    const { error } = await safe(client.imports.preview({ text: 'x', only }))
    expect(error).toMatchObject({ code: 'invalid_input', status: 400 })
  })
})

describe('the thread that reads bodies', () => {
  const bodies = createImportBodies()
  afterAll(() => bodies.stop())
  const pieces = (text: string) => [Buffer.from(new TextEncoder().encode(JSON.stringify({ text })).buffer)]
  const large = randomBytes(6_000_000).toString('hex')

  test('ends when the caller goes away, and the next body is read', async () => {
    const socket = new Socket()
    const left = bodies.read(pieces(large), undefined, socket)
    const next = bodies.read(pieces('next'), undefined, new Socket())
    socket.destroy()
    await expect(left).rejects.toThrow()
    expect(await next).toEqual({ value: { text: 'next' }, importText: null })
  })
})

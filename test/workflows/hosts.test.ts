import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { RunDetails } from '#shared/model/run.ts'
import { CheckedWorkflow } from '#shared/model/workflow.ts'
import { openExternalSystem } from '../support/external-system.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import { sharedService } from '../support/service-fixture.ts'

const cleanService = sharedService()
let system: Awaited<ReturnType<typeof openExternalSystem>>
beforeAll(async () => {
  system = await openExternalSystem(({ url }, response) => {
    if (url === '/first') response.setHeader('Link', `${system.url}/second?page=2`)
    if (url === '/moved') response.writeHead(302, { Location: `${system.url}/new` })
    response.end(url === '/next' ? JSON.stringify({ next: `${system.url}/2?key=canary-key-4716` }) : '{}')
  })
})
afterAll(() => system.close())
let rest: Rest
beforeEach(async () => {
  rest = (await cleanService()).rest
  await rest('PUT', '/environment/HOST', { value: 'secret-host.example' })
  system.requests.length = 0
})

const trigger = { type: 'external.event' }
const http = (fields: object) => ({
  key: 'send',
  type: 'http',
  method: 'GET',
  hosts: ['127.0.0.1'],
  ...fields,
})
const save = (steps: object[]) => rest('POST', '/workflows', { name: 'Hosts', trigger, steps })
async function run(steps: object[], payload: object) {
  const { workflowId, issues } = CheckedWorkflow.parse((await save(steps)).body)
  expect(issues).toEqual([])
  const { body } = await rest('POST', `/workflows/${workflowId}/test`, { payload })
  return RunDetails.parse(body)
}

test('a URL of the event, a host of the event and the next page of an answer are called', async () => {
  const { host, port } = new URL(system.url)
  const { status } = await run(
    [
      http({ url: '{{response_url}}', method: 'POST', body: '{}' }),
      http({ key: 'host', url: 'http://{{shop.host}}/orders/{{id}}?a={{id}}' }),
      http({ key: 'part', url: `http://127.0.0.{{last}}:${port}/x` }),
      http({ key: 'base', url: '{{base}}/of/{{id}}' }),
      http({ key: 'first', url: `${system.url}/first` }),
      http({ key: 'next', url: '{{$calls.first.headers.link}}' }),
    ],
    { response_url: `${system.url}/a%20b?c=d/e#f`, shop: { host }, id: 'a/b', last: 1, base: system.url },
  )
  expect(status).toBe('succeeded')
  expect(system.requests.map(({ url }) => url)).toEqual([
    '/a%20b?c=d/e',
    '/orders/a%2Fb?a=a%2Fb',
    '/x',
    '/of/a%2Fb',
    '/first',
    '/second?page=2',
  ])
})

test.each([
  ['{{at}}', 'https://evil.example/'],
  ['{{at}}', 'javascript:alert(1)'],
  ['{{at}}', 'http://user:pass@127.0.0.1/'],
  ['http://{{at}}/x', 'evil.example'],
  ['http://{{at}}/x', '127.0.0.1@evil.example'],
  ['http://{{at}}/x', 'evil.example#127.0.0.1'],
  ['http://{{at}}.shop.example/x', 'evil.example/'],
  ['http://{{at}}/x', '127.0.0.1/other'],
  ['http://{{at}}/x', '127.0.0.1?other='],
  ['http://{{at}}/x', '127.0.0.1#'],
  ['http://{{at}}.shop.example/x', '127.0.0.1/other?'],
])('with %s and %s, nothing is sent', async (url, at) => {
  const { error } = await run([http({ url })], { at })
  expect(error).toMatchObject({ code: 'host_not_allowed' })
  expect(system.requests).toEqual([])
})

test.each(['/other?', '/other?a=', '/other#'])('no path follows a URL that ends in %s', async end => {
  const { error } = await run([http({ url: '{{base}}/x/{{id}}' })], { base: `${system.url}${end}`, id: 1 })
  expect(error).toMatchObject({ code: 'invalid_path' })
  expect(system.requests).toEqual([])
})

test('an address that is never called is refused after the values are inserted', async () => {
  const { error } = await run([http({ url: '{{at}}', hosts: ['169.254.169.254'] })], {
    at: 'http://0xa9fea9fe/latest',
  })
  expect(error).toMatchObject({ code: 'blocked_address' })
})

test('a host without a value and one from a variable fail without showing what is secret', async () => {
  expect((await run([http({ url: '{{at}}' })], {})).error).toMatchObject({ code: 'missing_value' })
  const { error } = await run([http({ url: 'http://{{$env.HOST}}/' })], {})
  expect(error).toMatchObject({
    code: 'host_not_allowed',
    message: expect.not.stringContaining('secret-host'),
  })
})

test.each(['', '2?key='])(
  'a URL in which an answer has hidden a variable after %j is not called',
  async path => {
    const value = path === '' ? system.url : 'canary-key-4716'
    await rest('PUT', '/environment/HIDDEN', { value })
    const { error } = await run(
      [http({ key: 'list', url: `${system.url}/next` }), http({ url: '{{steps.list.next}}' })],
      {},
    )
    expect(error).toMatchObject({ code: 'host_not_allowed', message: expect.stringContaining('has hidden') })
    expect(system.requests).toHaveLength(1)
  },
)

test('the secret of a connection signs only below its base URL', async () => {
  const { connectionId } = await createConnection(rest, { baseUrl: `${system.url}/v2` })
  const { status } = await run(
    ['/v2/a', '/v3/a'].map((path, index) =>
      http({ key: `s${index}`, url: `{{base}}${path}`, signWith: connectionId }),
    ),
    { base: system.url },
  )
  expect(status).toBe('succeeded')
  expect(system.requests.map(({ headers }) => headers['x-service-signature'] !== undefined)).toEqual([
    true,
    false,
  ])
})

test('a redirect is not followed', async () => {
  const { error } = await run([http({ url: '{{at}}' })], { at: `${system.url}/moved` })
  expect(error).toMatchObject({ code: 'http_302' })
  expect(system.requests).toHaveLength(1)
})

test.each([
  [{ url: '{{at}}', hosts: undefined }, 'steps.0.url'],
  [{ url: 'http://{{at}}/', hosts: undefined }, 'steps.0.url'],
  [{ url: 'ftp://{{at}}/' }, 'steps.0.url'],
  [{ url: 'http://user@{{at}}/' }, 'steps.0.url'],
  [{ url: 'http://{{at}}/', hosts: ['*'] }, 'steps.0.hosts.0'],
])('%j cannot be saved', async (fields, path) => {
  const { status, body } = await save([http(fields)])
  expect([status, body]).toMatchObject([400, { data: { issues: [{ path }] } }])
})

test('hosts are part of the document, and an import names them', async () => {
  const { body } = await save([
    http({ url: '{{at}}', hosts: ['*.example.com', 'a.example:8443'], headers: { A: '{{$env.HOST}}' } }),
  ])
  const { workflowId } = CheckedWorkflow.parse(body)
  const document = (await rest('GET', `/workflows/${workflowId}/export`)).body
  expect(document).toMatchObject({ workflow: { steps: [{ hosts: ['*.example.com', 'a.example:8443'] }] } })
  expect((await rest('POST', '/workflows/import', document)).body).toMatchObject({
    warnings: [{ message: 'The environment variable HOST is sent to *.example.com, a.example:8443.' }],
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type HttpAnswer, http } from '../../http/http.ts'
import { withOther } from '../../nodes/open-nodes.ts'
import { createAction } from '../../support/actions.ts'
import { startExternalSystem } from '../../support/external-system.ts'
import { createConnection, type Rest } from '../../support/rest-client.ts'
import { adminToken, type ServiceFixture, sharedService } from '../../support/service-fixture.ts'

const alone = sharedService()
const sharing = sharedService({
  of: storage => withOther(storage, { isShared: true }),
})
let cleanService = alone
const withSessions = ['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const
const modern = '2026-07-28'
const versions = [...withSessions, modern] as const
type Version = (typeof versions)[number]
const takesBatches = (version: Version) => version <= '2025-03-26'

const both = 'application/json, text/event-stream'
const clientInfo = { name: 'raw', version: '1' }
type Headers = Readonly<Record<string, string | undefined>>
let current: Pick<ServiceFixture, 'rest' | 'dashboardUrl'>

async function newAddress(rest: Rest): Promise<string> {
  const system = await startExternalSystem()
  const { connectionId } = await createConnection(rest, { baseUrl: system.url })
  await createAction(rest, connectionId)
  return `/mcp/${connectionId}`
}

type Rpc = { readonly id?: unknown; readonly method?: string; readonly params?: object }

/** Sends texts and messages as a client of a version does. */
async function connect(version: Version, existing?: string) {
  const { rest, dashboardUrl } = existing === undefined ? await cleanService() : current
  current = { rest, dashboardUrl }
  const path = existing ?? (await newAddress(rest))
  const post = (body: string, headers: Headers = {}) =>
    http(dashboardUrl, {
      ...{ method: 'POST', path, body },
      headers: defined({
        authorization: `Bearer ${adminToken}`,
        'content-type': 'application/json',
        ...headers,
      }),
    })
  let session: Headers = { 'mcp-protocol-version': version }
  if (version !== modern) {
    const params = { protocolVersion: version, capabilities: {}, clientInfo }
    const opened = await post(rpc({ id: 0, method: 'initialize', params }), { accept: both })
    expect(parsed(opened)).toMatchObject({ result: { protocolVersion: version } })
    const id = opened.headers['mcp-session-id']
    if (typeof id === 'string') session = { ...session, 'mcp-session-id': id }
  }
  return {
    url: dashboardUrl,
    rest,
    path,
    session,
    post,
    /** Sends a text in the session. */
    text: (body: string, headers: Headers = {}) => post(body, { accept: both, ...session, ...headers }),
    /** Sends a message with all that its version asks for. */
    send(message: Rpc & { readonly method: string }, headers: Headers = {}) {
      const name: unknown = Object(message.params).name
      const own: Headers =
        version === modern
          ? { 'mcp-method': message.method, ...(typeof name === 'string' && { 'mcp-name': name }) }
          : {}
      return post(rpc(withMeta(version, message)), { accept: both, ...session, ...own, ...headers })
    },
  }
}

function withMeta(version: Version, message: Rpc): Rpc {
  if (version !== modern) return message
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return { ...message, params: { ...message.params, _meta } }
}

function defined(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    ),
  )
}

const rpc = (message: Rpc) => JSON.stringify({ jsonrpc: '2.0', ...message })
const list = { id: 1, method: 'tools/list' }
const call = { id: 2, method: 'tools/call', params: { name: 'look_up', arguments: {} } }

/** The message of an answer, or the messages of a stream with several. */
function parsed({ text, headers }: HttpAnswer): unknown {
  if (!String(headers['content-type']).startsWith('text/event-stream')) return JSON.parse(text)
  const all = [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data))
  return all.length === 1 ? all[0] : all
}
const error = (answer: HttpAnswer) => [answer.status, parsed(answer)]
const refused = (status: number, code: number, message: RegExp | string = /./) => [
  status,
  {
    jsonrpc: '2.0',
    id: expect.toSatisfy(id => id === null || id === 1),
    error: { code, message: expect.stringMatching(message) },
  },
]
const withAnyData = (answer: HttpAnswer) => {
  const [status, body] = error(answer)
  const { data: _data, ...rest } = Object(Object(body).error)
  return [status, { ...Object(body), error: rest }]
}

describe.each(withSessions)('a session of MCP %s', version => {
  test('is opened and used with null for what is not given', async () => {
    const { post, text } = await connect(version)
    const params = {
      protocolVersion: version,
      capabilities: { roots: null, sampling: null, experimental: null },
      clientInfo: { ...clientInfo, title: null },
      _meta: null,
    }
    const opened = await post(rpc({ id: 1, method: 'initialize', params }), { accept: both })
    expect(parsed(opened)).toMatchObject({ id: 1, result: { protocolVersion: version } })
    const pinged = parsed(await text('{"jsonrpc":"2.0","id":2,"method":"ping","params":null}'))
    expect(pinged).toMatchObject({ id: 2, result: {} })
  })
})

function overHttp(version: Version): void {
  test('answers a text that is not JSON with a parse error', async () => {
    const { text } = await connect(version)
    for (const body of ['{"jsonrpc"', 'hello', "{'a': 1}", '', ' ', '{"jsonrpc":"2.0",}', '\ufeff{}'])
      expect(error(await text(body)), body).toEqual(refused(400, -32_700, /Parse error/))
  })

  test('answers JSON that is not a message with an invalid request', async () => {
    const { text } = await connect(version)
    const bodies = [
      '{}',
      'null',
      '1',
      '"a"',
      '{"jsonrpc":"1.0","id":1,"method":"ping"}',
      '{"id":1,"method":"ping"}',
    ]
    for (const body of [...bodies, `{"a":${'['.repeat(2000)}${']'.repeat(2000)}}`])
      expect(withAnyData(await text(body)), body.slice(0, 50)).toEqual(refused(400, -32_600))
  })

  test('answers an unknown method and an unknown tool', async () => {
    const { send } = await connect(version)
    const unknown = parsed(await send({ id: 1, method: 'tools/none' }))
    expect(unknown).toMatchObject({ id: 1, error: { code: -32_601 } })
    const tool = parsed(await send({ id: 1, method: 'tools/call', params: { name: 'none', arguments: {} } }))
    expect(tool).toMatchObject({ id: 1, error: { code: -32_602 } })
  })

  test('answers parameters of the wrong type with invalid params', async () => {
    const { send } = await connect(version)
    const wrong: [string, object][] = [
      ...[5, {}, [], true].map((cursor): [string, object] => ['tools/list', { cursor }]),
      ['tools/call', { name: 5 }],
      ['tools/call', { name: 'look_up', arguments: 'x' }],
      ['tools/call', {}],
    ]
    for (const [method, params] of wrong)
      expect(parsed(await send({ id: 1, method, params })), JSON.stringify(params)).toMatchObject({
        ...{ id: 1, error: { code: -32_602 } },
      })
  })

  test('takes null for what is not given, as clients of typed languages send it', async () => {
    const { send } = await connect(version)
    const tools = parsed(await send({ id: 1, method: 'tools/list', params: { cursor: null } }))
    expect(tools).toMatchObject({ id: 1, result: { tools: [{ name: 'look_up' }] } })
    const none = { name: 'look_up', arguments: null }
    const called = parsed(await send({ id: 2, method: 'tools/call', params: none }))
    expect(called).toMatchObject({ id: 2, result: { content: [{ text: '{"ok":true}' }, {}] } })
    // Within arguments, the action decides what null is.
    const given = { name: 'look_up', arguments: { a: null } }
    const refused = parsed(await send({ id: 3, method: 'tools/call', params: given }))
    expect(JSON.stringify(refused)).toContain('has no parameter')
  })

  test.each<{ of: string; accept: string | undefined; type: string }>([
    { of: 'both types', accept: both, type: version === modern ? 'application/json' : 'text/event-stream' },
    { of: 'any type', accept: '*/*', type: 'application/json' },
    { of: 'everything, without a header', accept: undefined, type: 'application/json' },
    { of: 'everything, with an empty header', accept: '', type: 'application/json' },
    { of: 'application/*', accept: 'application/*', type: 'application/json' },
    { of: 'JSON', accept: 'application/json', type: 'application/json' },
    {
      of: 'JSON, and anything else less',
      accept: 'application/json, text/plain, */*;q=0.1',
      type: 'application/json',
    },
    {
      of: 'JSON, and no streams',
      accept: 'APPLICATION/JSON;q=1, text/event-stream;q=0',
      type: 'application/json',
    },
  ])('answers a client that accepts $of', async ({ accept, type }) => {
    const { send } = await connect(version)
    const header = { accept }
    const listed = await send(list, header)
    expect(listed.status).toBe(200)
    expect(parsed(listed)).toMatchObject({ jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'look_up' }] } })
    expect(listed.headers['content-type']).toMatch(new RegExp(`^${type}`))
    expect(parsed(await send(call, header))).toMatchObject({
      id: 2,
      result: { content: [{ text: '{"ok":true}' }, {}] },
    })
  })

  test('refuses a client that accepts neither JSON nor streams', async () => {
    const { send } = await connect(version)
    for (const accept of ['text/html', 'image/*', 'application/json;q=0'])
      expect(error(await send(list, { accept }))).toEqual(refused(406, -32_000, /must accept/))
  })

  test('takes batches only where its version has them', async () => {
    const { text } = await connect(version)
    const batch = `[${[list, { ...call, id: 'b' }].map(message => rpc(message)).join(',')}]`
    for (const accept of [both, 'application/json', '*/*']) {
      const answer = await text(batch, { accept })
      if (!takesBatches(version)) expect(withAnyData(answer)).toEqual(refused(400, -32_600, /batch/i))
      else {
        expect(answer.status).toBe(200)
        expect(parsed(answer)).toHaveLength(2)
        expect(parsed(answer)).toEqual(
          expect.arrayContaining([
            expect.objectContaining({ id: 1, result: expect.anything() }),
            expect.objectContaining({ id: 'b', result: expect.anything() }),
          ]),
        )
      }
    }
  })

  test('refuses a protocol version that it does not know', async () => {
    const { send } = await connect(version)
    for (const unknown of ['1999-01-01', 'latest', '2099-01-01'])
      expect(withAnyData(await send(list, { 'mcp-protocol-version': unknown })), unknown).toEqual([
        400,
        {
          jsonrpc: '2.0',
          id: expect.toSatisfy(id => id === null || id === 1),
          error: expect.objectContaining({
            code: expect.any(Number),
            message: expect.stringMatching(/version/i),
          }),
        },
      ])
  })

  test('refuses another content type and a message that is too long', async () => {
    const { text } = await connect(version)
    const form = await text('a=1', { 'content-type': 'application/x-www-form-urlencoded' })
    expect(withAnyData(form)).toEqual(refused(415, -32_000))
    expect(withAnyData(await text(`"${'x'.repeat(4 * 1024 * 1024)}"`))).toEqual(refused(413, -32_000))
  })
}
describe.each(versions)('MCP %s over HTTP', overHttp)

describe.each(withSessions)('a session of MCP %s', version => {
  test('is needed for every message but initialize', async () => {
    const { post, url, path } = await connect(version)
    const headers = { accept: both, 'mcp-protocol-version': version }
    expect(error(await post(rpc(list), headers))).toEqual(refused(400, -32_000, /Initialize/))
    expect(error(await post(`[${rpc(list)}]`, headers))).toEqual(refused(400, -32_600, /session/))
    const gone = { ...headers, 'mcp-session-id': 'gone' }
    expect(error(await post(rpc(list), gone))).toEqual(refused(404, -32_001, 'Session not found'))
    expect(error(await post(`[${rpc(list)}]`, gone))).toEqual(refused(404, -32_001, 'Session not found'))
    const authorization = `Bearer ${adminToken}`
    const stream = await http(url, { path, headers: { ...headers, authorization } })
    expect(error(stream)).toEqual(refused(400, -32_000, /Initialize/))
  })

  test('gets no stream that it does not accept, and one that it accepts in any form', async () => {
    const { url, path, session } = await connect(version)
    const headers = defined({ ...session, authorization: `Bearer ${adminToken}` })
    const refusedStream = await http(url, { path, headers: { ...headers, accept: 'application/json' } })
    expect(error(refusedStream)).toEqual(refused(406, -32_000, /event-stream/))
    const answer = await fetch(`${url}${path}`, { headers: { ...headers, accept: '*/*' } })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    await answer.body?.cancel()
  })
})

describe('a batch', () => {
  const notification = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
  test.each<[of: string, batch: string, status: number, code: number | null]>([
    ['without messages', '[]', 400, -32_600],
    ['with something else', `[${rpc(list)},1]`, 400, -32_600],
    ['with initialize', `[${rpc({ id: 1, method: 'initialize', params: {} })}]`, 400, -32_600],
    ['with an id twice', `[${rpc(list)},${rpc(list)}]`, 400, -32_600],
    [
      'of 101 messages',
      `[${Array.from({ length: 101 }, (_, id) => rpc({ ...list, id })).join()}]`,
      400,
      -32_600,
    ],
    ['of notifications alone', `[${notification}]`, 202, null],
  ])('%s', async (_of, batch, status, code) => {
    const { text } = await connect('2025-03-26')
    const answer = await text(batch)
    expect(answer.status).toBe(status)
    if (code === null) expect(answer.text).toBe('')
    else expect(parsed(answer)).toMatchObject({ jsonrpc: '2.0', error: { code } })
  })

  test('of one request is answered with a list of one', async () => {
    const { text } = await connect('2025-03-26')
    const answer = await text(`[${notification},${rpc(list)}]`, { accept: 'application/json' })
    expect(parsed(answer)).toMatchObject([{ id: 1, result: {} }])
  })
})

async function isOneClient(version: Version): Promise<void> {
  const { path, rest } = await connect(version)
  for (let n = 0; n < 3; n++) {
    const { send, text } = await connect(version, path)
    await text(rpc({ method: 'notifications/initialized' }))
    await text('{}')
    await text(rpc(list), { 'mcp-protocol-version': '1999-01-01' })
    expect((await send(list, { accept: 'application/json' })).status).toBe(200)
  }
  const { body } = await rest('GET', '/assistant/clients')
  const own = z.array(z.looseObject({ connectionId: z.unknown() })).parse(body)
  const facts = {
    name: 'raw',
    version: '1',
    protocol: version,
    transport: 'http',
    connections: 0,
    calls: 0,
  }
  expect(own.filter(({ connectionId }) => path.endsWith(String(connectionId)))).toMatchObject([facts])
  expect(own.filter(({ name }) => name !== 'raw')).toEqual([])
}
const isOne = 'a client of MCP %s that sends single requests is one, without a connection'
test.each(versions)(isOne, isOneClient)

test.each(withSessions)('a session of MCP %s ends by DELETE, whatever its Content-Type', async version => {
  for (const contentType of ['application/json', 'text/plain', undefined]) {
    const { url, path, session, send } = await connect(version)
    const authorization = `Bearer ${adminToken}`
    const headers = defined({ authorization, 'content-type': contentType, ...session })
    const ended = await http(url, { method: 'DELETE', path, headers })
    expect([ended.status, ended.text]).toEqual([200, ''])
    expect((await send(list)).status).toBe(404)
  }
})

test('a slash at the end of an address of MCP changes nothing', async () => {
  const { path, text } = await connect(modern)
  const message = rpc(withMeta(modern, list))
  const headers = { 'mcp-method': list.method }
  expect(parsed(await text(message, headers))).toMatchObject({ result: { tools: [{ name: 'look_up' }] } })
  for (const other of ['/mcp/', `${path}/`, '/mcp/workspaces/default/']) {
    const slashed = await connect(modern, other)
    const answer = await slashed.text(message, headers)
    expect([other, answer.status]).toEqual([other, 200])
    expect(parsed(answer)).toHaveProperty('result.tools')
  }
  expect((await (await connect(modern, `${path}//`)).text(message, headers)).status).toBe(404)
})

test('every refusal at an address of MCP has the form of JSON-RPC; REST keeps its own', async () => {
  const { url, path } = await connect(modern)
  const bearer = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const cases = [
    { call: { path, method: 'POST', body: '{}' }, status: 401, code: 'unauthorized' },
    { call: { path, headers: { authorization: 'Bearer wrong' } }, status: 401, code: 'unauthorized' },
    {
      call: { path: '/mcp/conn_none', method: 'POST', headers: bearer, body: rpc(list) },
      status: 404,
      code: 'connection_not_found',
    },
    {
      call: { path: '/mcp/workspaces/none', method: 'POST', headers: bearer, body: rpc(list) },
      status: 404,
      code: 'workspace_not_found',
    },
    { call: { path: '/mcp/a/b/c', headers: bearer }, status: 404, code: 'no_such_path' },
    { call: { path, method: 'PUT', headers: bearer, body: '{}' }, status: 405, code: 'method_not_allowed' },
    { call: { path, host: 'evil.example' }, status: 403, code: 'forbidden_host' },
    { call: { path, headers: { origin: 'https://evil.example' } }, status: 403, code: 'forbidden_origin' },
  ]
  for (const { call: asked, status, code } of cases) {
    const answer = await http(url, asked)
    expect(answer.status, code).toBe(status)
    expect(JSON.parse(answer.text)).toMatchObject({
      ...{ jsonrpc: '2.0', id: null },
      error: { code: -32_000, message: expect.any(String), data: { code } },
    })
  }
  for (const other of ['/mcpx', '/api/v1/none']) {
    const answer = await http(url, { path: other, headers: bearer })
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'no_such_path' })
  }
  const allow = await http(url, { path, method: 'PUT', headers: bearer, body: '{}' })
  expect(allow.headers.allow).toBe('GET, POST, DELETE')
})

describe('a service that shares its storage', () => {
  beforeAll(() => {
    cleanService = sharing
  })
  afterAll(() => {
    cleanService = alone
  })
  describe.each(versions)('MCP %s over HTTP', overHttp)
  test.each(versions)(isOne, isOneClient)

  test.each(withSessions)('has no sessions in MCP %s, and announces no changes', async version => {
    const { url, path, post, send, text } = await connect(version)
    const params = { protocolVersion: version, capabilities: {}, clientInfo }
    const opened = await post(rpc({ id: 1, method: 'initialize', params }), { accept: both })
    expect(opened.headers['mcp-session-id']).toBeUndefined()
    expect(parsed(opened)).toMatchObject({
      result: { protocolVersion: version, capabilities: { tools: {} } },
    })
    expect(opened.text).not.toContain('listChanged')
    expect((await text(rpc({ method: 'notifications/initialized' }))).status).toBe(202)
    const later = await send(list, { 'mcp-session-id': 'of-another-service' })
    expect(parsed(later)).toMatchObject({ id: 1, result: { tools: [{ name: 'look_up' }] } })
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const authorization = `Bearer ${adminToken}`
      const headers = { accept: both, 'mcp-protocol-version': version, authorization }
      const answer = await http(url, { method, path, headers })
      expect(answer.headers.allow).toBe('POST')
      expect(withAnyData(answer)).toEqual(refused(405, -32_000))
    }
  })
})

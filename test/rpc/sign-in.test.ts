import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { EnvironmentVariable } from '#shared/model/environment-variable.ts'
import { createAction, testAction } from '../support/actions.ts'
import { type ExternalSystem, startExternalSystem } from '../support/external-system.ts'
import { createConnection, errorCode, issuePaths, type Rest } from '../support/rest-client.ts'
import { sharedService } from '../support/service-fixture.ts'

const cleanService = sharedService()
const secret = 'canary-client-secret-4711'

/** A token server that gives `canary-token-1`, `canary-token-2` and so on. */
async function startTokenServer(
  answer: (count: number) => { readonly status?: number; readonly body: object } = () => ({ body: {} }),
): Promise<ExternalSystem> {
  let count = 0
  return startExternalSystem((_request, response) => {
    count++
    const { status = 200, body } = answer(count)
    response.statusCode = status
    response.end(
      JSON.stringify(
        status === 200 ? { access_token: `canary-token-${count}`, expires_in: 3600, ...body } : body,
      ),
    )
  })
}

const oauth2 = (tokenUrl: string, more: object = {}) => ({
  oauth2: {
    tokenUrl,
    clientId: 'canary-client',
    secretVariable: 'ACME_SECRET',
    clientAuth: 'basic',
    ...more,
  },
})

async function setVariables(rest: Rest, variables: Readonly<Record<string, object>>): Promise<void> {
  for (const [name, input] of Object.entries(variables)) {
    const answer = await rest('PUT', `/environment/${name}`, input)
    expect(answer.status, answer.text).toBe(200)
  }
}

async function variable(rest: Rest, wanted: string): Promise<EnvironmentVariable | undefined> {
  const all = z.array(EnvironmentVariable).parse((await rest('GET', '/environment')).body)
  return all.find(({ name }) => name === wanted)
}

const bearer = { in: 'header', name: 'Authorization', value: 'Bearer {{ACME_TOKEN}}' }
const apiKey = { in: 'query', name: 'api key', value: 'k-{{ACME_KEY}}' }

let service: Awaited<ReturnType<typeof cleanService>>
let rest: Rest
beforeEach(async () => {
  service = await cleanService()
  rest = service.rest
})

describe('the sign-in of a connection', () => {
  test('adds a header to the calls of its actions, and an action’s own header wins', async () => {
    const system = await startExternalSystem()
    await setVariables(rest, { ACME_TOKEN: { value: 'canary-value-4711' } })
    const { connectionId, auth } = await createConnection(rest, { baseUrl: system.url, auth: bearer })
    expect(auth).toEqual(bearer)
    const plain = await createAction(rest, connectionId)
    const own = await createAction(rest, connectionId, { name: 'Own', headers: { authorization: 'mine' } })
    const result = await testAction(rest, { connectionId, actionId: plain.actionId })
    expect(result.request?.headers.Authorization).toBe('Bearer ••••')
    await testAction(rest, { connectionId, actionId: own.actionId })
    expect(system.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer canary-value-4711',
      'mine',
    ])
  })

  test('adds a query parameter, encoded as sent and masked as shown', async () => {
    const system = await startExternalSystem()
    await setVariables(rest, { ACME_KEY: { value: 'a&b=c ü' } })
    const { connectionId } = await createConnection(rest, { baseUrl: `${system.url}/v2`, auth: apiKey })
    const parameters = [{ name: 'q', type: 'string', description: 'x', required: false }]
    const get = await createAction(rest, connectionId, { path: '/find?fixed=1', parameters })
    const post = await createAction(rest, connectionId, { name: 'Make', method: 'POST', parameters })
    const shown = await testAction(rest, { connectionId, actionId: get.actionId }, { q: 'x' })
    await testAction(rest, { connectionId, actionId: post.actionId }, { q: 'x' })
    expect(system.requests.map(({ url }) => url)).toEqual([
      '/v2/find?fixed=1&q=x&api%20key=k-a%26b%3Dc%20%C3%BC',
      '/v2/orders?api%20key=k-a%26b%3Dc%20%C3%BC',
    ])
    expect(shown.request?.url).toBe(`${system.url}/v2/find?fixed=1&q=x&api%20key=k-••••`)
  })

  test('is removed by null, and then calls carry nothing', async () => {
    const system = await startExternalSystem()
    await setVariables(rest, { ACME_TOKEN: { value: 'canary-value-4711' } })
    const { connectionId } = await createConnection(rest, { baseUrl: system.url, auth: bearer })
    const { actionId } = await createAction(rest, connectionId)
    const { body } = await rest('PATCH', `/connections/${connectionId}`, { auth: null })
    expect(body).toMatchObject({ auth: null })
    await testAction(rest, { connectionId, actionId })
    expect(system.requests[0]?.headers.authorization).toBeUndefined()
    expect((await rest('GET', `/connections/${connectionId}/export`)).text).not.toContain('auth')
  })

  test.each([
    [{ ...bearer, value: 'Bearer plain' }, ['auth.value']],
    [{ ...bearer, value: 'Bearer {{ ACME }}' }, ['auth.value']],
    [{ ...bearer, value: 'Bearer {{ACME}}\r\nX-Evil: 1' }, ['auth.value']],
    [{ ...bearer, name: 'Host' }, ['auth.name']],
    [{ ...bearer, name: 'Content-Type' }, ['auth.name']],
    [{ ...bearer, name: 'X-Service-Signature' }, ['auth.name']],
    [{ ...bearer, name: 'a b' }, ['auth.name']],
    [{ ...apiKey, name: '' }, ['auth.name']],
    [{ ...apiKey, name: 'a\nb' }, ['auth.name']],
    [{ ...apiKey, name: '\ud800' }, ['auth.name']],
    [{ ...apiKey, value: '{{' }, ['auth.value']],
    [{ ...bearer, in: 'cookie' }, ['auth.in']],
    [{ ...bearer, token: 'x' }, ['auth.token']],
  ])('refuses %j', async (auth, paths) => {
    const answer = await rest('POST', '/connections', { name: 'Shop', auth })
    expect(answer.status, answer.text).toBe(400)
    expect(issuePaths(answer)).toEqual(paths)
  })

  test('refuses a query parameter that an action sends, at either side', async () => {
    const { connectionId } = await createConnection(rest, { baseUrl: 'https://a.example' })
    const at = `/connections/${connectionId}`
    const parameters = [{ name: 'key', type: 'string', description: 'x', required: false }]
    const auth = { ...apiKey, name: 'key' }
    const { actionId } = await createAction(rest, connectionId, { parameters })
    const refused = await rest('PATCH', at, { auth })
    expect([refused.status, issuePaths(refused)]).toEqual([400, ['auth.name']])
    expect((await rest('DELETE', `${at}/actions/${actionId}`)).status).toBe(200)
    expect((await rest('PATCH', at, { auth })).status).toBe(200)
    const action = { name: 'Look up', description: 'x', method: 'GET', path: '/a' }
    const fixed = await rest('POST', `${at}/actions`, { ...action, path: '/a?k%65y=1' })
    expect([fixed.status, issuePaths(fixed)]).toEqual([400, ['path']])
    const given = await rest('POST', `${at}/actions`, { ...action, parameters })
    expect([given.status, issuePaths(given)]).toEqual([400, ['parameters.0.name']])
    const wired = [{ ...parameters[0], name: 'api', wireName: 'key', in: 'query' }]
    const sent = await rest('POST', `${at}/actions`, { ...action, method: 'POST', parameters: wired })
    expect([sent.status, issuePaths(sent)]).toEqual([400, ['parameters.0.wireName']])
    // A parameter in the body is another one.
    await createAction(rest, connectionId, { ...action, method: 'POST', parameters })
    const document = { actions: [{ ...action, name: 'Other', parameters }] }
    const imported = await rest('POST', '/import', { text: JSON.stringify(document), connectionId })
    expect(imported).toMatchObject({ status: 400, body: { code: 'invalid_document' } })
  })

  test('warns when its host changes', async () => {
    await setVariables(rest, { ACME_TOKEN: { value: 'canary-value-4711' } })
    const { connectionId } = await createConnection(rest, { baseUrl: 'https://a.example/v1', auth: bearer })
    const change = async (baseUrl: string) =>
      z
        .object({ warnings: z.array(z.object({ path: z.string(), message: z.string() })).optional() })
        .parse((await rest('PATCH', `/connections/${connectionId}`, { baseUrl })).body).warnings
    expect(await change('https://a.example/v2')).toBeUndefined()
    expect(await change('https://b.example/v2')).toEqual([
      {
        path: 'baseUrl',
        message: 'The sign-in of the connection is now sent to b.example, not to a.example.',
      },
    ])
  })

  test('ends the permission to run an action whose calls now carry something else', async () => {
    const { connectionId } = await createConnection(rest, { baseUrl: 'https://a.example' })
    const plain = await createAction(rest, connectionId)
    const own = await createAction(rest, connectionId, { name: 'Own', headers: { Authorization: 'mine' } })
    const ids = [plain.actionId, own.actionId]
    const permissions = Object.fromEntries(ids.map(id => [id, 'run']))
    const Token = z.object({ tokenId: z.string(), permissions: z.record(z.string(), z.string()) })
    const { tokenId } = Token.parse(
      (await rest('POST', '/assistant/tokens', { name: 'a', permissions })).body,
    )
    await rest('PATCH', `/connections/${connectionId}`, { name: 'Other', auth: null })
    const kept = async () => {
      const tokens = z.array(Token).parse((await rest('GET', '/assistant/tokens')).body)
      return Object.keys(tokens.find(token => token.tokenId === tokenId)?.permissions ?? {})
    }
    expect(await kept()).toEqual(ids)
    await rest('PATCH', `/connections/${connectionId}`, { auth: bearer })
    expect(await kept()).toEqual([own.actionId])
  })

  test('is in an export and taken by its import, which names its variable; made variables are not', async () => {
    await setVariables(rest, {
      ACME_SECRET: { value: secret },
      ACME_TOKEN: oauth2('https://auth.example.com/token'),
    })
    const { connectionId } = await createConnection(rest, { baseUrl: 'https://a.example', auth: bearer })
    await createAction(rest, connectionId)
    const { text } = await rest('GET', `/connections/${connectionId}/export`)
    expect(JSON.parse(text)).toMatchObject({ connection: { auth: bearer } })
    expect(text).not.toMatch(/auth\.example|canary/)
    const { workspaceId } = z
      .object({ workspaceId: z.string() })
      .parse((await rest('POST', '/workspaces', { name: 'b' })).body)
    const preview = await rest('POST', '/import/preview', { text, workspaceId })
    expect(preview.body).toMatchObject({
      valid: true,
      connection: { auth: bearer },
      environmentVariables: [{ name: 'ACME_TOKEN', host: 'a.example' }],
    })
    const { body } = await rest('POST', '/import', { text, workspaceId })
    const copy = z.object({ connectionId: z.string() }).parse(body)
    expect((await rest('GET', `/connections/${copy.connectionId}`)).body).toMatchObject({ auth: bearer })
    expect(await variable(rest, 'ACME_TOKEN')).toMatchObject({
      usedBy: [
        { connectionId, actions: 0, auth: true },
        { connectionId: copy.connectionId, actions: 0, auth: true },
      ],
    })
  })
})

describe('a made variable', () => {
  test('gives the pair of Basic authentication', async () => {
    const system = await startExternalSystem()
    await setVariables(rest, {
      ACME_PASSWORD: { value: 'canary-pass:word-é' },
      ACME_PAIR: { basic: { user: 'canary-user', passwordVariable: 'ACME_PASSWORD' } },
    })
    const auth = { ...bearer, value: 'Basic {{ACME_PAIR}}' }
    const { connectionId } = await createConnection(rest, { baseUrl: system.url, auth })
    const { actionId } = await createAction(rest, connectionId)
    await testAction(rest, { connectionId, actionId })
    const pair = Buffer.from('canary-user:canary-pass:word-é').toString('base64')
    expect(system.requests[0]?.headers.authorization).toBe(`Basic ${pair}`)
    expect(await variable(rest, 'ACME_PAIR')).toMatchObject({
      kind: 'basic',
      basic: { user: 'canary-user', passwordVariable: 'ACME_PASSWORD' },
      sources: ['settings'],
    })
    expect(await variable(rest, 'ACME_PASSWORD')).toMatchObject({ kind: 'value', neededBy: ['ACME_PAIR'] })
  })

  test('fetches one token for 50 concurrent calls, and the next one after it has ended or was refused', async () => {
    const server = await startTokenServer()
    let status = 200
    const system = await startExternalSystem(({ headers }, response) => {
      response.statusCode = status
      response.end(JSON.stringify({ got: headers.authorization }))
    })
    await setVariables(rest, { ACME_SECRET: { value: secret }, ACME_TOKEN: oauth2(server.url) })
    const { connectionId } = await createConnection(rest, { baseUrl: system.url, auth: bearer })
    const { actionId } = await createAction(rest, connectionId)
    const call = () => testAction(rest, { connectionId, actionId })
    expect(await variable(rest, 'ACME_TOKEN')).toMatchObject({ state: { expiresAt: null, error: null } })
    const results = await Promise.all(Array.from({ length: 50 }, call))
    expect(results.filter(({ ok }) => ok)).toHaveLength(50)
    expect(server.requests).toHaveLength(1)
    const sent = () => new Set(system.requests.map(({ headers }) => headers.authorization))
    expect(sent()).toEqual(new Set(['Bearer canary-token-1']))
    expect(await variable(rest, 'ACME_TOKEN')).toMatchObject({
      state: { expiresAt: new Date(service.clock.now + 3_600_000).toISOString(), error: null },
    })
    service.clock.now += 3_540_000
    await call()
    expect(sent()).toContain('Bearer canary-token-2')
    status = 401
    expect((await call()).response?.status).toBe(401)
    expect(system.requests).toHaveLength(52)
    status = 200
    const last = await call()
    expect(sent()).toContain('Bearer canary-token-3')
    expect(server.requests).toHaveLength(3)
    expect(JSON.stringify([results, last])).not.toContain('canary-token')
  })

  test('without a token, the call fails with the status and error of the token server, and sends nothing', async () => {
    const server = await startTokenServer(() => ({
      status: 401,
      body: { error: 'invalid_client', error_description: secret },
    }))
    const system = await startExternalSystem()
    await setVariables(rest, { ACME_SECRET: { value: secret }, ACME_TOKEN: oauth2(server.url) })
    const { connectionId } = await createConnection(rest, { baseUrl: system.url, auth: bearer })
    const { actionId } = await createAction(rest, connectionId)
    const { ok, request, error } = await testAction(rest, { connectionId, actionId })
    expect({ ok, request, error }).toMatchObject({
      ok: false,
      request: null,
      error: {
        code: 'token_unavailable',
        message: expect.stringMatching(/ACME_TOKEN: 127\.0\.0\.1:\d+ answered 401 \(invalid_client\)/),
        data: { variable: 'ACME_TOKEN', status: 401, error: 'invalid_client' },
      },
    })
    await testAction(rest, { connectionId, actionId })
    expect(server.requests).toHaveLength(1)
    service.clock.now += 10_000
    await testAction(rest, { connectionId, actionId })
    expect(server.requests).toHaveLength(2)
    expect(system.requests).toEqual([])
    expect(await variable(rest, 'ACME_TOKEN')).toMatchObject({
      state: { expiresAt: null, error: expect.stringContaining('answered 401 (invalid_client)') },
    })
  })

  test('is tried without showing its value', async () => {
    const server = await startTokenServer(count =>
      count === 2 ? { status: 403, body: { error: 'no_access' } } : { body: { expires_in: 90 } },
    )
    const url = '/environment/ACME_TOKEN/try'
    const tryIt = async (body?: object) => (await rest('POST', url, body)).body
    const missing = { ok: false, status: null, error: 'missing_environment_variable', expiresInSeconds: null }
    expect(await tryIt()).toEqual(missing)
    await setVariables(rest, { ACME_TOKEN: oauth2(server.url) })
    expect(await tryIt()).toEqual(missing)
    await setVariables(rest, { ACME_SECRET: { value: secret } })
    const worked = { ok: true, status: 200, error: null, expiresInSeconds: 90 }
    expect(await tryIt()).toEqual(worked)
    expect(await tryIt()).toEqual({ ok: false, status: 403, error: 'no_access', expiresInSeconds: null })
    expect(await tryIt(oauth2(server.url, { scope: 'other' }))).toEqual(worked)
    expect(server.requests.at(-1)?.body).toContain('scope=other')
    const down = await tryIt(oauth2('http://127.0.0.1:1/token'))
    expect(down).toEqual({ ok: false, status: null, error: 'connection_refused', expiresInSeconds: null })
    const plain = { ok: true, status: null, error: null, expiresInSeconds: null }
    expect((await rest('POST', '/environment/ACME_SECRET/try')).body).toEqual(plain)
  })

  test('can be made from a made one: a token as a password', async () => {
    const server = await startTokenServer()
    const system = await startExternalSystem()
    await setVariables(rest, {
      ACME_SECRET: { value: secret },
      ACME_TOKEN: oauth2(server.url),
      ACME_PAIR: { basic: { user: 'oauth2', passwordVariable: 'ACME_TOKEN' } },
    })
    const { connectionId } = await createConnection(rest, { baseUrl: system.url })
    const headers = { 'X-Pair': '{{ACME_PAIR}}' }
    const { actionId } = await createAction(rest, connectionId, { headers })
    await testAction(rest, { connectionId, actionId })
    const pair = Buffer.from('oauth2:canary-token-1').toString('base64')
    expect(system.requests[0]?.headers['x-pair']).toBe(pair)
  })

  test.each([
    ['nothing', {}, ['value']],
    ['two at once', { value: 'x', ...oauth2('https://a.example') }, ['']],
    ['credentials in the URL', oauth2('https://me:pw@a.example'), ['oauth2.tokenUrl']],
    ['a relative URL', oauth2('/token'), ['oauth2.tokenUrl']],
    ['another protocol', oauth2('ftp://a.example'), ['oauth2.tokenUrl']],
    ['a metadata address', oauth2('http://169.254.169.254/token'), ['oauth2.tokenUrl']],
    ['the same in decimal', oauth2('http://2852039166/token'), ['oauth2.tokenUrl']],
    ['itself', oauth2('https://a.example', { secretVariable: 'MADE' }), ['oauth2.secretVariable']],
    ['a line break', oauth2('https://a.example', { scope: 'a\nb' }), ['oauth2.scope']],
    ['a colon in the user name', { basic: { user: 'a:b', passwordVariable: 'A' } }, ['basic.user']],
    ['itself as password', { basic: { user: 'a', passwordVariable: 'MADE' } }, ['basic.passwordVariable']],
  ])('refuses %s', async (_what, input, paths) => {
    const answer = await rest('PUT', '/environment/MADE', input)
    expect([answer.status, issuePaths(answer)]).toEqual([400, paths])
  })

  test('refuses a circle, and the deletion of what is needed', async () => {
    await setVariables(rest, {
      ACME_SECRET: { value: secret },
      ACME_TOKEN: oauth2('https://auth.example.com/token'),
      ACME_PAIR: { basic: { user: 'a', passwordVariable: 'ACME_TOKEN' } },
    })
    const circle = await rest('PUT', '/environment/ACME_SECRET', {
      basic: { user: 'a', passwordVariable: 'ACME_PAIR' },
    })
    expect([circle.status, issuePaths(circle)]).toEqual([400, ['basic.passwordVariable']])
    const auth = { ...bearer, value: 'Basic {{ACME_PAIR}}' }
    const { connectionId } = await createConnection(rest, { name: 'Acme', auth })
    for (const [name, needer] of [
      ['ACME_SECRET', 'the variable ACME_TOKEN'],
      ['ACME_PAIR', 'the sign-in of Acme'],
    ]) {
      const refused = await rest('DELETE', `/environment/${name}`)
      expect([refused.status, errorCode(refused)]).toEqual([409, 'variable_in_use'])
      expect(refused.text).toContain(needer)
    }
    await rest('PATCH', `/connections/${connectionId}`, { auth: null })
    for (const name of ['ACME_PAIR', 'ACME_TOKEN', 'ACME_SECRET'])
      expect((await rest('DELETE', `/environment/${name}`)).status).toBe(200)
  })
})

import { beforeEach, describe, expect, test } from 'vitest'
import { createAction, testAction } from '../support/actions.ts'
import { eventually } from '../support/eventually.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { connectMcp, httpTransport } from '../support/mcp-client.ts'
import { createConnection, issuePaths, type Rest } from '../support/rest-client.ts'
import {
  adminToken,
  type ServiceFixture,
  sharedService,
  startOfTests,
  startService,
} from '../support/service-fixture.ts'

const cleanService = sharedService()
let service: ServiceFixture
let rest: Rest
beforeEach(async () => {
  service = await cleanService()
  rest = service.rest
})

const oneAMinute = { calls: 1, perSeconds: 60 }

/** A system that answers a status with `Retry-After`, or 200. */
async function startLimitedSystem(answer: { status: number; retryAfter?: string }) {
  return startExternalSystem((_request, response) => {
    response.statusCode = answer.status
    if (answer.retryAfter !== undefined) response.setHeader('retry-after', answer.retryAfter)
    response.setHeader('content-type', 'application/json').end('{"ok":true}')
  })
}

async function pausedUntil(connectionId: string): Promise<unknown> {
  const { body } = await rest('GET', `/connections/${connectionId}`)
  return Reflect.get(Object(body), 'pausedUntil')
}

describe('the rate limit of a connection', () => {
  test('is set, changed, removed by null, exported and imported', async () => {
    const limit = { calls: 10, perSeconds: 1 }
    const { connectionId, rateLimit } = await createConnection(rest, { rateLimit: limit })
    expect(rateLimit).toEqual(limit)
    const change = (body: object) => rest('PATCH', `/connections/${connectionId}`, body)
    expect((await change({ name: 'Other' })).body).toMatchObject({ rateLimit: limit, pausedUntil: null })
    expect((await change({ rateLimit: oneAMinute })).body).toMatchObject({ rateLimit: oneAMinute })
    const exported = await rest('GET', `/connections/${connectionId}/export`)
    expect(exported.body).toMatchObject({ connection: { rateLimit: oneAMinute } })
    const imported = await rest('POST', '/import', { text: exported.text.replace('"Other"', '"Copy"') })
    const copy = Reflect.get(Object(imported.body), 'connectionId')
    expect(copy).not.toBe(connectionId)
    const { body } = await rest('GET', `/connections/${copy}`)
    expect(body).toMatchObject({ name: 'Copy', rateLimit: oneAMinute })
    expect((await change({ rateLimit: null })).body).toMatchObject({ rateLimit: null })
    expect((await rest('GET', `/connections/${connectionId}/export`)).text).not.toContain('rateLimit')
  })

  test.each([
    [{ calls: 0, perSeconds: 1 }, 'rateLimit.calls'],
    [{ calls: 10_001, perSeconds: 1 }, 'rateLimit.calls'],
    [{ calls: 1.5, perSeconds: 1 }, 'rateLimit.calls'],
    [{ calls: 1, perSeconds: 0 }, 'rateLimit.perSeconds'],
    [{ calls: 1, perSeconds: 3601 }, 'rateLimit.perSeconds'],
    [{ calls: 1 }, 'rateLimit.perSeconds'],
  ])('of %j is refused', async (rateLimit, path) => {
    const answer = await rest('POST', '/connections', { name: 'A', rateLimit })
    expect([answer.status, issuePaths(answer)]).toEqual([400, [path]])
    const text = JSON.stringify({ connection: { name: 'A', rateLimit } })
    expect((await rest('POST', '/import/preview', { text })).text).toContain(path.split('.')[1])
  })

  test('refuses a call of a person for which there is no room within two seconds, and sends nothing', async () => {
    const system = await startExternalSystem()
    const { connectionId } = await createConnection(rest, {
      ...{ name: 'Acme', baseUrl: system.url, rateLimit: oneAMinute },
    })
    const { actionId } = await createAction(rest, connectionId)
    expect((await testAction(rest, { connectionId, actionId })).ok).toBe(true)
    const refused = await testAction(rest, { connectionId, actionId })
    expect(refused).toMatchObject({
      ok: false,
      request: null,
      response: null,
      error: { code: 'rate_limited' },
    })
    expect(refused.error?.message).toBe(
      'The rate limit of Acme, 1 call in 60 s, has no room for another 62 s. No request was sent.',
    )
    expect(refused.error?.data).toEqual({
      retryAt: new Date(startOfTests + 60_000 + 1200).toISOString(),
      retryAfterSeconds: 62,
    })
    expect(system.requests).toHaveLength(1)
    service.clock.now += 70_000
    expect((await testAction(rest, { connectionId, actionId })).ok).toBe(true)
  })

  test('lets a call of a person wait for room within two seconds', async () => {
    const system = await startExternalSystem()
    const { connectionId } = await createConnection(rest, {
      ...{ baseUrl: system.url, rateLimit: { calls: 1, perSeconds: 1 } },
    })
    const { actionId } = await createAction(rest, connectionId)
    await testAction(rest, { connectionId, actionId })
    const waits = testAction(rest, { connectionId, actionId })
    service.clock.now += 1500
    expect((await waits).ok).toBe(true)
    expect(system.requests).toHaveLength(2)
  })

  test('does not count a call that was not sent', async () => {
    const system = await startExternalSystem()
    const { connectionId } = await createConnection(rest, { baseUrl: system.url, rateLimit: oneAMinute })
    const headers = { 'X-Key': '{{NOT_SET}}' }
    const unset = await createAction(rest, connectionId, { name: 'Unset', headers })
    const { actionId } = await createAction(rest, connectionId)
    const { error } = await testAction(rest, { connectionId, actionId: unset.actionId })
    expect(error?.code).toBe('missing_environment_variable')
    expect((await testAction(rest, { connectionId, actionId })).ok).toBe(true)
  })
})

describe('an answer with Retry-After', () => {
  async function connect(answer: Parameters<typeof startLimitedSystem>[0]) {
    const system = await startLimitedSystem(answer)
    const { connectionId } = await createConnection(rest, { name: 'Acme', baseUrl: system.url })
    const { actionId } = await createAction(rest, connectionId)
    return { system, connectionId, call: () => testAction(rest, { connectionId, actionId }) }
  }
  const at = (ms: number) => new Date(startOfTests + ms).toISOString()

  test.each([
    [429, '5', 5000],
    [503, '5', 5000],
    [429, new Date(startOfTests + 9000).toUTCString(), 9000],
    [429, '7200', 3_600_000],
    [429, '9'.repeat(400), 3_600_000],
    [429, '0', null],
    [429, '-5', null],
    [429, 'soon', null],
    [429, new Date(startOfTests - 9000).toUTCString(), null],
    [429, undefined, null],
    [500, '5', null],
    [200, '5', null],
  ])('%i and %s pauses the connection for %s ms', async (status, retryAfter, ms) => {
    const { connectionId, call } = await connect({ status, ...(retryAfter !== undefined && { retryAfter }) })
    expect((await call()).response?.status).toBe(status)
    expect(await pausedUntil(connectionId)).toBe(ms === null ? null : at(ms))
  })

  test('refuses further calls until then, and sends nothing', async () => {
    const answer = { status: 429, retryAfter: '60' }
    const { system, connectionId, call } = await connect(answer)
    await call()
    const refused = await call()
    expect(refused).toMatchObject({ ok: false, request: null, response: null })
    expect(refused.error).toEqual({
      code: 'rate_limited',
      message: 'Acme asked for no calls for another 60 s. No request was sent.',
      data: { retryAt: at(60_000), retryAfterSeconds: 60 },
    })
    service.clock.now += 60_000
    answer.status = 200
    expect((await call()).ok).toBe(true)
    expect(system.requests).toHaveLength(2)
    expect(await pausedUntil(connectionId)).toBeNull()
  })

  test('pauses no other connection', async () => {
    const { system, call } = await connect({ status: 429, retryAfter: '60' })
    const other = await createConnection(rest, { baseUrl: system.url })
    const { actionId } = await createAction(rest, other.connectionId)
    await call()
    const { response } = await testAction(rest, { connectionId: other.connectionId, actionId })
    expect(response?.status).toBe(429)
  })

  test('pauses until the pause is ended, which changes nothing else', async () => {
    const answer = { status: 429, retryAfter: '60' }
    const { connectionId, call } = await connect(answer)
    await call()
    const path = `/connections/${connectionId}`
    const before = Object((await rest('GET', path)).body)
    const { status, body } = await rest('POST', `${path}/resume`)
    expect([status, body]).toEqual([200, { ...before, pausedUntil: null }])
    answer.status = 200
    expect((await call()).ok).toBe(true)
    expect((await rest('POST', `${path}/resume`)).status).toBe(200)
    expect((await rest('POST', '/connections/conn_none/resume')).status).toBe(404)
  })
})

test('an assistant learns when it can call again', async () => {
  const system = await startLimitedSystem({ status: 429, retryAfter: '60' })
  const { connectionId } = await createConnection(rest, { name: 'Acme', baseUrl: system.url })
  await createAction(rest, connectionId)
  const transport = httpTransport(`${service.dashboardUrl}/mcp`, adminToken)
  const { client } = await connectMcp(transport, '2026-07-28')
  const [tool] = (await client.listTools()).tools
  const call = async () => JSON.stringify(await client.callTool({ name: tool?.name ?? '', arguments: {} }))
  expect(await call()).toContain('429')
  expect(await call()).toContain(
    '(rate_limited): Acme asked for no calls for another 60 s. No request was sent.',
  )
  expect(system.requests).toHaveLength(1)
})

test('a pause survives a restart', async () => {
  const own = await startService()
  const system = await startLimitedSystem({ status: 429, retryAfter: '60' })
  const { connectionId } = await createConnection(own.rest, { baseUrl: system.url })
  const { actionId } = await createAction(own.rest, connectionId)
  await testAction(own.rest, { connectionId, actionId })
  await own.restart()
  const { error } = await testAction(own.rest, { connectionId, actionId })
  expect(error?.code).toBe('rate_limited')
  expect((await own.rest('GET', `/connections/${connectionId}`)).body).toMatchObject({
    pausedUntil: new Date(own.clock.now + 60_000).toISOString(),
  })
  expect(system.requests).toHaveLength(1)
})

test('a page that follows the service learns of a pause', async () => {
  const system = await startLimitedSystem({ status: 429, retryAfter: '60' })
  const { connectionId } = await createConnection(rest, { baseUrl: system.url })
  const { actionId } = await createAction(rest, connectionId)
  const { pauses } = service.service.storage.callLimits
  const before = pauses.count()
  await testAction(rest, { connectionId, actionId })
  await eventually(() => expect(pauses.count()).toBe(before + 1))
})

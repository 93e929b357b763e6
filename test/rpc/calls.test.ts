import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { LastTest } from '#shared/model/call.ts'
import { Credentials } from '#shared/model/connection.ts'
import { createAction, testAction, testsOf } from '../support/actions.ts'
import { openFeed } from '../support/event-feed.ts'
import { isSigned, startExternalSystem } from '../support/external-system.ts'
import { expectNowhere } from '../support/leaks.ts'
import { createConnection } from '../support/rest-client.ts'
import { type ServiceFixture, sharedService, startOfTests, startService } from '../support/service-fixture.ts'

const cleanService = sharedService()

const value = 'sk-canary-4711-of-the-tests'
const parameters = [
  { name: 'order_id', type: 'string', description: 'The order', required: true },
  { name: 'limit', type: 'number', description: 'How many', required: false },
]

/** A connection to an external system that answers the same to everything, and an action of it. */
async function withAction(fields: object = {}, ...answer: Parameters<typeof startExternalSystem>) {
  return withActionOf(await cleanService(), fields, ...answer)
}

async function withActionOf(
  fixture: ServiceFixture,
  fields: object,
  ...answer: Parameters<typeof startExternalSystem>
) {
  const system = await startExternalSystem(...answer)
  const { rest } = fixture
  const connection = await createConnection(rest, { baseUrl: `${system.url}/v2` })
  const { connectionId } = connection
  const action = await createAction(rest, connectionId, { parameters, ...fields })
  const place = { connectionId, actionId: action.actionId }
  return {
    fixture,
    rest,
    system,
    connection,
    place,
    path: `/connections/${connectionId}/actions/${action.actionId}`,
    run: (given?: object) => testAction(rest, place, given),
  }
}

describe('a test of an action', () => {
  test('makes a signed request, and tells of it, of the answer and of the times', async () => {
    const { run, system, connection } = await withAction(
      { method: 'POST', path: '/orders?a=1', responseMapping: { state: 'order.state', none: 'x.y' } },
      (_request, response) => void response.end('{"order":{"state":"sent","n":12345678901234567890}}'),
    )
    const outcome = await run({ order_id: 'a&b', limit: 3 })
    const [request] = system.requests
    if (request === undefined) throw new Error('No request came.')
    expect(request).toMatchObject({
      method: 'POST',
      url: '/v2/orders?a=1',
      body: '{"order_id":"a&b","limit":3}',
      headers: { 'x-service-timestamp': String(startOfTests), 'content-type': 'application/json' },
    })
    expect(isSigned(request, connection.credentials.signingSecret)).toBe(true)
    expect(outcome).toMatchObject({
      ok: true,
      request: { method: 'POST', url: `${system.url}/v2/orders?a=1`, body: request.body },
      response: { status: 200, body: '{"order":{"state":"sent","n":12345678901234567890}}', bytes: 51 },
      mapped: { state: 'sent', none: null },
      error: null,
    })
    expect(outcome.timings.totalMs).toBeGreaterThan(0)
  })

  test('shows the answer to the letter: numbers with all their digits, and odd keys', async () => {
    const { rest, path } = await withAction(
      { parameters: [], responseMapping: { id: 'id', all: 'all' } },
      (_request, response) => {
        response.end('{"id":12345678901234567890,"all":[{"__proto__":{"n":1e400}}]}')
      },
    )
    for (const { text } of [await rest('POST', `${path}/test`, {}), await rest('GET', `${path}/tests`)]) {
      expect(text).toContain('"result":{"id":12345678901234567890,"all":[{"__proto__":{"n":1e400}}]}')
      expect(text).toContain('"mapped":{"id":12345678901234567890,"all":[{"__proto__":{"n":1e400}}]}')
    }
  })

  test('of an answer that is nested deeply is answered', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    const { rest, path } = await withAction({ parameters: [] }, (_request, response) => {
      response.end(deep)
    })
    const { status, text } = await rest('POST', `${path}/test`, {})
    expect([status, text.includes('"ok":true')]).toEqual([200, true])
    expect((await rest('GET', `${path}/tests`)).status).toBe(200)
  })

  test('is possible while the action is switched off, and while the connection is, which it then says', async () => {
    const { rest, run, path, place } = await withAction({ isEnabled: false })
    expect(await run({ order_id: 'x' })).toMatchObject({ ok: true })
    expect(await run({ order_id: 'x' })).not.toHaveProperty('connectionEnabled')
    await rest('PATCH', path, { isEnabled: true })
    await rest('PATCH', `/connections/${place.connectionId}`, { enabled: false })
    expect(await run({ order_id: 'x' })).toMatchObject({ ok: true, connectionEnabled: false })
  })

  test('follows changes of the action, the base URL and the secret at once', async () => {
    const { rest, run, path, place, system } = await withAction()
    const other = await startExternalSystem()
    await run({ order_id: 'x' })
    await rest('PATCH', path, { path: '/other', headers: { 'X-A': '1' } })
    await rest('PATCH', `/connections/${place.connectionId}`, { baseUrl: other.url })
    await rest('POST', `/connections/${place.connectionId}/rotate-secret`, { graceHours: 24 })
    const credentials = await rest('GET', `/connections/${place.connectionId}/credentials`)
    await run({ order_id: 'x' })
    expect(system.requests).toHaveLength(1)
    const [request] = other.requests
    if (request === undefined) throw new Error('No request came.')
    expect(request).toMatchObject({ url: '/other?order_id=x', headers: { 'x-a': '1' } })
    expect(credentials.body).toMatchObject({
      signingSecret: expect.toSatisfy((secret: string) => isSigned(request, secret)),
    })
  })

  test('with wrong arguments names each, and asks nobody', async () => {
    const { run, system } = await withAction()
    expect(await run({ limit: '3', colour: 'red' })).toMatchObject({
      ok: false,
      request: null,
      response: null,
      error: {
        code: 'invalid_arguments',
        data: { issues: [{ path: 'order_id' }, { path: 'limit' }, { path: 'colour' }] },
      },
    })
    expect((await run()).error?.code).toBe('invalid_arguments')
    expect(system.requests).toEqual([])
  })

  test('with thousands of wrong arguments has a short error, here and in the history', async () => {
    const { rest, path } = await withAction()
    const given = Array.from({ length: 19_900 }, (_, index) => [`${index}${'\u0001'.repeat(30)}`, 1])
    const { text } = await rest('POST', `${path}/test`, { arguments: Object.fromEntries(given) })
    expect(text).toContain('invalid_arguments')
    expect(text).toContain('More arguments are wrong.')
    expect(text.length).toBeLessThan(100_000)
    expect((await rest('GET', `${path}/tests`)).text.length).toBeLessThan(100_000)
  })

  test.each([[], 'x', 7, null])('with the arguments %j is refused', async given => {
    const { rest, path } = await withAction()
    const answer = await rest('POST', `${path}/test`, { arguments: given })
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
  })

  test('without a base URL says so', async () => {
    const { rest, run, place } = await withAction()
    await rest('PATCH', `/connections/${place.connectionId}`, { baseUrl: null })
    expect(await run({ order_id: 'x' })).toMatchObject({ ok: false, error: { code: 'no_base_url' } })
  })

  test('shows an answer other than 2xx as it is', async () => {
    const { run } = await withAction({}, (_request, response) => {
      response.statusCode = 404
      response.end('not here')
    })
    expect(await run({ order_id: 'x' })).toMatchObject({
      ok: false,
      response: { status: 404, body: 'not here' },
      result: { result: 'not here' },
      error: null,
    })
  })
})

test('a call that is sent again, because its reused connection was closed, says so wherever it is kept', async () => {
  const seen = new Set<unknown>()
  const { rest, run, place, system } = await withAction({}, (_request, response) => {
    const isReused = seen.has(response.socket)
    seen.add(response.socket)
    if (isReused) response.destroy()
    else response.setHeader('Keep-Alive', 'timeout=60').end('{}')
  })
  expect(await run({ order_id: 'x' })).not.toHaveProperty('resent')
  const second = await run({ order_id: 'x' })
  expect(second).toMatchObject({ ok: true, resent: true })
  expect(system.requests).toHaveLength(3)
  const { body } = await rest('GET', `/calls/${second.callId}`)
  expect(body).toMatchObject({ ok: true, resent: true })
  expect((await testsOf(rest, place)).map(({ result }) => result.resent)).toEqual([true, undefined])
})

describe('environment variables', () => {
  test('are sent, and masked wherever they come back', async () => {
    const { rest, run, system, fixture } = await withAction(
      { headers: { Authorization: 'Bearer {{SHOP_KEY}}' } },
      ({ headers }, response) => {
        response.setHeader('x-echo', String(headers.authorization))
        response.end(JSON.stringify({ you: headers.authorization }))
      },
    )
    expect(await run({ order_id: 'x' })).toMatchObject({ error: { code: 'missing_environment_variable' } })
    await rest('PUT', '/environment/SHOP_KEY', { value })
    const outcome = await run({ order_id: value })
    expect(system.requests).toMatchObject([{ headers: { authorization: `Bearer ${value}` } }])
    expect(outcome).toMatchObject({
      ok: true,
      request: { headers: { Authorization: 'Bearer ••••' } },
      response: { headers: { 'x-echo': 'Bearer ••••' } },
      result: { you: 'Bearer ••••' },
    })
    const path = `/connections/${(await rest('GET', '/tools')).text.match(/conn_[\w-]+/)?.[0]}`
    for (const { text } of [await rest('GET', '/environment'), await rest('GET', `${path}/actions`)])
      expect(text).not.toContain(value)
    expect(fixture.log.text()).not.toContain(value)
  })

  test('with a line break in them are not sent, wherever they come from', async () => {
    const system = await startExternalSystem()
    const env = { SHOP_KEY: `${value}\r\nX-Evil: 1` }
    const { rest } = await startService({ service: { env } })
    expect((await rest('PUT', '/environment/SHOP_KEY', { value: env.SHOP_KEY })).status).toBe(400)
    const { connectionId } = await createConnection(rest, { baseUrl: system.url })
    const { actionId } = await createAction(rest, connectionId, { headers: { 'X-Key': '{{SHOP_KEY}}' } })
    const outcome = await testAction(rest, { connectionId, actionId })
    expect(outcome).toMatchObject({ request: null, error: { code: 'invalid_header_value' } })
    expect(JSON.stringify(outcome)).not.toContain(value)
    expect(system.requests).toEqual([])
  })
})

describe('signing secrets', () => {
  test('of every connection, also replaced ones, are masked wherever they come back', async () => {
    const fixture = await cleanService()
    const other = await createConnection(fixture.rest, { name: 'Other' })
    const echoed = [other.credentials.signingSecret]
    const { rest, run, connection, place, path } = await withActionOf(
      fixture,
      { responseMapping: { all: 'secrets' } },
      (_request, response) => {
        response.setHeader('x-echo', echoed.join(' '))
        response.end(JSON.stringify({ secrets: [...echoed, Buffer.from(echoed.join()).toString('base64')] }))
      },
    )
    const before = connection.credentials.signingSecret
    await rest('POST', `/connections/${place.connectionId}/rotate-secret`, { graceHours: 1 })
    const { body } = await rest('GET', `/connections/${place.connectionId}/credentials`)
    echoed.push(before, Credentials.parse(body).signingSecret)

    const outcome = await run({ order_id: `pasted ${before}` })
    expect(outcome).toMatchObject({ ok: true, mapped: { all: expect.arrayContaining(['whsec_••••']) } })
    const [kept] = await testsOf(rest, place)
    expect(kept).toMatchObject({ arguments: { order_id: 'pasted whsec_••••' } })
    const places = {
      outcome,
      kept,
      call: await rest('GET', `/calls/${outcome.callId}`),
      list: (await rest('GET', `${path}/tests`)).text,
    }
    expectNowhere(
      new Map(echoed.map((secret, index) => [`secret ${index}`, secret])),
      new Map([
        ...Object.entries(places).map(([name, value]): [string, string] => [name, JSON.stringify(value)]),
        ['log', fixture.log.text()],
      ]),
    )
  })
})

describe('the tests of an action', () => {
  test('are listed newest first by the ids of their calls, with the names of variables but no values', async () => {
    const { rest, run, place, fixture } = await withAction({ headers: { 'X-Key': '{{SHOP_KEY}}' } })
    await rest('PUT', '/environment/SHOP_KEY', { value })
    const { callId, ...first } = await run({ order_id: `pasted ${value}` })
    fixture.clock.now += 1000
    const second = await run({})
    const tests = await testsOf(rest, place)
    expect(tests).toMatchObject([
      { at: new Date(startOfTests + 1000).toISOString(), arguments: {}, result: { error: second.error } },
      {
        callId: callId,
        at: new Date(startOfTests).toISOString(),
        arguments: { order_id: 'pasted ••••' },
        environmentVariables: ['SHOP_KEY'],
        shortened: false,
        result: first,
      },
    ])
    expect(new Set(tests.map(({ callId }) => callId)).size).toBe(2)
  })

  test('are the last fifty', async () => {
    const { rest, run, place } = await withAction()
    for (let index = 0; index < 53; index++) await run({ order_id: String(index) })
    const tests = await testsOf(rest, place)
    expect(tests.map(({ arguments: given }) => given.order_id)).toEqual(
      Array.from({ length: 50 }, (_, index) => String(52 - index)),
    )
  })

  test('are told of in short, the newest of each action', async () => {
    const { rest, run, place, fixture } = await withAction()
    const { actionId } = await createAction(rest, place.connectionId, { name: 'Other', toolName: 'other' })
    await createAction(rest, place.connectionId, { name: 'Never tested' })
    const path = `/connections/${place.connectionId}/last-tests`
    expect((await rest('GET', path)).body).toEqual({ tests: [] })
    await run({ order_id: 'x' })
    await testAction(rest, { ...place, actionId })
    fixture.clock.now += 1000
    await run({ wrong: 1 })
    const { body } = await rest('GET', path)
    const { tests } = z.object({ tests: z.array(LastTest) }).parse(body)
    const at = (ms: number) => new Date(startOfTests + ms).toISOString()
    expect(tests.toSorted((one, other) => one.at.localeCompare(other.at))).toEqual([
      { actionId, at: at(0), ok: true, status: 200, code: null },
      { actionId: place.actionId, at: at(1000), ok: false, status: null, code: 'invalid_arguments' },
    ])
    expect((await rest('GET', '/connections/conn_none/last-tests')).status).toBe(404)
  })

  test('leave out what is long, and say so', async () => {
    const { rest, run, place } = await withAction({}, (_request, response) => {
      response.end(JSON.stringify({ text: 'x'.repeat(1_000_000) }))
    })
    expect((await run({ order_id: 'x' })).response?.bytes).toBe(1_000_011)
    const [kept] = await testsOf(rest, place)
    expect(kept).toMatchObject({ shortened: true, arguments: { order_id: 'x' }, result: { result: null } })
    expect(kept?.result.response?.body).toHaveLength(64 * 1024)
  })

  test('are there after a restart, and no longer listed when their action is deleted', async () => {
    const { rest, run, path, place, fixture } = await withAction()
    await run({ order_id: 'x' })
    await fixture.restart()
    expect(await testsOf(rest, place)).toHaveLength(1)
    await run({ order_id: 'x' })
    expect(await testsOf(rest, place)).toHaveLength(2)
    const other = await createAction(rest, place.connectionId, { name: 'Other' })
    await testAction(rest, { ...place, actionId: other.actionId })
    await rest('DELETE', path)
    expect((await rest('GET', `${path}/tests`)).status).toBe(404)
    expect(await testsOf(rest, { ...place, actionId: other.actionId })).toHaveLength(1)
  })
})

describe('the activity', () => {
  test('has each call that has ended, well or not', async () => {
    const { run, fixture, place } = await withActionOf(await startService(), {}, ({ url }, response) => {
      response.statusCode = url.includes('bad') ? 500 : 200
      response.end('{}')
    })
    const feed = await openFeed(fixture)
    await run({ order_id: 'good' })
    await run({ order_id: 'bad' })
    await run({})
    const common = {
      type: 'call.finished',
      ...place,
      toolName: 'look_up',
      method: 'GET',
      source: 'test',
      totalMs: expect.any(Number),
    }
    expect(await feed.next()).toMatchObject({ ...common, status: 200, ok: true, code: null })
    expect(await feed.next()).toMatchObject({ ...common, status: 500, ok: false, code: null })
    expect(await feed.next()).toMatchObject({ ...common, status: null, ok: false, code: 'invalid_arguments' })
    expect(fixture.log.lines.filter(({ message }) => message === 'Call finished')).toHaveLength(3)
  })

  test('can be that of one connection', async () => {
    const { rest, run, fixture, place, system } = await withAction()
    const other = await createConnection(rest, { baseUrl: system.url })
    const elsewhere = await createAction(rest, other.connectionId)
    const feed = await openFeed(fixture, `?connectionId=${place.connectionId}`)
    await testAction(rest, { connectionId: other.connectionId, actionId: elsewhere.actionId })
    await run({ order_id: 'x' })
    expect(await feed.next()).toMatchObject(place)
  })
})

import { getEventMeta, isDefinedError, ORPCError, safe } from '@orpc/client'
import { describe, expect, test } from 'vitest'
import { startCuttableProxy } from '../support/cuttable-proxy.ts'
import { createConnection } from '../support/rest-client.ts'
import { httpClient, type RpcClient, type SessionHeaders, signIn } from '../support/rpc-client.ts'
import { postInbound, type ServiceFixture, sharedService, startService } from '../support/service-fixture.ts'
import { bearer, http } from './http.ts'

const cleanService = sharedService()

const csrf = { 'x-csrf-token': 'orpc' }
const json = { 'content-type': 'application/json' }
const listConnections = { method: 'POST', path: '/rpc/connections/list', body: '{"json":{}}' }

async function signedIn(fixture: ServiceFixture): Promise<RpcClient> {
  const session = await signIn(fixture.dashboardUrl)
  return httpClient(
    () => fixture.dashboardUrl,
    () => session,
  )
}

/** The code in an answer, written as the page's client reads it. */
function rpcCode(text: string): unknown {
  const { json: error } = JSON.parse(text)
  expect(Object.keys(error).sort()).toEqual(expect.arrayContaining(['code', 'defined', 'message', 'status']))
  return error.code
}

describe('calls of the dashboard', () => {
  test('are answered with a session and with the admin token', async () => {
    const fixture = await cleanService()
    const session = await signIn(fixture.dashboardUrl)
    for (const authority of [session, bearer]) {
      const headers = { ...csrf, ...json, ...authority }
      const answer = await http(fixture.dashboardUrl, { ...listConnections, headers })
      expect([answer.status, answer.text]).toEqual([200, '{"json":[]}'])
    }
    expect(await (await signedIn(fixture)).connections.list({})).toEqual([])
  })

  test('are refused to anybody else, in a form that the client knows', async () => {
    const { dashboardUrl, log } = await cleanService()
    const strangers: Record<string, string>[] = [
      {},
      { cookie: 'cc_session=x' },
      { authorization: 'Bearer wrong' },
    ]
    for (const stranger of strangers)
      for (const path of ['/rpc/connections/list', '/rpc/nope', '/rpc/live/follow', '/rpc/']) {
        const headers = { ...csrf, ...json, ...stranger }
        const answer = await http(dashboardUrl, { ...listConnections, path, headers })
        expect([path, answer.status, rpcCode(answer.text)]).toEqual([path, 401, 'unauthorized'])
      }
    const client = httpClient(
      () => dashboardUrl,
      () => null,
    )
    const { error } = await safe(client.connections.list({}))
    expect(isDefinedError(error) && error.code).toBe('unauthorized')
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  test('are refused without the header that no page of another site can send', async () => {
    const { dashboardUrl, rest } = await cleanService()
    const session = await signIn(dashboardUrl)
    for (const headers of [{}, { 'x-csrf-token': 'other' }])
      for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
        const body = '{"json":{"name":"x"}}'
        const call = { method: 'POST', path: '/rpc/connections/create', body }
        const answer = await http(dashboardUrl, {
          ...call,
          headers: { ...headers, ...session, 'content-type': type },
        })
        const expected =
          type === 'application/json' ? [403, 'missing_csrf_header'] : [415, 'unsupported_media_type']
        expect([answer.status, rpcCode(answer.text)]).toEqual(expected)
      }
    const get = await http(dashboardUrl, { path: '/rpc/connections/list', headers: session })
    expect([get.status, rpcCode(get.text)]).toEqual([403, 'missing_csrf_header'])
    expect((await rest('GET', '/connections')).body).toEqual([])
  })

  test('by GET read, and never change anything', async () => {
    const { dashboardUrl, rest } = await cleanService()
    const headers = { ...csrf, ...(await signIn(dashboardUrl)) }
    const data = encodeURIComponent('{"json":{"name":"x"}}')
    const read = await http(dashboardUrl, { path: '/rpc/connections/list?data={%22json%22:{}}', headers })
    expect([read.status, read.text]).toEqual([200, '{"json":[]}'])
    const change = await http(dashboardUrl, { path: `/rpc/connections/create?data=${data}`, headers })
    expect([change.status, rpcCode(change.text)]).toEqual([404, 'no_such_path'])
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD']) {
      const call = { method, path: '/rpc/connections/create', headers: { ...headers, ...json } }
      expect((await http(dashboardUrl, call)).status).toBe(404)
    }
    expect((await rest('GET', '/connections')).body).toEqual([])
  })

  test.each([
    ['nothing', ''],
    ['an empty object', '{}'],
    ['no JSON', '{"json":'],
    ['a list', '[]'],
    ['wrong fields', '{"json":{"name":7}}'],
    ['a reference to what is not there', '{"json":{},"meta":[[1,"name"]]}'],
    ['a date for a name', '{"json":{"name":"2026-11-21"},"meta":[[1,"name"]]}'],
    ['a type that does not fit', '{"json":{"name":7},"meta":[[0,"name"]]}'],
    ['a reference through a prototype', '{"json":{"name":"x"},"meta":[[1,"__proto__","polluted"]]}'],
    ['deep nesting', `{"json":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('with %s for a body are invalid_input', async (_what, body) => {
    const { dashboardUrl, rest } = await cleanService()
    const headers = { ...csrf, ...json, ...(await signIn(dashboardUrl)) }
    const call = { method: 'POST', path: '/rpc/connections/create', body, headers }
    const answer = await http(dashboardUrl, call)
    expect([answer.status, rpcCode(answer.text)]).toEqual([400, 'invalid_input'])
    expect((await rest('GET', '/connections')).body).toEqual([])
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  test('that are not in the contract are no_such_path', async () => {
    const { dashboardUrl } = await cleanService()
    const headers = { ...csrf, ...json, ...(await signIn(dashboardUrl)) }
    for (const path of [
      '/rpc/nope',
      '/rpc/connections',
      '/rpc/__proto__/toString',
      '/rpc/connections/list/x',
    ]) {
      const answer = await http(dashboardUrl, { ...listConnections, path, headers })
      expect([path, answer.status, rpcCode(answer.text)]).toEqual([path, 404, 'no_such_path'])
    }
  })

  test('may be as large as an import is, and no larger', async () => {
    const { dashboardUrl } = await cleanService()
    const headers = { ...csrf, ...json, ...(await signIn(dashboardUrl)) }
    const body = (size: number) => JSON.stringify({ json: { text: ' '.repeat(size) } })
    const call = { method: 'POST', path: '/rpc/imports/preview', headers }
    const large = await http(dashboardUrl, { ...call, body: body(16 * 1024 * 1024) })
    expect(large.status).toBe(200)
    const tooLarge = await http(dashboardUrl, { ...call, body: body(40 * 1024 * 1024) })
    expect([tooLarge.status, rpcCode(tooLarge.text)]).toEqual([413, 'body_too_large'])
  })

  test('that fail inside tell nothing of it; the log does', async () => {
    const fixture = await startService()
    const client = await signedIn(fixture)
    const { connectionId } = await createConnection(fixture.rest)
    await fixture.service.stop()
    const { error } = await safe(client.connections.update({ connectionId, name: 'x' }))
    expect(error).toMatchObject({ code: 'storage_unavailable', status: 503 })
    const list = await safe(client.events.list({ connectionId, limit: 10 }))
    expect(list.error).toBeInstanceOf(ORPCError)
    expect(list.error).toMatchObject({
      code: expect.stringMatching(/^(internal_error|storage_unavailable)$/),
    })
    expect(JSON.stringify(list.error)).not.toMatch(/\bat \/|node_modules|\.ts:/)
  })
})

describe('the live stream', () => {
  /** Reads on until a message of this type comes. */
  async function nextOf<Message extends { readonly type: string }>(
    stream: AsyncIterator<Message>,
    type: string,
  ) {
    for (;;) {
      const { value, done } = await stream.next()
      if (done === true || value === undefined) throw new Error('The stream ended.')
      if (value.type === type) return { message: value, id: getEventMeta(value)?.id }
    }
  }

  /** Reads to the end, which only a broken connection brings about. */
  async function readOn(stream: ReadableStreamDefaultReader<unknown>): Promise<void> {
    while (!(await stream.read()).done);
  }

  test('goes on after a cut connection where it was: nothing is lost, nothing comes twice', async () => {
    const fixture = await cleanService()
    const { connectionId, credentials } = await createConnection(fixture.rest)
    const proxy = await startCuttableProxy(fixture.dashboardUrl)
    const session = await signIn(proxy.url)
    const client = httpClient(
      () => proxy.url,
      () => session,
    )
    const post = async (event: string) =>
      expect((await postInbound(credentials, JSON.stringify({ event }))).status).toBe(200)
    const follow = async (lastEventId?: string) => {
      const stream = await client.activity.live({ connectionId }, { lastEventId })
      return stream[Symbol.asyncIterator]()
    }
    const followChanges = async (lastEventId?: string) => {
      const stream = await client.live.follow({}, { lastEventId })
      return stream[Symbol.asyncIterator]()
    }

    const changes = await followChanges()
    const start = await nextOf(changes, 'statistics')
    await post('one')
    expect((await nextOf(changes, 'activity.changed')).message).toMatchObject({
      connectionIds: [connectionId],
      more: false,
    })
    const first = await follow()
    const one = await nextOf(first, 'event.accepted')
    expect(one.message).toMatchObject({ eventName: 'one' })
    expect(proxy.size).toBeGreaterThan(0)
    proxy.cut()
    for (const stream of [first, changes]) await expect(stream.next()).rejects.toThrow()
    for (const event of ['two', 'three']) await post(event)
    const second = await follow(one.id)
    const names = []
    for (let count = 0; count < 2; count++) names.push((await nextOf(second, 'event.accepted')).message)
    expect(names).toMatchObject([{ eventName: 'two' }, { eventName: 'three' }])
    await post('four')
    expect((await nextOf(second, 'event.accepted')).message).toMatchObject({ eventName: 'four' })
    const changesAgain = await followChanges(start.id)
    expect((await nextOf(changesAgain, 'activity.changed')).message).toMatchObject({ more: true })
    for (const stream of [second, changesAgain]) await stream.return?.()
  })

  describe('ends with the session that it was opened with, and no other', () => {
    type Over = (fixture: ServiceFixture, session: SessionHeaders) => Promise<unknown>
    const signOut: Over = ({ dashboardUrl }, session) =>
      http(dashboardUrl, { method: 'DELETE', path: '/session', headers: { ...csrf, ...session } })
    const expire: Over = async ({ clock, dashboardUrl }, session) => {
      clock.now += 30 * 24 * 60 * 60 * 1000
      // Another session begins once the first is past its time.
      await signIn(dashboardUrl)
      expect((await http(dashboardUrl, { path: '/session', headers: session })).text).toContain('false')
    }
    const makeRoom: Over = async ({ dashboardUrl }) => {
      for (let count = 0; count < 100; count++) await signIn(dashboardUrl)
    }

    test.each([
      ['by signing out', signOut],
      ['in time', expire],
      ['for newer ones', makeRoom],
    ])('%s', async (_how, end) => {
      const fixture = await cleanService()
      const { service, dashboardUrl, log } = fixture
      const follow = async (headers: Readonly<Record<string, string>>) => {
        const answer = await fetch(`${dashboardUrl}/rpc/live/follow`, {
          method: 'POST',
          body: '{"json":{}}',
          headers: { ...csrf, ...json, ...headers },
        })
        expect(answer.status).toBe(200)
        const reader = answer.body?.getReader()
        if (reader === undefined) throw new Error('There is a stream.')
        await reader.read()
        return reader
      }
      const session = await signIn(dashboardUrl)
      const stream = await follow(session)
      expect(service.listenerChanges.hasListeners()).toBe(true)
      await end(fixture, session)
      await expect(readOn(stream)).rejects.toThrow()
      await expect.poll(() => service.listenerChanges.hasListeners()).toBe(false)
      expect(
        (await http(dashboardUrl, { ...listConnections, headers: { ...csrf, ...json, ...session } })).status,
      ).toBe(401)

      const others = [await follow(await signIn(dashboardUrl)), await follow(bearer)]
      await signOut(fixture, await signIn(dashboardUrl))
      await createConnection(fixture.rest)
      for (const other of others) {
        expect(new TextDecoder().decode((await other.read()).value)).toContain('configuration')
        await other.cancel()
      }
      expect(log.lines.filter(({ level }) => level === 'error')).toEqual([])
    })
  })

  test('of a connection that is not there is an error and no stream', async () => {
    const client = await signedIn(await cleanService())
    const { error } = await safe(client.activity.live({ connectionId: 'conn_none' }))
    expect(isDefinedError(error) && error.code).toBe('connection_not_found')
  })
})

import { getEventMeta, isDefinedError, safe } from '@orpc/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ActivityItem } from '#shared/model/activity.ts'
import { maxImportBytes } from '#shared/model/import-document.ts'
import type { LiveMessage } from '#shared/model/live.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { httpClient, portClient, type RpcClient, signIn } from '../support/rpc-client.ts'
import { postInbound, type ServiceFixture, sharedService } from '../support/service-fixture.ts'

const cleanService = sharedService()

const transports: [string, (fixture: ServiceFixture) => Promise<RpcClient>][] = [
  [
    'HTTP',
    async fixture => {
      const session = await signIn(fixture.dashboardUrl)
      return httpClient(
        () => fixture.dashboardUrl,
        () => session,
      )
    },
  ],
  [
    'a message port',
    async ({ service }) => {
      const { client, close } = portClient(service.router)
      onTestFinished(close)
      return client
    },
  ],
]

describe.each(transports)('over %s', (_name, connect) => {
  async function open() {
    const fixture = await cleanService()
    return { ...fixture, fixture, client: await connect(fixture) }
  }

  test('what was created is listed, as the contract has it', async () => {
    const { client } = await open()
    const created = await client.connections.create({ name: 'Shop', persistEvents: true })
    expect(created.credentials.inboundUrl).toContain(created.credentials.inboundToken)
    const { credentials: _credentials, ...shown } = created
    expect(await client.connections.list({})).toMatchObject([{ connectionId: shown.connectionId }])
    expect(await client.connections.get({ connectionId: shown.connectionId })).toEqual(shown)
  })

  test('an error keeps its code, its sentence and the fields that are wrong', async () => {
    const { client } = await open()
    const missing = await safe(client.connections.get({ connectionId: 'conn_none' }))
    expect(isDefinedError(missing.error)).toBe(true)
    expect(missing.error).toMatchObject({
      code: 'connection_not_found',
      status: 404,
      message: 'There is no such connection.',
    })
    const wrong = await safe(client.connections.create({ name: ' ', baseUrl: 'ftp://x' }))
    expect(isDefinedError(wrong.error)).toBe(true)
    expect(wrong.error).toMatchObject({
      code: 'invalid_input',
      status: 400,
      data: {
        issues: [
          { path: 'name', message: expect.any(String) },
          { path: 'baseUrl', message: expect.any(String) },
        ],
      },
    })
    const { connectionId } = await client.connections.create({ name: 'Shop' })
    const text = '{"events": [{"eventName": 7}]}'
    const refused = await safe(client.imports.apply({ connectionId, text }))
    expect(refused.error).toMatchObject({
      code: 'invalid_document',
      data: {
        issues: expect.arrayContaining([
          expect.objectContaining({ path: 'events[0].eventName', line: 1, column: 27, severity: 'error' }),
        ]),
      },
    })
  })

  test('a stream tells what happens, goes on from where it was, and ends when its reader leaves', async () => {
    const { client, clock } = await open()
    const { connectionId, credentials } = await client.connections.create({ name: 'Shop' })
    const post = (event: string) => postInbound(credentials, JSON.stringify({ event }), clock.now)
    const follow = (lastEventId?: string) => client.activity.live({ connectionId }, { lastEventId })
    async function read(stream: AsyncIterable<ActivityItem>, count: number) {
      const items = []
      for await (const item of stream) {
        if (item.type !== 'event.accepted') continue
        items.push({ name: item.eventName, id: getEventMeta(item)?.id })
        if (items.length === count) break
      }
      return items
    }
    for (const event of ['one', 'two']) await post(event)
    const [one, two] = await read(await follow(), 2)
    expect([one?.name, two?.name]).toEqual(['one', 'two'])
    await post('three')
    expect((await read(await follow(one?.id), 2)).map(({ name }) => name)).toEqual(['two', 'three'])
  })

  test('a stream ends when the listener moves and says so first', async () => {
    const { client, listenerUrl } = await open()
    const leaving = new AbortController()
    const stream = await client.live.follow({}, { signal: leaving.signal })
    let moved: LiveMessage | null = null
    const reading = (async () => {
      for await (const message of stream) {
        if (message.type === 'statistics') await client.service.moveListener({ host: '127.0.0.1', port: 0 })
        if (message.type !== 'listener') continue
        moved = message
        leaving.abort()
      }
    })()
    await reading.catch(() => {})
    expect(moved).toMatchObject({ listener: { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) } })
    expect(moved).not.toMatchObject({ listener: { url: listenerUrl } })
  })

  test('an import of the largest size is taken, and a larger one refused in words', async () => {
    const { client } = await open()
    const document = JSON.stringify({
      version: 1,
      connection: { name: 'Large "quoted" \\ é\n' },
      events: [{ eventName: 'a', samplePayload: { text: '"\\é\n'.repeat(1000) } }],
    })
    const padded = (bytes: number) => document + ' '.repeat(bytes - Buffer.byteLength(document))
    const { created } = await client.imports.apply({ text: padded(maxImportBytes) })
    expect(created).toEqual({ actions: [], eventTypes: ['a'] })
    const { valid, issues } = await client.imports.preview({ text: padded(maxImportBytes + 1) })
    expect(valid).toBe(false)
    expect(issues).toHaveLength(1)
  })

  test('digits that no number of JavaScript has come through where the dashboard reads them', async () => {
    const { client } = await open()
    const system = await startExternalSystem((_request, response) => void response.end(answer))
    const answer = '{"id":9007199254740993,"zero":-0,"__proto__":{"admin":true},"huge":1e400}'
    const { connectionId } = await client.connections.create({
      name: 'Shop',
      baseUrl: system.url,
      persistEvents: true,
    })
    const dataText = '{"id":9007199254740993,"long":0.10000000000000000000001,"__proto__":{"admin":true}}'
    const sent = await client.events.send({ connectionId, event: 'exact', dataText })
    expect(sent).toMatchObject({ status: 200 })
    const page = await client.events.list({ connectionId, limit: 10 })
    expect(page.events).toMatchObject([{ dataText }])
    const [event] = page.events
    expect(event?.bodyText).toBe(`{"event":"exact","data":${dataText}}`)
    // The parsed value is there beside it, rounded as JavaScript does, and harmless.
    expect(event?.data).toMatchObject({ id: 9007199254740992 })
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false)
    const one = await client.events.get({ connectionId, eventId: event?.eventId ?? '' })
    expect(one).toMatchObject({ dataText })

    const { actionId } = await client.actions.create({
      connectionId,
      name: 'Look up',
      description: 'When asked.',
      path: '/orders',
      responseMapping: { order: 'id' },
    })
    const called = await client.actions.test({ connectionId, actionId, arguments: {} })
    expect(called).toMatchObject({
      ok: true,
      response: { body: answer },
      mapped: { order: 9007199254740992 },
    })
    const { tests } = await client.actions.tests({ connectionId, actionId })
    expect(tests).toMatchObject([{ result: { response: { body: answer } } }])
  })
})

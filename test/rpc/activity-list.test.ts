import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { OccurrenceCounts, OccurrencePage, OccurrenceSelection } from '#shared/model/activity.ts'
import { RunPage } from '#shared/model/run.ts'
import { createAction, testAction } from '../support/actions.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { createConnection, errorCode, type Rest } from '../support/rest-client.ts'
import { postInbound, type ServiceFixture, startOfTests, startService } from '../support/service-fixture.ts'

const day = 86_400_000

type Page = z.infer<typeof OccurrencePage>

async function page(rest: Rest, query = ''): Promise<Page> {
  const { status, body } = await rest('GET', `/activity/list?${query}`)
  expect(status).toBe(200)
  return OccurrencePage.parse(body)
}

/** Reads all pages. */
async function all(rest: Rest, query = '', limit = 200): Promise<Page['items']> {
  const items: Page['items'] = []
  for (let before = ''; ; ) {
    const read = await page(rest, `limit=${limit}&${query}${before}`)
    items.push(...read.items)
    if (read.nextBefore === null) return items
    before = `&before=${read.nextBefore}`
  }
}

const counts = async (rest: Rest, query = '') =>
  OccurrenceCounts.parse((await rest('GET', `/activity/counts?${query}`)).body)

/** Returns a word for an item: the name of its event, its tool, its code or its type. */
const word = (item: Page['items'][number]) =>
  'eventName' in item
    ? item.eventName
    : 'toolName' in item
      ? item.toolName
      : 'code' in item
        ? item.code
        : item.type

const words = async (rest: Rest, query = '', limit = 200) => (await all(rest, query, limit)).map(word)

/**
 * Two connections, one that logs its events and one that does not, each with events, a refused request and a call;
 * and a request with an unknown token.
 */
async function busyService() {
  const system = await startExternalSystem((request, response) => {
    response.statusCode = request.url === '/gone' ? 404 : 200
    response.end('{}')
  })
  const fixture = await startService()
  const { rest, clock } = fixture
  const made = []
  for (const persistEvents of [true, false]) {
    const connection = await createConnection(rest, { baseUrl: system.url, persistEvents })
    const { connectionId, credentials } = connection
    const name = persistEvents ? 'logged' : 'memory'
    const post = async (event: string, data: object, secret = credentials.signingSecret) => {
      clock.now += 1000
      const text = JSON.stringify({ event, data })
      return postInbound({ ...credentials, signingSecret: secret }, text, clock.now)
    }
    await post(`${name}.first`, { order_id: 'ORD-1' })
    await post(`${name}.second`, { note: 'Größe' })
    await post(`${name}.refused`, { note: 'größe' }, `${credentials.signingSecret}\n`)
    const { actionId } = await createAction(rest, connectionId, { toolName: `${name}_gone`, path: '/gone' })
    clock.now += 1000
    await testAction(rest, { connectionId, actionId })
    made.push(connection)
  }
  const [logged, memory] = made as [(typeof made)[0], (typeof made)[0]]
  clock.now += 1000
  await postInbound(
    { ...logged.credentials, inboundUrl: `${fixture.listenerUrl}/api/connect/none/events` },
    '{"event":"stray"}',
    clock.now,
  )
  await diagnosed(fixture, 2)
  return { fixture, rest, logged, memory }
}

/** Waits until as many refused requests have their diagnosis. */
async function diagnosed({ rest }: ServiceFixture, count: number): Promise<void> {
  await expect.poll(async () => (await counts(rest)).byCause.secret_with_whitespace).toBe(count)
}

const newestFirst = [
  ...['unknown_token', 'memory_gone', 'invalid_signature', 'memory.second', 'memory.first'],
  ...['logged_gone', 'invalid_signature', 'logged.second', 'logged.first'],
]

describe('the list of what happened', () => {
  test('has everything over all connections, newest first, whatever keeps it', async () => {
    const { rest, logged } = await busyService()
    expect(await words(rest)).toEqual(newestFirst)
    for (const limit of [1, 2, 5]) expect(await words(rest, '', limit)).toEqual(newestFirst)
    const items = await all(rest)
    expect(items.map(({ id }) => id)).toEqual(
      items
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    )
    expect(items.at(-1)).toEqual({
      type: 'event.accepted',
      id: expect.any(String),
      at: new Date(startOfTests + 1000).toISOString(),
      connectionId: logged.connectionId,
      eventId: expect.stringMatching(/^evt_/),
      eventName: 'logged.first',
      declared: false,
      bytes: 52,
      subject: 'ORD-1',
      stored: true,
      repeat: false,
      previousSecret: false,
      duplicateOf: null,
      tookMs: expect.any(Number),
    })
    expect(items[2]).toMatchObject({
      type: 'event.rejected',
      attemptId: `att_${items[2]?.id}`,
      diagnosis: { code: 'secret_with_whitespace' },
    })
  })

  test('filters by connection, kind, cause, name, text and time, and counts with the same filters', async () => {
    const { rest, logged, memory } = await busyService()
    const from = new Date(startOfTests + 5000).toISOString()
    const cases: readonly (readonly [query: string, expected: readonly string[]])[] = [
      [`connectionId=${logged.connectionId}`, newestFirst.slice(5)],
      [`connectionId=${memory.connectionId}`, newestFirst.slice(1, 5)],
      ['kinds=event.accepted', newestFirst.filter(name => name.includes('.'))],
      ['kinds=event.rejected,call.finished', newestFirst.filter(name => !name.includes('.'))],
      ['cause=http_404', ['memory_gone', 'logged_gone']],
      ['cause=secret_with_whitespace', ['invalid_signature', 'invalid_signature']],
      ['cause=unknown_token', ['unknown_token']],
      ['eventName=memory.first', ['memory.first']],
      ['eventName=logged.second', ['logged.second']],
      ['text=ord-1', ['memory.first', 'logged.first']],
      [
        `text=${encodeURIComponent('GRÖẞE'.replace('ẞ', 'ß'))}`,
        ['memory.second', 'invalid_signature', 'logged.second'],
      ],
      ['text=logged_gone', ['logged_gone']],
      ['text=invalid_SIGNATURE', ['invalid_signature', 'invalid_signature']],
      ['text=unknown_TOKEN', ['unknown_token']],
      [`since=${encodeURIComponent(from)}`, newestFirst.slice(0, 5)],
      [`until=${startOfTests + 5000}`, newestFirst.slice(5)],
      ['eventName=none', []],
    ]
    for (const [query, expected] of cases) {
      expect([query, await words(rest, query)]).toEqual([query, expected])
      expect([query, (await counts(rest, query)).total]).toEqual([query, expected.length])
    }
    expect(await counts(rest)).toEqual({
      total: 9,
      byKind: { 'event.accepted': 4, 'event.rejected': 3, 'call.finished': 2 },
      byCause: { secret_with_whitespace: 2, unknown_token: 1, http_404: 2 },
      complete: true,
    })
  })

  test('shows around the text that was searched why an event was found, and otherwise nothing of its body', async () => {
    const { rest } = await busyService()
    const excerpts = async (query: string) =>
      (await all(rest, query)).map(item => ('eventId' in item ? item.excerpt : null))
    expect(await excerpts('text=ord-1')).toEqual([
      'ent":"memory.first","data":{"order_id":"ORD-1"}}',
      'ent":"logged.first","data":{"order_id":"ORD-1"}}',
    ])
    expect(await excerpts('kinds=event.accepted')).toEqual([undefined, undefined, undefined, undefined])
  })

  test('returns and counts what is newer than an item', async () => {
    const { rest } = await busyService()
    const items = await all(rest)
    for (const [index, { id }] of items.entries())
      expect((await counts(rest, `after=${id}`)).total).toBe(index)
    expect(await counts(rest, `after=${items[3]?.id}&kinds=call.finished`)).toMatchObject({
      total: 1,
      byKind: { 'call.finished': 1 },
    })
    expect(await words(rest, `after=${items[3]?.id}`)).toEqual(newestFirst.slice(0, 3))
    expect((await page(rest, `after=${items[0]?.id}`)).items).toEqual([])
    expect(await page(rest, `after=${items[3]?.id}&limit=2`)).toMatchObject({
      items: items.slice(0, 2),
      nextBefore: items[1]?.id,
    })
  })

  test('has each item by its own id and by that of what it is about', async () => {
    const { fixture, rest } = await busyService()
    const items = await all(rest)
    for (const item of items)
      for (const id of [item.id, ...('eventId' in item ? [item.eventId] : []), `call_${item.id}`])
        expect((await rest('GET', `/activity/items/${id}`)).body).toEqual(item)
    const ids = items.flatMap(item => ('attemptId' in item ? (item.attemptId ?? []) : []))
    expect(ids).toHaveLength(3)
    for (const id of ids)
      expect((await rest('GET', `/activity/items/${id}`)).body).toMatchObject({ attemptId: id })
    fixture.clock.now += 1000
    for (const id of ['evt_00000000000', 'nonsense', 'evt_']) {
      const answer = await rest('GET', `/activity/items/${id}`)
      expect([id, answer.status, errorCode(answer)]).toEqual([id, 404, 'activity_item_not_found'])
    }
    await fixture.restart()
    const lost = items.find(item => item.type === 'event.accepted' && !item.stored)
    expect((await rest('GET', `/activity/items/${lost?.id}`)).status).toBe(404)
  })

  test('makes the diagnoses that a flood left out, once somebody reads it', async () => {
    const { rest, memory, fixture } = await busyService()
    const secret = `${memory.credentials.signingSecret}\n`
    await Promise.all(
      Array.from({ length: 12 }, () =>
        postInbound({ ...memory.credentials, signingSecret: secret }, '{"event":"a"}', fixture.clock.now),
      ),
    )
    await diagnosed(fixture, 12)
    await page(rest)
    await diagnosed(fixture, 14)
  })

  test('says at its end whether older ones may have been deleted', async () => {
    const { fixture, rest, logged } = await busyService()
    expect((await page(rest, 'limit=3')).end).toBeNull()
    expect((await page(rest)).end).toEqual({ reason: 'start' })
    fixture.clock.now += 8 * day
    const attempts = { kinds: ['event.rejected'], days: 7, count: 200 }
    expect((await page(rest)).end).toEqual({
      reason: 'retention',
      keptDays: 7,
      keptCount: 200,
      kept: [attempts],
    })
    await rest('PATCH', `/connections/${logged.connectionId}`, { retention: { maxEvents: 2, maxDays: 30 } })
    const events = { kinds: ['event.accepted', 'event.replayed'], days: 30, count: 2 }
    expect((await page(rest, `connectionId=${logged.connectionId}`)).end).toEqual({
      reason: 'retention',
      kept: [events, attempts],
    })
    expect((await page(rest, 'kinds=call.finished')).end).toEqual({ reason: 'start' })
  })

  test('says at its end whether older ones may have been in memory only', async () => {
    const fixture = await startService()
    const { rest, clock } = fixture
    const made = []
    for (const persistEvents of [true, false]) {
      const connection = await createConnection(rest, { persistEvents })
      await postInbound(connection.credentials, '{"event":"first"}', ++clock.now)
      made.push(connection.connectionId)
    }
    const [logged, memory] = made.map(connectionId => `connectionId=${connectionId}`)
    const expectReasons = async (expected: readonly (readonly [query: string, reason: string])[]) => {
      const read = expected.map(async ([query]) => [query, (await page(rest, query)).end?.reason])
      expect(await Promise.all(read)).toEqual(expected)
    }
    await expectReasons([
      ['', 'start'],
      [`${memory}`, 'start'],
    ])

    clock.now += 1000
    await fixture.restart()
    await expectReasons([
      ['', 'memory'],
      [`${memory}`, 'memory'],
      [`${memory}&kinds=event.replayed`, 'memory'],
      [`${memory}&kinds=event.repeated`, 'start'],
      [`${memory}&kinds=event.rejected,call.finished`, 'start'],
      [`${memory}&cause=http_404`, 'start'],
      [`${logged}`, 'start'],
    ])

    // Events that were not logged before stay gone.
    await rest('PATCH', `/connections/${made[1]}`, { persistEvents: true })
    await rest('PATCH', `/connections/${made[0]}`, { ignoreRepeats: true })
    await expectReasons([
      [`${memory}`, 'memory'],
      [`${logged}&kinds=event.repeated`, 'memory'],
      [`${logged}&kinds=call.finished`, 'start'],
    ])
  })

  test('compares the limits of the log with the events of each connection, whatever kinds are asked for', async () => {
    const { rest, clock } = await startService()
    const retention = { maxEvents: 3, maxDays: 30 }
    const made = []
    for (const count of [2, 2]) {
      const connection = await createConnection(rest, { persistEvents: true })
      await rest('PATCH', `/connections/${connection.connectionId}`, { retention })
      for (let index = 0; index < count; index++)
        await postInbound(connection.credentials, `{"event":"number.${index}"}`, ++clock.now)
      made.push(connection)
    }
    const [{ connectionId }] = made as [(typeof made)[0]]
    expect((await page(rest)).end).toEqual({ reason: 'start' })

    const [first] = await all(rest, `connectionId=${connectionId}`)
    const eventId = first !== undefined && 'eventId' in first ? first.eventId : ''
    clock.now += 1000
    await rest('POST', `/connections/${connectionId}/events/${eventId}/replay`)
    const kept = { days: 30, count: 3 }
    expect((await page(rest)).end?.kept).toEqual([{ kinds: ['event.accepted', 'event.replayed'], ...kept }])
    for (const kind of ['event.replayed', 'event.accepted'])
      expect((await page(rest, `kinds=${kind}`)).end?.kept).toEqual([{ kinds: [kind], ...kept }])
  })

  test('of a workspace has what belongs to no connection, but nothing of connections elsewhere', async () => {
    const { rest } = await busyService()
    const { body } = await rest('POST', '/workspaces', { name: 'Other' })
    const workspaceId: unknown = Object(body).workspaceId
    expect(workspaceId).toEqual(expect.any(String))
    expect(await words(rest, `workspaceId=${workspaceId}`)).toEqual(['unknown_token'])
    expect(OccurrenceSelection.shape.workspaceId.description).toContain('what belongs to no connection')
  })

  test('keeps after a restart what is stored, under the same ids', async () => {
    const { fixture, rest } = await busyService()
    const before = (await all(rest)).filter(item => item.type !== 'event.accepted' || item.stored)
    await fixture.restart()
    const after = await all(rest)
    const untimed = (items: Page['items']) => items.map(item => ({ ...item, tookMs: 0 }))
    expect(untimed(after)).toEqual(untimed(before))
  })

  test('loses what is deleted: an event, the events of a connection, and a connection', async () => {
    const { rest, logged } = await busyService()
    const events = `/connections/${logged.connectionId}/events`
    const [first] = await all(rest, 'eventName=logged.first')
    await rest('DELETE', `${events}/${first !== undefined && 'eventId' in first ? first.eventId : ''}`)
    expect(await words(rest)).toEqual(newestFirst.slice(0, -1))
    await rest('DELETE', events)
    expect(await words(rest)).toEqual(newestFirst.slice(0, -2))
    await rest('DELETE', `/connections/${logged.connectionId}`)
    expect(await words(rest)).toEqual(newestFirst.slice(0, 5))
  })

  test('fills a page of replays with those among other events, and one of events with those among replays', async () => {
    const { fixture, rest, logged } = await busyService()
    const [first] = await all(rest, 'eventName=logged.first')
    const eventId = first !== undefined && 'eventId' in first ? first.eventId : ''
    const replay = () => rest('POST', `/connections/${logged.connectionId}/events/${eventId}/replay`)
    for (const event of ['other.1', 'other.2', 'other.3']) {
      await replay()
      await postInbound(logged.credentials, JSON.stringify({ event }), ++fixture.clock.now)
    }
    for (const only of ['', `&connectionId=${logged.connectionId}`]) {
      expect((await page(rest, `kinds=event.replayed&limit=3${only}`)).items).toHaveLength(3)
      const events = await page(rest, `kinds=event.accepted&limit=3${only}`)
      expect(events.items.map(word)).toEqual(['other.3', 'other.2', 'other.1'])
    }
  })

  test('marks a replay, and has a repeat that was ignored', async () => {
    const { fixture, rest, logged } = await busyService()
    const [first] = await all(rest, 'eventName=logged.first')
    const eventId = first !== undefined && 'eventId' in first ? first.eventId : ''
    fixture.clock.now += 1000
    await rest('POST', `/connections/${logged.connectionId}/events/${eventId}/replay`)
    await rest('PATCH', `/connections/${logged.connectionId}`, { ignoreRepeats: true })
    for (const _ of [1, 2]) await postInbound(logged.credentials, '{"event":"twice"}', fixture.clock.now)
    expect((await page(rest, 'limit=3')).items).toMatchObject([
      { type: 'event.repeated', eventName: 'twice' },
      { type: 'event.accepted', eventName: 'twice' },
      { type: 'event.replayed', eventName: 'logged.first', replayOf: eventId, subject: 'ORD-1' },
    ])
    expect(await words(rest, 'kinds=event.replayed')).toEqual(['logged.first'])
    expect(await words(rest, 'kinds=event.repeated')).toEqual(['twice'])
    expect(await counts(rest, 'kinds=event.replayed')).toMatchObject({
      total: 1,
      byKind: { 'event.replayed': 1 },
      complete: true,
    })
  })

  test('refuses what it does not know', async () => {
    const { rest } = await startService()
    const ask = async (query: string) => errorCode(await rest('GET', `/activity/list?${query}`))
    expect(await ask('connectionId=conn_none')).toBe('connection_not_found')
    expect(await ask('workspaceId=ws_none')).toBe('workspace_not_found')
    expect(errorCode(await rest('GET', '/activity/counts?after=x'))).toBe('invalid_input')
    for (const query of [
      'kinds=none',
      'before=x',
      'after=evt_',
      'limit=201',
      'since=1795290958',
      'nonsense=1',
    ])
      expect([query, await ask(query)]).toEqual([query, 'invalid_input'])
  })
})

test('the activity and the runs name an event by the same value, logged or not', async () => {
  const { rest, clock } = await startService()
  const trigger = { type: 'external.event', connectionId: null, eventName: null }
  // The payload of an event that is not logged is deleted once its run has ended.
  const steps = [{ key: 'wait', type: 'wait', seconds: 3600 }]
  await rest('POST', '/workflows', { name: 'W', trigger, steps })
  for (const persistEvents of [true, false]) {
    const { credentials } = await createConnection(rest, { persistEvents })
    for (const [event, data] of [
      ['order.paid', { note: 'x', total: 5, warehouse_id: 'GOT', order_id: 'ORD-1' }],
      ['stock.adjusted', { delta: 3, item: { sku: 'KB-87' } }],
      ['order.large', { order_id: 'ORD-2', note: 'x'.repeat(20_000) }],
      ['order.none', { note: 'x', total: 5 }],
    ] as const)
      await postInbound(credentials, JSON.stringify({ event, data }), ++clock.now)
  }
  const pairs = (items: readonly { readonly eventName: string; readonly subject: string | null }[]) =>
    items.map(({ eventName, subject }) => [eventName, subject])
  const listed = (await all(rest, 'kinds=event.accepted')).flatMap(item => ('eventId' in item ? item : []))
  const names = ['order.none', 'order.large', 'stock.adjusted', 'order.paid']
  const subjects = [null, null, 'KB-87', 'ORD-1']
  const expected = [...names, ...names].map((name, index) => [name, subjects[index % 4]])
  expect(pairs(listed)).toEqual(expected)
  expect(pairs(RunPage.parse((await rest('GET', '/runs')).body).runs)).toEqual(expected)
})

test('the only connection has no requests that belong to none, and nothing of a deleted one', async () => {
  const { service, rest, clock, listenerUrl } = await startService()
  const first = service.storage.config.snapshot()
  const gone = await createConnection(rest)
  await postInbound(gone.credentials, '{"event":"order.gone","data":{}}', ++clock.now)
  await service.storage.config.update(() => ({ next: first, result: null }))
  const { connectionId, credentials } = await createConnection(rest)
  await postInbound(credentials, '{"event":"order.paid","data":{}}', ++clock.now)
  await fetch(`${listenerUrl}/api/connect/unknown/events`, { method: 'POST', body: '{}' })
  const ofAll = ['order.paid', 'unknown_token']
  await expect.poll(async () => (await words(rest)).toSorted()).toEqual(ofAll)
  expect(await words(rest, `connectionId=${connectionId}`)).toEqual(['order.paid'])
})

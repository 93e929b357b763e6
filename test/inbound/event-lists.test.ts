import { expect, test } from 'vitest'
import { openOwnSender } from '../support/own-sender.ts'

const itemsOf = (items: string) => ({ data: { items } })

test.each([
  ['body', (list: string) => list],
  ['events', (list: string) => `{"events":${list},"entropy":"x"}`],
  ['data.events', (list: string) => `{"data":{"events":${list}}}`],
])('each item of the list at %s is an event of its own', async (items, wrap) => {
  const { fixture, post, stored, texts } = await openOwnSender(itemsOf(items))
  const list = '[{"type":"a","id":12345678901234567890,"price":1.10},{"type":"b","id":2}]'
  expect(await post(wrap(list))).toEqual({ status: 200, ok: true, events: 2 })
  expect(await texts()).toEqual([
    '{"event":"a","data":{"type":"a","id":12345678901234567890,"price":1.10}}',
    '{"event":"b","data":{"type":"b","id":2}}',
  ])
  const events = await stored()
  expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(2)
  expect(fixture.outcomes).toMatchObject([
    { kind: 'event.accepted', eventName: 'a', stored: true, id: events[1]?.eventId },
    { kind: 'event.accepted', eventName: 'b', stored: true, id: events[0]?.eventId },
  ])
  expect(await post(wrap('[{"type":"c"}]'))).toEqual({ status: 200, ok: true, events: 1 })
})

test('the name is read in the item first, then in the body', async () => {
  const eventName = [{ path: 'changes.0.field' }, { path: 'object' }]
  const { post, stored } = await openOwnSender({ eventName, data: { items: 'entry' } })
  const entries = '[{"changes":[{"field":"messages"},{"field":"calls"}]},{"messaging":[]}]'
  expect(await post(`{"object":"page","entry":${entries}}`)).toEqual({ status: 200, ok: true, events: 2 })
  expect((await stored()).map(({ eventName: name }) => name)).toEqual(['page', 'messages'])
})

test.each([
  [{ header: 'X-Topic' }, 'orders'],
  [{ constant: 'change' }, 'change'],
  [[{ path: 'kind' }, { header: 'X-Topic' }], 'orders'],
])('a name outside the list is the same for all: %j', async (eventName, name) => {
  const { post, stored } = await openOwnSender({ eventName, data: { items: 'body' } })
  expect(await post('[{"a":1},{"a":2}]', { 'X-Topic': 'orders' })).toMatchObject({ events: 2 })
  expect((await stored()).map(one => one.eventName)).toEqual([name, name])
})

test('a path that leads to one item alone names no other', async () => {
  const { post, stored } = await openOwnSender({ eventName: { path: 'events.0.type' }, ...itemsOf('events') })
  expect(await post('{"events":[{"type":"a"},{"type":"b"}]}')).toMatchObject({ error: 'missing_event' })
  expect(await stored()).toEqual([])
})

test('a field of a form may hold the list as JSON', async () => {
  const { post, texts } = await openOwnSender({ body: 'form', ...itemsOf('mandrill_events') })
  const list = encodeURIComponent('[{"type":"send","ts":1.50},{"type":"open"}]')
  expect(await post(`mandrill_events=${list}`)).toMatchObject({ status: 200, events: 2 })
  expect(await texts()).toEqual([
    '{"event":"send","data":{"type":"send","ts":1.50}}',
    '{"event":"open","data":{"type":"open"}}',
  ])
})

const events = (count: number, change: (index: number) => object = () => ({})) =>
  JSON.stringify(Array.from({ length: count }, (_, index) => ({ type: 'a', index, ...change(index) })))

test('a thousand events are taken, and 1,001 are refused', async () => {
  const { kinds, post, stored, attempts } = await openOwnSender(itemsOf('body'))
  expect(await post(events(1001))).toMatchObject({ status: 400, error: 'too_many_events' })
  expect(await stored()).toEqual([])
  expect(await attempts()).toMatchObject([{ code: 'too_many_events' }])
  expect(await post(events(1000))).toEqual({ status: 200, ok: true, events: 1000 })
  expect(kinds().filter(kind => kind === 'event.accepted')).toHaveLength(1000)
})

test.each([
  ['is not an object', 'invalid_data', () => 'text'],
  ['is a list', 'invalid_data', () => []],
  ['has no name', 'missing_event', () => ({ index: 612 })],
  ['has a name that is not a text', 'invalid_event', () => ({ type: 7 })],
])('nothing of a list is stored if one of a thousand %s, and the attempt names it', async (_, code, bad) => {
  const { post, stored, kinds, attempts } = await openOwnSender(itemsOf('body'))
  const list: unknown[] = JSON.parse(events(1000))
  list[612] = bad()
  const refused = await post(JSON.stringify(list))
  expect(refused).toMatchObject({ status: 400, ok: false, error: code })
  expect(refused.message).toMatch(/^Event 612 of the list: /)
  expect(await stored()).toEqual([])
  expect(kinds()).toEqual(['event.rejected'])
  expect(await attempts()).toMatchObject([{ code, data: { index: 612 } }])
})

test.each([
  ['{"events":{}}', 'invalid_data'],
  ['{"events":"no list"}', 'invalid_data'],
  ['{"events":null}', 'missing_event'],
  ['{}', 'missing_event'],
  ['{"events":[]}', 'missing_event'],
  ['{"events":[', 'invalid_json'],
  ['7', 'missing_event'],
])('%s has no list of events', async (body, error) => {
  const { post, stored } = await openOwnSender(itemsOf('events'))
  expect(await post(body)).toMatchObject({ status: 400, error })
  expect(await stored()).toEqual([])
})

test('an empty list is a request without an event where its connection accepts that', async () => {
  const { fixture, post, stored } = await openOwnSender({ ...itemsOf('events'), empty: 'accept' })
  const intent = '{"events":[],"entropy":"S0m3r4nd0mt3xt"}'
  expect(await post(intent)).toEqual({ status: 200, ok: true, events: 0 })
  expect(await stored()).toEqual([])
  expect(fixture.outcomes).toMatchObject([
    { kind: 'event.accepted', eventName: '(no event)', stored: false, bodyText: intent },
  ])
  // An event without a name is still refused, because it would be lost.
  expect(await post('{"events":[{"type":"a"},{}]}')).toMatchObject({ status: 400, error: 'missing_event' })
})

test('a repeat of the request is a repeat of each of its events', async () => {
  const { post, stored, kinds } = await openOwnSender(itemsOf('body'))
  const answer = { status: 200, ok: true, events: 3 }
  // The second arrives while the first is being stored.
  expect(await Promise.all([post(events(3)), post(events(3))])).toEqual([answer, answer])
  expect(await post(events(3))).toEqual(answer)
  expect(await stored()).toHaveLength(3)
  expect(kinds()).toEqual([
    ...Array.from({ length: 3 }, () => 'event.accepted'),
    ...Array.from({ length: 6 }, () => 'event.repeated'),
  ])
})

test('the events of a connection that stores none have their records', async () => {
  const { fixture, post, stored } = await openOwnSender(itemsOf('body'), {
    connection: { persistEvents: false },
  })
  expect(await post(events(2))).toMatchObject({ status: 200, events: 2 })
  expect(await stored()).toEqual([])
  expect(fixture.outcomes).toMatchObject([
    { kind: 'event.accepted', bodyText: '{"type":"a","index":0}', stored: false },
    { kind: 'event.accepted', bodyText: '{"type":"a","index":1}', stored: false },
  ])
})

test('a stored event of a list can be replayed after the scheme has changed', async () => {
  const { fixture, post, stored, texts } = await openOwnSender(itemsOf('events'))
  await post('{"events":[{"type":"a","n":1.10},{"type":"b"}]}')
  const [, first] = await stored()
  await fixture.change({ sender: { scheme: 'custom-connection' } })
  const known = fixture.inbound.directory.byId(fixture.connection.connectionId)
  if (first === undefined || known === undefined) throw new Error('The event is not there.')
  await fixture.inbound.receiver.replay(first, known.record)
  expect((await texts()).at(-1)).toBe('{"event":"a","data":{"type":"a","n":1.10}}')
})

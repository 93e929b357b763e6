import { describe, expect, test } from 'vitest'
import { countOf } from '../storage/event-log-events.ts'
import { type InboundFixtureOptions, startInbound } from '../support/inbound-fixture.ts'

async function triggerFrom(body: string, options?: InboundFixtureOptions) {
  const fixture = await startInbound(options)
  expect((await fixture.post({ body })).status).toBe(200)
  const [trigger] = fixture.triggers
  if (trigger === undefined) throw new Error('No trigger was raised.')
  return { fixture, trigger }
}

describe('the trigger of an event', () => {
  test('names the event and the connection, and carries the data at the top', async () => {
    const { fixture, trigger } = await triggerFrom(
      '{"event":"order.created","data":{"orderId":42,"lines":[{"sku":"a"}]}}',
    )
    expect(trigger).toEqual({
      eventId: expect.stringMatching(/^evt_[0-9a-z]{11}$/),
      connectionId: fixture.connection.connectionId,
      eventName: 'order.created',
      receivedAt: fixture.clock.now,
      repeat: false,
      replayOf: null,
      payload: {
        orderId: 42,
        lines: [{ sku: 'a' }],
        eventName: 'order.created',
        connectionId: fixture.connection.connectionId,
      },
    })
    expect((await fixture.stored(fixture.connection.connectionId))[0]?.eventId).toBe(trigger.eventId)
  })

  test.each(['{"event":"a"}', '{"event":"a","data":{}}', '{"event":"a","data":null}'])(
    'of %s holds the two keys of the service alone',
    async body => {
      const { trigger } = await triggerFrom(body)
      expect(trigger.payload).toEqual({ eventName: 'a', connectionId: 'conn_first' })
    },
  )

  test('is raised for an undeclared event, and where nothing is stored', async () => {
    const { fixture } = await triggerFrom('{"event":"a"}', { connection: { persistEvents: false } })
    expect(await countOf(fixture.log, fixture.connection.connectionId)).toBe(0)
    expect(fixture.outcomes).toMatchObject([{ kind: 'event.accepted', stored: false }])
  })

  test('leaves out what is beside event and data', async () => {
    const { fixture, trigger } = await triggerFrom('{"id":7,"event":"a","data":{"x":1},"meta":{"y":2}}')
    expect(Object.keys(trigger.payload)).toEqual(['x', 'eventName', 'connectionId'])
    const [stored] = await fixture.stored(fixture.connection.connectionId)
    expect(stored?.bodyText).toContain('"meta":{"y":2}')
  })

  test('keeps the digits of numbers that JavaScript cannot hold', async () => {
    const data = '{"id":9007199254740993,"huge":1e400,"minus":-0,"price":12.34}'
    const { trigger } = await triggerFrom(`{"event":"a","data":${data}}`)
    expect(JSON.stringify(trigger.payload)).toContain(data.slice(1, -1))
    expect(trigger.payload.price).toBe(12.34)
  })

  test('has a payload whose __proto__ is data and whose prototype is the usual one', async () => {
    const { trigger } = await triggerFrom('{"event":"a","data":{"__proto__":{"isAdmin":true}}}')
    expect(Object.getPrototypeOf(trigger.payload)).toBe(Object.prototype)
    expect(trigger.payload.isAdmin).toBeUndefined()
    expect(Object.getOwnPropertyDescriptor(trigger.payload, '__proto__')?.value).toEqual({ isAdmin: true })
  })
})

test('event ids grow with the order of arrival, whatever the clock does', async () => {
  const fixture = await startInbound()
  for (const step of [0, 5, 0, -3_000, 1]) {
    fixture.clock.now += step
    await fixture.post({ body: `{"event":"a","data":{"step":${step}}}` })
  }
  const ids = fixture.triggers.map(({ eventId }) => eventId)
  expect(ids).toHaveLength(5)
  expect([...new Set(ids)].sort()).toEqual(ids)
})

describe('a replay', () => {
  test('raises the trigger again under an id of its own, marked, with the original digits, and stores it', async () => {
    const { fixture, trigger } = await triggerFrom(
      '{"event":"a","data":{"n":9007199254740993,"connectionId":"x"}}',
    )
    const { connectionId } = fixture.connection
    const [original] = await fixture.stored(connectionId)
    const record = fixture.store.snapshot().connections.get(connectionId)
    if (original === undefined || record === undefined) throw new Error('It was stored.')
    fixture.clock.now += 1000
    const replayId = await fixture.inbound.receiver.replay(original, record)
    const replay = fixture.triggers[1]
    expect(replay).toMatchObject({
      eventId: replayId,
      replayOf: trigger.eventId,
      receivedAt: fixture.clock.now,
      repeat: false,
    })
    expect(JSON.stringify(replay?.payload)).toBe(JSON.stringify(trigger.payload))
    const [stored] = await fixture.stored(connectionId)
    expect(stored).toEqual({
      ...original,
      eventId: replayId,
      receivedAt: fixture.clock.now,
      replayOf: original.eventId,
    })
    expect(fixture.outcomes.at(-1)).toMatchObject({ kind: 'event.replayed', replayOf: trigger.eventId })
  })

  test('stores nothing where events are not logged', async () => {
    const { fixture } = await triggerFrom('{"event":"a"}')
    const { connectionId } = fixture.connection
    const [original] = await fixture.stored(connectionId)
    await fixture.change({ persistEvents: false })
    const record = fixture.store.snapshot().connections.get(connectionId)
    if (original === undefined || record === undefined) throw new Error('It was stored.')
    await fixture.inbound.receiver.replay(original, record)
    expect(fixture.triggers).toHaveLength(2)
    expect(await countOf(fixture.log, connectionId)).toBe(1)
  })
})

test('a stored copy has the headers as sent, less the signature, and the body as sent', async () => {
  const fixture = await startInbound()
  const body = ' {"event" : "a",\r\n\t"data":{"b":1,"a":1.50}} '
  await fixture.post({
    body,
    headers: ['X-Mixed-Case: a', 'x-empty:', 'X-Twice: 1', 'X-Twice: 2', 'X-Colon: a: b'],
  })
  const [event] = await fixture.stored(fixture.connection.connectionId)
  expect(event?.bodyText).toBe(body)
  expect(event?.headerLines.split('\n')).toEqual([
    'Host: connect.example',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `x-service-timestamp: ${fixture.clock.now}`,
    'X-Mixed-Case: a',
    'x-empty: ',
    'X-Twice: 1',
    'X-Twice: 2',
    'X-Colon: a: b',
  ])
})

import { describe, expect, test } from 'vitest'
import { ActivityItem } from '#shared/model/activity.ts'
import { startOfTests } from '../support/connection-records.ts'
import { type InboundFixture, startInbound } from '../support/inbound-fixture.ts'
import { take } from '../support/take.ts'

const all = () => true

/** The items of the fixture's feed that are there by now, each as the interface describes it. */
async function itemsOf(
  { activity, outcomes, diagnosed }: InboundFixture,
  lastId: string | null = null,
  count = outcomes.length + diagnosed.length,
) {
  const items = await take(activity.follow({ matches: all, lastId }), count)
  for (const item of items) expect(ActivityItem.parse(item)).toEqual(item)
  return items
}

describe('what the feed shows', () => {
  test('an accepted event, whether it was stored, declared, and what is notable', async () => {
    const at = new Date(startOfTests).toISOString()
    const declared = {
      eventTypeId: 'evtype_1',
      eventName: 'known',
      label: null,
      samplePayload: null,
      sampleText: null,
    }
    const eventTypes = [{ ...declared, createdAt: at, updatedAt: at }]
    const fixture = await startInbound({ connection: { persistEvents: false, eventTypes } })
    const body = '{"event":"known","data":{"connectionId":1,"\u20ac":2},"more":3}'
    await fixture.post({ body })
    await fixture.post({ body: '{"event":"unknown"}' }, fixture.other)
    expect(await itemsOf(fixture)).toEqual([
      {
        id: expect.any(String),
        at,
        type: 'event.accepted',
        connectionId: 'conn_first',
        eventId: fixture.triggers[0]?.eventId,
        eventName: 'known',
        declared: true,
        repeat: false,
        stored: false,
        previousSecret: false,
        duplicateOf: null,
        bodyText: body,
        bytes: Buffer.byteLength(body),
        notes: ['extra_fields', 'reserved_keys'],
        tookMs: expect.any(Number),
      },
      expect.objectContaining({ connectionId: 'conn_second', declared: false, stored: true, notes: [] }),
    ])
  })

  test('the first 64 KiB of a long body', async () => {
    const fixture = await startInbound()
    const body = JSON.stringify({ event: 'a', data: { fill: 'x'.repeat(100_000) } })
    await fixture.post({ body })
    const [item] = await itemsOf(fixture)
    expect(item).toMatchObject({ bodyText: body.slice(0, 64 * 1024), bytes: body.length })
  })

  test('a repeat: marked, or ignored', async () => {
    const fixture = await startInbound()
    await fixture.post()
    await fixture.post()
    await fixture.change({ ignoreRepeats: true })
    await fixture.post()
    expect(await itemsOf(fixture)).toMatchObject([
      { type: 'event.accepted', repeat: false },
      { type: 'event.accepted', repeat: true },
      { type: 'event.repeated' },
    ])
  })

  test('a refusal at once, and its diagnosis behind it and with it', async () => {
    const fixture = await startInbound()
    await fixture.post({ body: '{"event":"a"}', signedBody: '' })
    await expect.poll(() => fixture.outcomes.length).toBe(1)
    await fixture.post({ target: '/api/connect/unknown/events' })
    await expect.poll(() => fixture.outcomes.length).toBe(2)
    expect(await itemsOf(fixture)).toMatchObject([
      {
        type: 'event.rejected',
        connectionId: 'conn_first',
        code: 'invalid_signature',
        diagnosis: { code: 'empty_body' },
        bytes: 13,
      },
      {
        type: 'event.diagnosed',
        attemptId: fixture.outcomes[0]?.id,
        connectionId: 'conn_first',
        diagnosis: { code: 'empty_body' },
      },
      { type: 'event.rejected', connectionId: null, code: 'unknown_token', diagnosis: null },
    ])
  })

  test('how long a request took, to a hundredth of a millisecond, once its header fields were there', async () => {
    let looks = 0
    const fixture = await startInbound({
      connection: { persistEvents: false, ignoreRepeats: true },
      stopwatch: () => 10.1234 * looks++,
    })
    const posts = [{}, {}, { body: 'no JSON' }, { target: '/api/connect/unknown/events' }]
    for (const [index, request] of posts.entries()) {
      await fixture.post(request)
      await expect.poll(() => fixture.outcomes.length).toBe(index + 1)
    }
    const items = await itemsOf(fixture)
    expect(items.map(item => [item.type, 'tookMs' in item && item.tookMs])).toEqual([
      ['event.accepted', 10.12],
      ['event.repeated', 10.12],
      ['event.rejected', 10.12],
      ['event.rejected', 10.12],
    ])
  })

  test('a replay', async () => {
    const fixture = await startInbound()
    await fixture.post()
    const [original] = await fixture.stored('conn_first')
    const record = fixture.store.snapshot().connections.get('conn_first')
    if (original === undefined || record === undefined) throw new Error('It was stored.')
    const eventId = await fixture.inbound.receiver.replay(original, record)
    const [, replay] = await itemsOf(fixture)
    expect(replay).toMatchObject({
      type: 'event.replayed',
      eventId,
      replayOf: original.eventId,
      tookMs: null,
    })
  })

  test('one connection alone, behind an id', async () => {
    const fixture = await startInbound()
    await fixture.post()
    await fixture.post({}, fixture.other)
    const [first] = await itemsOf(fixture)
    await fixture.post({ body: '{"event":"second"}' })
    const own = fixture.activity.follow({
      matches: ({ connectionId }) => connectionId === 'conn_first',
      lastId: first?.id ?? null,
    })
    expect(await take(own, 1)).toMatchObject([{ eventName: 'second' }])
  })
})

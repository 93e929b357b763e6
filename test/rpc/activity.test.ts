import { describe, expect, test } from 'vitest'
import { openFeed } from '../support/event-feed.ts'
import { type CreatedConnection, createConnection, type Rest } from '../support/rest-client.ts'
import { postInbound, sharedService, startOfTests, startService } from '../support/service-fixture.ts'

/** For tests of the activity of one connection: that of others stays. */
const cleanService = sharedService()

const at = new Date(startOfTests).toISOString()
const send = (rest: Rest, { connectionId }: CreatedConnection, event: string) =>
  rest('POST', `/connections/${connectionId}/send`, { event })

describe('the activity feed', () => {
  test('tells what happens, as server-sent events', async () => {
    const fixture = await startService()
    const { rest } = fixture
    const connection = await createConnection(rest, { persistEvents: true })
    const { connectionId, credentials } = connection
    await rest('PATCH', `/connections/${connectionId}`, { ignoreRepeats: true })
    const feed = await openFeed(fixture)
    expect(feed.response.status).toBe(200)
    expect(feed.response.headers.get('content-type')).toBe('text/event-stream')

    const bodyText = '{"event":"a","data":{"eventName":1},"extra":true}'
    const event = { at, connectionId, eventName: 'a', declared: false, bodyText, bytes: bodyText.length }
    await postInbound(credentials, bodyText)
    const accepted = await feed.next()
    expect(accepted).toEqual({
      ...event,
      id: expect.any(String),
      type: 'event.accepted',
      eventId: expect.stringMatching(/^evt_/),
      repeat: false,
      stored: true,
      previousSecret: false,
      duplicateOf: null,
      notes: ['extra_fields', 'reserved_keys'],
      tookMs: expect.any(Number),
    })
    await postInbound(credentials, bodyText)
    expect(await feed.next()).toMatchObject({ ...event, type: 'event.repeated', tookMs: expect.any(Number) })
    const { body } = await rest('GET', `/connections/${connectionId}/events`)
    expect(body).toMatchObject({ events: [{ eventName: 'a' }] })
    const eventId = 'eventId' in accepted ? accepted.eventId : ''
    await rest('POST', `/connections/${connectionId}/events/${eventId}/replay`)
    expect(await feed.next()).toMatchObject({
      ...event,
      type: 'event.replayed',
      replayOf: eventId,
      tookMs: null,
    })
    await postInbound({ ...credentials, signingSecret: 'whsec_wrong' }, bodyText)
    const rejected = await feed.next()
    expect(rejected).toMatchObject({
      type: 'event.rejected',
      connectionId,
      code: 'invalid_signature',
      bytes: bodyText.length,
      tookMs: expect.any(Number),
    })
    const attemptId = rejected.type === 'event.rejected' ? rejected.attemptId : null
    expect(await feed.next()).toMatchObject({
      type: 'event.diagnosed',
      connectionId,
      attemptId,
      diagnosis: { code: 'unknown' },
    })
    await postInbound(
      { ...credentials, inboundUrl: `${fixture.listenerUrl}/api/connect/none/events` },
      bodyText,
    )
    expect(await feed.next()).toMatchObject({
      type: 'event.rejected',
      connectionId: null,
      code: 'unknown_token',
    })
  })

  test('marks what was signed with the secret before the last rotation', async () => {
    const fixture = await cleanService()
    const { connectionId, credentials } = await createConnection(fixture.rest)
    await fixture.rest('POST', `/connections/${connectionId}/rotate-secret`, { graceHours: 1 })
    await postInbound(credentials, '{"event":"a"}')
    const feed = await openFeed(fixture, `?connectionId=${connectionId}`)
    expect(await feed.next()).toMatchObject({ type: 'event.accepted', previousSecret: true })
  })

  test('goes on after the last item seen, without a gap, when a reader connects again', async () => {
    const fixture = await cleanService()
    const connection = await createConnection(fixture.rest)
    const feed = await openFeed(fixture, `?connectionId=${connection.connectionId}`)
    await send(fixture.rest, connection, 'one')
    const { id } = await feed.next()
    await send(fixture.rest, connection, 'two')
    await feed.next()
    feed.close()
    await send(fixture.rest, connection, 'three')
    const again = await openFeed(fixture, '', id)
    expect(await again.next()).toMatchObject({ eventName: 'two' })
    expect(await again.next()).toMatchObject({ eventName: 'three' })
    await send(fixture.rest, connection, 'four')
    expect(await again.next()).toMatchObject({ eventName: 'four' })
  })

  test('begins with what is kept for a reader that is new', async () => {
    const fixture = await cleanService()
    const connection = await createConnection(fixture.rest)
    await send(fixture.rest, connection, 'before')
    const feed = await openFeed(fixture, `?connectionId=${connection.connectionId}`)
    expect(await feed.next()).toMatchObject({ eventName: 'before' })
  })

  test('of one connection tells nothing of others', async () => {
    const fixture = await cleanService()
    const ours = await createConnection(fixture.rest)
    const theirs = await createConnection(fixture.rest)
    const feed = await openFeed(fixture, `?connectionId=${ours.connectionId}`)
    await send(fixture.rest, theirs, 'theirs')
    await send(fixture.rest, ours, 'ours')
    expect(await feed.next()).toMatchObject({ eventName: 'ours' })
    expect(feed.text()).not.toContain('theirs')
  })

  test('ids go on growing over a restart, so that a reader from before misses nothing new', async () => {
    const fixture = await startService()
    const connection = await createConnection(fixture.rest)
    await send(fixture.rest, connection, 'old')
    const { id } = await (await openFeed(fixture)).next()
    fixture.clock.now += 1
    await fixture.restart()
    await send(fixture.rest, connection, 'new')
    expect(await (await openFeed(fixture, '', id)).next()).toMatchObject({ eventName: 'new' })
  })

  test('does not hold up the end of the service', async () => {
    const fixture = await startService()
    const feed = await openFeed(fixture)
    await fixture.stop()
    await expect(feed.next()).rejects.toThrow()
  })
})

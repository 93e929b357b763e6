import { describe, expect, test } from 'vitest'
import { type LiveFeed, openLive } from '../support/event-feed.ts'
import { createConnection, errorCode } from '../support/rest-client.ts'
import { postInbound, sharedService, startService } from '../support/service-fixture.ts'

const cleanService = sharedService()

/** The messages up to the first of this type. */
async function upTo(feed: LiveFeed, type: string) {
  for (;;) {
    const next = await feed.next()
    if (next.message.type === type) return next
  }
}

describe('the live stream', () => {
  test('begins with the statistics of all, then tells what changes, as server-sent events', async () => {
    const fixture = await cleanService()
    const { rest } = fixture
    const { connectionId, credentials } = await createConnection(rest)
    const feed = await openLive(fixture)
    expect(feed.response.status).toBe(200)
    expect(feed.response.headers.get('content-type')).toBe('text/event-stream')
    expect(await feed.next()).toMatchObject({
      id: expect.stringMatching(/^0 /),
      message: { type: 'statistics', statistics: { connections: [{ connectionId, accepted: 0 }] } },
    })
    await rest('PATCH', `/connections/${connectionId}`, { name: 'Renamed' })
    expect(await feed.next()).toEqual({
      id: expect.stringMatching(/^0 /),
      message: { type: 'configuration' },
    })
    await postInbound(credentials, '{"event":"a"}')
    expect(await feed.next()).toMatchObject({
      id: expect.stringMatching(/^0 /),
      message: { type: 'statistics', statistics: { connections: [{ connectionId, accepted: 1 }] } },
    })
    await rest('PATCH', '/settings', { maxConnections: 100 })
    expect((await feed.next()).message).toEqual({ type: 'configuration' })
    expect(feed.text()).not.toContain('"activity"')
  })

  test('has the activity of one connection with ids, and goes on after one of them', async () => {
    const fixture = await cleanService()
    const { rest } = fixture
    const { connectionId, credentials } = await createConnection(rest)
    const other = await createConnection(rest)
    const query = `?activityOf=${connectionId}`
    const feed = await openLive(fixture, query)
    await postInbound(other.credentials, '{"event":"theirs"}')
    for (const event of ['one', 'two']) await postInbound(credentials, JSON.stringify({ event }))
    const one = await upTo(feed, 'activity')
    const [itemId] = one.id?.split(' ') ?? []
    expect(one).toMatchObject({ message: { item: { eventName: 'one', id: itemId } } })
    feed.close()
    await postInbound(credentials, '{"event":"three"}')
    // The id of the message, and that of the item in it.
    for (const id of [one.id, itemId]) {
      const again = await openLive(fixture, query, id)
      expect(await again.next()).toMatchObject({
        id: expect.stringMatching(new RegExp(`^${itemId} `)),
        message: { type: 'statistics' },
      })
      expect((await upTo(again, 'activity')).message).toMatchObject({ item: { eventName: 'two' } })
      expect((await upTo(again, 'activity')).message).toMatchObject({ item: { eventName: 'three' } })
      expect(again.text()).toContain('"configuration"')
    }
  })

  test('tells a reader that comes from another stream only what has changed after it', async () => {
    const fixture = await cleanService()
    const { rest } = fixture
    const { connectionId, credentials } = await createConnection(rest)
    const query = `?activityOf=${connectionId}`
    const { id = '' } = await (await openLive(fixture)).next()
    const since = (text: string) => openLive(fixture, `${query}&since=${encodeURIComponent(text)}`)
    await postInbound(credentials, '{"event":"a"}')
    const unchanged = await since(id)
    expect((await upTo(unchanged, 'activity')).message).toMatchObject({ item: { eventName: 'a' } })
    expect(unchanged.text()).not.toMatch(/"(configuration|runs.changed|listener)"/)

    await rest('PATCH', `/connections/${connectionId}`, { name: 'Renamed' })
    const changed = await since(id)
    expect((await upTo(changed, 'activity')).message).toMatchObject({ item: { eventName: 'a' } })
    expect(changed.text()).toContain('"configuration"')
    expect(changed.text()).not.toMatch(/"(runs.changed|listener)"/)

    // Not of this start of the service, so that anything may have changed.
    for (const text of ['', '0', id.replace('2026', '2025')]) {
      const other = await since(text)
      expect((await upTo(other, 'activity')).message).toMatchObject({ item: { eventName: 'a' } })
      for (const type of ['configuration', 'runs.changed', 'listener'])
        expect(other.text()).toContain(`"${type}"`)
    }
    expect((await rest('GET', `/live?since=${'1'.repeat(201)}`)).status).toBe(400)
  })

  test('that was followed before anything happened goes on with all of it', async () => {
    const fixture = await cleanService()
    const { connectionId, credentials } = await createConnection(fixture.rest)
    const query = `?activityOf=${connectionId}`
    const { id } = await (await openLive(fixture, query)).next()
    await postInbound(credentials, '{"event":"a"}')
    const again = await openLive(fixture, query, id)
    expect((await upTo(again, 'activity')).message).toMatchObject({ item: { eventName: 'a' } })
  })

  test('of a connection that is not there is an error', async () => {
    const { rest } = await cleanService()
    const answer = await rest('GET', '/live?activityOf=conn_none')
    expect([answer.status, errorCode(answer)]).toEqual([404, 'connection_not_found'])
  })

  test('does not hold up the end of the service', async () => {
    const fixture = await startService()
    const feed = await openLive(fixture)
    await feed.next()
    await fixture.stop()
    await expect(feed.next()).rejects.toThrow()
  })
})

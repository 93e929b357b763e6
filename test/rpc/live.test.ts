import { describe, expect, test } from 'vitest'
import { type LiveFeed, openLive } from '../support/event-feed.ts'
import { createConnection } from '../support/rest-client.ts'
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
  test('begins with an empty message, then tells what changes, as server-sent events', async () => {
    const fixture = await cleanService()
    const { rest } = fixture
    const { connectionId, credentials } = await createConnection(rest)
    const feed = await openLive(fixture)
    expect(feed.response.status).toBe(200)
    expect(feed.response.headers.get('content-type')).toBe('text/event-stream')
    expect(await feed.next()).toMatchObject({
      id: expect.stringMatching(/^2026/),
      message: { type: 'statistics', statistics: { connections: [] } },
    })
    await rest('PATCH', `/connections/${connectionId}`, { name: 'Renamed' })
    expect(await feed.next()).toEqual({
      id: expect.stringMatching(/^2026/),
      message: { type: 'configuration' },
    })
    await postInbound(credentials, '{"event":"a"}')
    expect((await feed.next()).message).toEqual({
      type: 'activity.changed',
      connectionIds: [connectionId],
      more: false,
    })
    expect((await feed.next()).message).toMatchObject({
      type: 'statistics',
      statistics: { connections: [{ connectionId, accepted: 1 }] },
    })
    await rest('PATCH', '/settings', { maxConnections: 100 })
    expect((await feed.next()).message).toEqual({ type: 'configuration' })
    expect(feed.text()).not.toContain('"bodyText"')
  })

  test('tells a reader that connects again that anything may have changed', async () => {
    const fixture = await cleanService()
    const feed = await openLive(fixture)
    const { id } = await feed.next()
    feed.close()
    const again = await openLive(fixture, '', id)
    expect(await again.next()).toMatchObject({ message: { type: 'statistics' } })
    for (const type of ['configuration', 'runs.changed', 'activity.changed', 'listener'])
      expect((await upTo(again, type)).message).toMatchObject(
        type.endsWith('.changed') ? { more: true } : { type },
      )
  })

  test('tells a reader that comes from another stream only what has changed after it', async () => {
    const fixture = await cleanService()
    const { rest } = fixture
    const { connectionId, credentials } = await createConnection(rest)
    const { id = '' } = await (await openLive(fixture)).next()
    const since = (text: string) => openLive(fixture, `?since=${encodeURIComponent(text)}`)
    await postInbound(credentials, '{"event":"a"}')
    const happened = await since(id)
    expect((await upTo(happened, 'activity.changed')).message).toMatchObject({ more: true })
    expect(happened.text()).not.toMatch(/"(configuration|runs.changed|listener)"/)

    const { id: later = '' } = await (await openLive(fixture)).next()
    await rest('PATCH', `/connections/${connectionId}`, { name: 'Renamed' })
    const changed = await since(later)
    await upTo(changed, 'configuration')
    expect(changed.text()).not.toMatch(/"(activity.changed|runs.changed|listener)"/)

    // Not of this start of the service, so that anything may have changed.
    for (const text of ['', '0', id.replace('2026', '2025')]) {
      const other = await since(text)
      for (const type of ['configuration', 'runs.changed', 'activity.changed', 'listener'])
        await upTo(other, type)
    }
    expect((await rest('GET', `/live?since=${'1'.repeat(201)}`)).status).toBe(400)
  })

  test('does not hold up the end of the service', async () => {
    const fixture = await startService()
    const feed = await openLive(fixture)
    await feed.next()
    await fixture.stop()
    await expect(feed.next()).rejects.toThrow()
  })
})

import { expect } from 'vitest'
import type { LiveMessage } from '#shared/model/live.ts'
import { ProbeResult } from '#shared/model/probe.ts'
import { Statistics } from '#shared/model/statistics.ts'
import { type LiveFeed, openFeed, openLive } from '../support/event-feed.ts'
import { eventually } from '../support/eventually.ts'
import { type CreatedConnection, createConnection } from '../support/rest-client.ts'
import { postInbound, type ServiceFixture } from '../support/service-fixture.ts'
import { openTwoNodes, test } from './open-nodes.ts'

/** Posts an event to a node. */
async function post(
  { listenerUrl }: ServiceFixture,
  { credentials }: CreatedConnection,
  body = '{"event":"a"}',
) {
  const { pathname } = new URL(credentials.inboundUrl)
  const answer = await postInbound({ ...credentials, inboundUrl: listenerUrl + pathname }, body, Date.now())
  expect(answer.status).toBe(200)
}

async function acceptedOf({ rest }: ServiceFixture): Promise<number | undefined> {
  const { body } = await rest('GET', '/statistics')
  return Statistics.parse(body).connections[0]?.accepted
}

test('the statistics of every node are those of all, also of a node that has stopped', async () => {
  const [a, b] = await openTwoNodes()
  const connection = await createConnection(a.rest)
  await post(a, connection)
  await post(b, connection)
  await eventually(async () => expect([await acceptedOf(a), await acceptedOf(b)]).toEqual([2, 2]))
  await post(b, connection)
  await post(b, connection, '{"event":"b"}')
  await b.stop()
  expect(await acceptedOf(a)).toBe(4)
  const names = await a.rest('GET', `/connections/${connection.connectionId}/statistics/event-names`)
  expect(names.body).toMatchObject([
    { eventName: 'a', count: 3 },
    { eventName: 'b', count: 1 },
  ])
})

/** Returns the next message of a live stream about the activity. */
async function changeOf(live: LiveFeed): Promise<LiveMessage> {
  const { message } = await live.next()
  return message.type === 'activity.changed' ? message : changeOf(live)
}

test('the activity of a node has what happens on the others, and its live stream tells of it', async () => {
  const [a, b] = await openTwoNodes()
  const connection = await createConnection(a.rest, { persistEvents: true })
  const [feed, live] = [await openFeed(a), await openLive(a)]
  await live.next()
  await post(b, connection, '{"event":"b"}')
  expect(await feed.next()).toMatchObject({
    type: 'event.accepted',
    eventName: 'b',
    bodyText: '{"event":"b"}',
  })
  const { connectionId } = connection
  expect(await changeOf(live)).toEqual({
    type: 'activity.changed',
    connectionIds: [connectionId],
    more: false,
  })
  expect((await a.rest('GET', '/activity/list')).body).toMatchObject({ items: [{ eventName: 'b' }] })

  await b.rest('DELETE', `/connections/${connectionId}/events`)
  expect(await changeOf(live)).toEqual({
    type: 'activity.changed',
    connectionIds: [connectionId],
    more: false,
  })
  expect((await a.rest('GET', '/activity/list')).body).toMatchObject({ items: [] })
})

test('the test of a public URL may arrive at another node', async () => {
  const [a, b] = await openTwoNodes()
  const { body } = await a.rest('POST', '/workspaces/default/probe', { publicBaseUrl: b.listenerUrl })
  expect(ProbeResult.parse(body)).toMatchObject({ ok: true, code: 'ok', status: 200 })
  expect((await b.rest('GET', '/activity/list')).body).toMatchObject({ items: [] })
})

import { expect } from 'vitest'
import { ProbeResult } from '#shared/model/probe.ts'
import { Statistics } from '#shared/model/statistics.ts'
import { createAction, testAction } from '../support/actions.ts'
import { type LiveFeed, openFeed, openLive } from '../support/event-feed.ts'
import { eventually } from '../support/eventually.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { type CreatedConnection, createConnection } from '../support/rest-client.ts'
import { postInbound, type ServiceFixture } from '../support/service-fixture.ts'
import { openTwoNodes, sharedNodes, test } from './open-nodes.ts'

const takeNodes = sharedNodes()

/** Posts an event to a node. */
async function post(
  { listenerUrl }: ServiceFixture,
  { credentials }: Pick<CreatedConnection, 'credentials'>,
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
  await eventually(async () => expect(await acceptedOf(a)).toBe(4))
  const names = await a.rest('GET', `/connections/${connection.connectionId}/statistics/event-names`)
  expect(names.body).toMatchObject([
    { eventName: 'a', count: 3 },
    { eventName: 'b', count: 1 },
  ])
})

/** Reads again after each message of a live stream, as a page does, until what it reads is as it should be. */
async function readUntil(live: LiveFeed, isShown: () => Promise<boolean>): Promise<void> {
  do await live.next()
  while (!(await isShown()))
}

test('the activity of a node has what happens on the others, and its live stream tells of it', async () => {
  const [a, b] = await takeNodes()
  const { connectionId, credentials } = await createConnection(a.rest, { persistEvents: true })
  const [feed, live] = [await openFeed(a, `?connectionId=${connectionId}`), await openLive(a)]
  await expect.poll(() => b.service.storage.activityRelay.isFollowed('')).toBe(true)
  await post(b, { credentials }, '{"event":"b"}')
  expect(await feed.next()).toMatchObject({
    type: 'event.accepted',
    eventName: 'b',
    bodyText: '{"event":"b"}',
  })
  const eventsOnA = async () =>
    Object((await a.rest('GET', `/activity/list?connectionId=${connectionId}`)).body).items
  await readUntil(live, async () => (await eventsOnA()).length === 1)
  expect(await eventsOnA()).toMatchObject([{ eventName: 'b' }])
  await b.rest('DELETE', `/connections/${connectionId}/events`)
  await readUntil(live, async () => (await eventsOnA()).length === 0)
})

test('a page that follows one node and asks another sees the calls and the counters of the first', async () => {
  const [a, b] = await takeNodes()
  const system = await startExternalSystem()
  const { connectionId, credentials } = await createConnection(a.rest, { baseUrl: system.url })
  const action = { connectionId, ...(await createAction(a.rest, connectionId)) }
  const live = await openLive(a)
  await live.next()
  const count = async (path: string) => Object((await b.rest('GET', path)).body)
  for (let calls = 1; calls <= 3; calls++) {
    await testAction(a.rest, action)
    await readUntil(live, async () => {
      const { items } = await count(`/activity/list?connectionId=${connectionId}`)
      return items.length === calls
    })
  }
  for (let events = 1; events <= 3; events++) {
    await post(a, { credentials })
    await readUntil(live, async () => {
      const { accepted } = await count(`/connections/${connectionId}/statistics`)
      return accepted === events
    })
  }
})

test('the test of a public URL may arrive at another node', async () => {
  const [a, b] = await takeNodes()
  const { body } = await a.rest('POST', '/workspaces/default/probe', { publicBaseUrl: b.listenerUrl })
  expect(ProbeResult.parse(body)).toMatchObject({ ok: true, code: 'ok', status: 200 })
  expect((await b.rest('GET', '/activity/list')).body).toMatchObject({ items: [] })
})

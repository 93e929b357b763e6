import { expect, test } from 'vitest'
import { createAction, testAction, testsOf } from '../support/actions.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { createConnection } from '../support/rest-client.ts'
import {
  postInbound,
  type ServiceFixture,
  type ServiceFixtureOptions,
  startOfTests,
  startService,
} from '../support/service-fixture.ts'

/** A connection with an event, a call and a refused request. */
async function withConnection(options: ServiceFixtureOptions = {}) {
  const system = await startExternalSystem()
  const fixture = await startService(options)
  const { rest } = fixture
  const { connectionId, credentials } = await createConnection(rest, {
    baseUrl: system.url,
    persistEvents: true,
  })
  await createConnection(rest, { name: 'Another' })
  const { actionId } = await createAction(rest, connectionId)
  await testAction(rest, { connectionId, actionId })
  const send = async () => {
    const inboundUrl = credentials.inboundUrl.replace(/^https?:\/\/[^/]+/, fixture.listenerUrl)
    return (await postInbound({ ...credentials, inboundUrl }, '{"event":"a"}')).status
  }
  expect(await send()).toBe(200)
  await postInbound({ ...credentials, signingSecret: 'whsec_wrong' }, '{"event":"b"}')
  const path = `/connections/${connectionId}`
  await expect
    .poll(async () => (await rest('GET', `${path}/attempts`)).body)
    .toMatchObject({ attempts: [{ diagnosis: { code: 'unknown' } }] })
  const all = async () => ({
    bodies: await Promise.all(
      ['', '/events', '/actions', '/attempts', '/last-tests'].map(
        async part => (await rest('GET', path + part)).body,
      ),
    ),
    connections: (await rest('GET', '/connections')).body,
    tests: await testsOf(rest, { connectionId, actionId }),
  })
  return { fixture, rest, path, send, all }
}

const heldIn = ({ service }: ServiceFixture) => service.storage.config.snapshot().held?.size ?? 0

test('a discarded connection is gone, and restored it is whole and in its place, also over a restart', async () => {
  const { fixture, rest, path, send, all } = await withConnection()
  const before = await all()
  for (const isRestarted of [false, true]) {
    const answer = await rest('POST', `${path}/discard`)
    expect(answer.body).toEqual({ restorableUntil: new Date(startOfTests + 30_000).toISOString() })
    expect((await rest('GET', path)).status).toBe(404)
    expect((await rest('GET', '/connections')).body).toMatchObject([{ name: 'Another' }])
    expect(await send()).toBe(404)
    expect((await rest('POST', `${path}/discard`)).status).toBe(404)
    if (isRestarted) await fixture.restart()
    expect((await rest('POST', `${path}/restore`)).status).toBe(200)
    expect(await all()).toEqual(before)
    expect((await rest('POST', `${path}/restore`)).body).toMatchObject({ code: 'connection_not_found' })
  }
  expect(await send()).toBe(200)
})

test('a discarded connection is deleted for good in time, also when the service was not running', async () => {
  const { fixture, rest, path } = await withConnection({ service: { undoMs: 50 } })
  await rest('POST', `${path}/discard`)
  fixture.clock.now += 50
  await expect.poll(() => heldIn(fixture)).toBe(0)
  expect((await rest('POST', `${path}/restore`)).status).toBe(404)

  const slow = await withConnection()
  await slow.rest('POST', `${slow.path}/discard`)
  expect(heldIn(slow.fixture)).toBe(1)
  slow.fixture.clock.now += 30_001
  await slow.fixture.restart()
  await expect.poll(() => heldIn(slow.fixture)).toBe(0)
  expect((await slow.rest('POST', `${slow.path}/restore`)).status).toBe(404)
})

test('a connection deleted over REST cannot be restored', async () => {
  const { rest, path } = await withConnection()
  expect((await rest('DELETE', path)).status).toBe(200)
  expect((await rest('POST', `${path}/restore`)).status).toBe(404)
})

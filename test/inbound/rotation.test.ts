import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type InboundFixture, startInbound } from '../support/inbound-fixture.ts'

const hour = 3_600_000

/** Rotates the secret of the first connection. */
async function rotate(fixture: InboundFixture, graceMs: number) {
  const { connection, clock } = fixture
  const oldSecrets = graceMs === 0 ? [] : [{ secret: connection.secret, expiresAt: clock.now + graceMs }]
  await fixture.change({ signingSecret: 'whsec_new', oldSecrets })
  return { old: connection, renewed: { ...connection, secret: 'whsec_new' } }
}

test('within the grace period both secrets are accepted, and the old one is marked', async () => {
  const fixture = await startInbound()
  const { old, renewed } = await rotate(fixture, hour)
  fixture.clock.now += hour - 1
  expect((await fixture.post({}, old)).status).toBe(200)
  expect((await fixture.post({}, renewed)).status).toBe(200)
  expect(fixture.outcomes).toMatchObject([
    { kind: 'event.accepted', previousSecret: true },
    { kind: 'event.accepted', previousSecret: false },
  ])
})

test('when it has ended the old one is refused, and the diagnosis says why', async () => {
  const fixture = await startInbound()
  const { old, renewed } = await rotate(fixture, hour)
  fixture.clock.now += hour
  expect((await fixture.post({}, old)).status).toBe(401)
  expect((await fixture.post({}, renewed)).status).toBe(200)
  const attemptsOf = fixture.inbound.attempts.list
  await expect.poll(() => attemptsOf(old.connectionId)[0]?.diagnosis?.code).toBe('old_secret')
})

test('it is refused for good: a clock that is set back does not bring it back', async () => {
  const fixture = await startInbound()
  const { old, renewed } = await rotate(fixture, hour)
  expect((await fixture.post({}, old)).status).toBe(200)
  fixture.clock.now += hour
  expect((await fixture.post({}, renewed)).status).toBe(200)
  fixture.clock.now -= hour
  expect((await fixture.post({}, old)).status).toBe(401)
  expect((await fixture.post({}, renewed)).status).toBe(200)
})

test('without grace it is refused at once', async () => {
  const fixture = await startInbound()
  const { old, renewed } = await rotate(fixture, 0)
  expect((await fixture.post({}, old)).status).toBe(401)
  expect((await fixture.post({}, renewed)).status).toBe(200)
})

test('after a second rotation both old ones are accepted, each for its own grace period', async () => {
  const fixture = await startInbound()
  const { old, renewed } = await rotate(fixture, hour)
  await fixture.change({
    signingSecret: 'whsec_newest',
    oldSecrets: [
      { secret: renewed.secret, expiresAt: fixture.clock.now + hour },
      { secret: old.secret, expiresAt: fixture.clock.now + 1 },
    ],
  })
  expect((await fixture.post({}, old)).status).toBe(200)
  expect((await fixture.post({}, renewed)).status).toBe(200)
  fixture.clock.now += 1
  expect((await fixture.post({}, old)).status).toBe(401)
  expect((await fixture.post({}, renewed)).status).toBe(200)
})

test('a new token takes the place of the old one at once, on open sockets too', async () => {
  const fixture = await startInbound()
  const { connection } = fixture
  expect((await fixture.post()).status).toBe(200)
  await fixture.change({ inboundToken: 'renewed-token' })
  expect((await fixture.post()).status).toBe(404)
  expect((await fixture.post({}, { ...connection, token: 'renewed-token' })).status).toBe(200)
})

test('a deleted connection is gone, and what was kept of it', async () => {
  const fixture = await startInbound()
  const { connection, inbound } = fixture
  await fixture.post({ signature: null })
  await eventually(() => expect(inbound.attempts.list(connection.connectionId)).toHaveLength(1))
  await fixture.remove(connection.connectionId)
  expect((await fixture.post()).status).toBe(404)
  expect(inbound.attempts.list(connection.connectionId)).toEqual([])
})

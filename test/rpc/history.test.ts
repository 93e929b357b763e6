import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CallRecord } from '#shared/model/call.ts'
import { hmacHex } from '../signing/sender.ts'
import { createAction, testAction, testsOf } from '../support/actions.ts'
import { openFeed } from '../support/event-feed.ts'
import { startExternalSystem } from '../support/external-system.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import { postInbound, startOfTests, startService } from '../support/service-fixture.ts'

const value = 'sk-canary-0815-of-the-tests'

/** A connection with a refused request that has a diagnosis, and a call whose action uses a secret. */
async function withHistory(persistEvents: boolean) {
  const system = await startExternalSystem(
    (_request, response) => void response.end(`{"n":12345678901234567890,"echo":"${value}"}`),
  )
  const fixture = await startService()
  const { rest } = fixture
  const { connectionId, credentials } = await createConnection(rest, { baseUrl: system.url, persistEvents })
  const { actionId } = await createAction(rest, connectionId, { headers: { 'X-Key': '{{SHOP_KEY}}' } })
  await rest('PUT', '/environment/SHOP_KEY', { value })
  const wrong = { ...credentials, signingSecret: `${credentials.signingSecret}\n` }
  await postInbound(wrong, '{"event":"refused.body"}')
  await postInbound(
    { ...wrong, inboundUrl: `${fixture.listenerUrl}/api/connect/none/events` },
    '{"a":"stray"}',
  )
  const place = { connectionId, actionId }
  const path = `/connections/${connectionId}`
  await expect
    .poll(async () => (await rest('GET', `${path}/attempts`)).body)
    .toMatchObject({ attempts: [{ diagnosis: { code: 'secret_with_whitespace' } }] })
  await testAction(rest, place)
  return { fixture, rest, place, path }
}

async function listsOf(rest: Rest, path: string, place: { connectionId: string; actionId: string }) {
  const bodies = await Promise.all(
    [`${path}/attempts`, '/attempts', `${path}/last-tests`].map(async at => (await rest('GET', at)).body),
  )
  return { bodies, tests: await testsOf(rest, place) }
}

test('refused requests with their diagnosis, and calls with their details, are there after a restart', async () => {
  const { fixture, rest, place, path } = await withHistory(true)
  const before = await listsOf(rest, path, place)
  const first = await openFeed(fixture, `?connectionId=${place.connectionId}`)
  const [rejected, diagnosed, called] = [await first.next(), await first.next(), await first.next()]
  const diagnosis = { code: 'secret_with_whitespace' }
  const attemptId = rejected.type === 'event.rejected' ? rejected.attemptId : null
  expect(rejected).toMatchObject({ attemptId: expect.stringMatching(/^att_/), diagnosis })
  expect(diagnosed).toMatchObject({ type: 'event.diagnosed', attemptId, diagnosis })
  expect(called).toMatchObject({ type: 'call.finished', callId: before.tests[0]?.callId })
  // The id of what is kept is its place in the activity too.
  expect(attemptId).toBe(`att_${rejected.id}`)

  await fixture.restart()
  const after = await listsOf(rest, path, place)
  expect(after.tests).toEqual(before.tests)
  expect(after.bodies[0]).toEqual(before.bodies[0])
  expect(after.bodies[0]).toMatchObject({ attempts: [{ bodyText: '{"event":"refused.body"}' }] })
  expect(after.bodies[2]).toEqual(before.bodies[2])
  // Whom the body of an unknown token belongs to is not known, so it is never written.
  expect(after.bodies[1]).toMatchObject({ attempts: [{ code: 'unknown_token', bodyText: '' }] })

  const again = await openFeed(fixture, `?connectionId=${place.connectionId}`)
  expect([await again.next(), await again.next()]).toEqual([rejected, called])
  // A reader that has seen them continues after them.
  const resumed = await openFeed(fixture, `?connectionId=${place.connectionId}`, called.id)
  await testAction(rest, place)
  const next = await resumed.next()
  expect(next).toMatchObject({ type: 'call.finished' })
  expect(next.id > called.id).toBe(true)
})

test('a call is found by its id, with all its digits and without secrets', async () => {
  const { fixture, rest, place } = await withHistory(false)
  await fixture.restart()
  const [kept] = await testsOf(rest, place)
  const answer = await rest('GET', `/calls/${kept?.callId}`)
  expect(answer.text).toContain('"result":{"n":12345678901234567890,"echo":"••••"}')
  expect(answer.text).not.toContain(value)
  expect(CallRecord.parse(answer.body)).toMatchObject({
    ...place,
    at: new Date(startOfTests).toISOString(),
    source: 'test',
    request: { method: 'GET' },
    response: { status: 200 },
    timings: { totalMs: expect.any(Number) },
  })
  for (const id of ['call_00000000000', 'nonsense', kept?.callId.replace('call_', 'att_')])
    expect((await rest('GET', `/calls/${id}`)).body).toMatchObject({ code: 'call_not_found' })
})

test('without event logging the body of a refused request is never written to the disk', async () => {
  const { fixture, rest, path } = await withHistory(false)
  const bodyOf = async () => (await rest('GET', `${path}/attempts`)).body
  expect(await bodyOf()).toMatchObject({ attempts: [{ bodyText: '{"event":"refused.body"}' }] })
  await fixture.restart()
  expect(await bodyOf()).toMatchObject({
    attempts: [{ bodyText: '', diagnosis: { code: 'secret_with_whitespace' } }],
  })
  await fixture.stop()
  const stored = await readFile(join(fixture.dataFolder, 'history.sqlite'), 'latin1')
  const traces = [value, 'refused.body', 'stray'].flatMap(text => [
    text,
    Buffer.from(text).toString('base64'),
  ])
  for (const trace of traces) expect(stored).not.toContain(trace.replace(/=+$/, '').slice(0, -1))
})

test('a diagnosis made after event logging was turned on writes nothing of a body from before', async () => {
  const fixture = await startService()
  const { rest } = fixture
  const { connectionId, credentials } = await createConnection(rest, { persistEvents: false })
  const path = `/connections/${connectionId}`
  // More than are diagnosed as they come: the rest are when somebody looks.
  for (let n = 0; n < 14; n++) {
    const signature = hmacHex(credentials.signingSecret, `${startOfTests}.{"event":"leaked.needle"}`)
    const { status } = await fetch(credentials.inboundUrl, {
      method: 'POST',
      body: '{"event": "leaked.needle"}',
      headers: {
        'content-type': 'application/json',
        'x-service-timestamp': String(startOfTests),
        'x-service-signature': `sha256=${signature}`,
      },
    })
    expect(status).toBe(401)
  }
  await rest('PATCH', path, { persistEvents: true })
  await expect
    .poll(async () => (await rest('GET', `${path}/attempts`)).text.split('"signed":').length - 1)
    .toBe(14)
  await fixture.stop()
  for (const entry of await readdir(fixture.dataFolder, { withFileTypes: true })) {
    if (!entry.isFile()) continue
    const stored = await readFile(join(fixture.dataFolder, entry.name), 'latin1')
    expect.soft([entry.name, stored.includes('leaked.needle')]).toEqual([entry.name, false])
  }
})

test('what is kept of a connection goes with it, and what is kept of an action outlives the action', async () => {
  const { fixture, rest, place, path } = await withHistory(true)
  const [kept] = await testsOf(rest, place)
  const call = async () => (await rest('GET', `/calls/${kept?.callId}`)).status
  await rest('DELETE', `${path}/actions/${place.actionId}`)
  expect((await rest('GET', `${path}/last-tests`)).body).toEqual({ tests: [] })
  expect(await call()).toBe(200)
  await rest('DELETE', path)
  expect(await call()).toBe(404)
  await fixture.restart()
  expect(await call()).toBe(404)
  const feed = await openFeed(fixture)
  expect(await feed.next()).toMatchObject({ type: 'event.rejected', connectionId: null })
})

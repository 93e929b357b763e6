import { expect, test } from 'vitest'
import { Credentials } from '#shared/model/connection.ts'
import { createAction } from '../support/actions.ts'
import { createConnection, type Rest } from '../support/rest-client.ts'
import { postInbound, startService } from '../support/service-fixture.ts'

async function everything(rest: Rest, connectionId: string): Promise<unknown[]> {
  const paths = [
    '',
    '/actions',
    '/event-types',
    '/events',
    '/credentials',
    '/statistics/event-names',
    '/attempts',
    '/last-tests',
  ].map(path => `/connections/${connectionId}${path}`)
  const answers = await Promise.all(
    ['/workspaces', '/connections', '/settings', '/tools', '/environment', ...paths].map(path =>
      rest('GET', path),
    ),
  )
  for (const { status } of answers) expect(status).toBe(200)
  return answers.map(answer => answer.body)
}

test('everything but the events of the activity is there again after a restart', async () => {
  const fixture = await startService()
  const { rest } = fixture
  await rest('PATCH', '/settings', { maxBodyBytes: 4096, defaultRetention: { maxEvents: 9, maxDays: 8 } })
  await rest('POST', '/workspaces', { name: 'Team', publicBaseUrl: 'https://hooks.example.com' })
  // A public address keeps the inbound URL the same on another free port.
  await rest('PATCH', '/workspaces/default', { publicBaseUrl: 'https://in.example.com' })
  const { connectionId, credentials: old } = await createConnection(rest)
  const path = `/connections/${connectionId}`
  await rest('PATCH', path, {
    name: 'Störe ✓',
    baseUrl: 'https://api.example.com/v2',
    persistEvents: true,
    timeoutMs: 1000,
    retention: { maxEvents: 5, maxDays: 7 },
    ignoreRepeats: true,
  })
  await rest('POST', `${path}/event-types`, { eventName: 'a', label: 'A', samplePayload: { n: [1, null] } })
  await createAction(rest, connectionId, {
    headers: { 'X-Key': '{{SHOP_KEY}}', 'X-Two': 'é' },
    parameters: [{ name: 'filter[a]', type: 'object', description: 'ö', required: true }],
    responseMapping: { a: 'b[0].c' },
  })
  await createAction(rest, connectionId, { name: 'Off', isEnabled: false })
  await rest('PUT', '/environment/SHOP_KEY', { value: 'secret\nof two lines' })
  await rest('POST', `${path}/send`, { event: 'a', data: { n: 1 } })
  await rest('POST', `${path}/rotate-secret`, { graceHours: 24 })
  await postInbound({ ...old, inboundUrl: `${fixture.listenerUrl}/api/connect/none/events` }, '{}')

  const before = await everything(rest, connectionId)
  await fixture.restart()
  expect(await everything(rest, connectionId)).toEqual(before)
  expect((await rest('GET', '/attempts')).body).toMatchObject({ attempts: [{ code: 'unknown_token' }] })

  const inboundUrl = `${fixture.listenerUrl}/api/connect/${old.inboundToken}/events`
  const fresh = Credentials.parse((await rest('GET', `${path}/credentials`)).body)
  expect((await postInbound({ ...old, inboundUrl }, '{"event":"b"}')).status).toBe(200)
  expect((await postInbound({ ...fresh, inboundUrl }, '{"event":"c"}')).status).toBe(200)
  await rest('PATCH', path, { enabled: false })
  await fixture.restart()
  expect((await rest('GET', path)).body).toMatchObject({ enabled: false })
  expect((await rest('GET', `${path}/events`)).body).toMatchObject({
    events: [{ eventName: 'c' }, { eventName: 'b' }, { eventName: 'a' }],
  })
})

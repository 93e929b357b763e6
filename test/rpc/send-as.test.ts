import { expect, test } from 'vitest'
import { createConnection } from '../support/rest-client.ts'
import { sharedService } from '../support/service-fixture.ts'

const takeService = sharedService()
const encoded = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const described = {
  ...{ scheme: 'template', signatureHeader: 'x-pakket-signature', prefix: 'v1=', encoding: 'hex' },
  ...{ signed: '{{url}}.{{timestamp}}.{{body}}', timestampHeader: 'x-pakket-time' },
  ...{ eventName: { path: 'type' }, data: { path: 'data' } },
}

test.each([
  { scheme: 'standard-webhooks' },
  { scheme: 'github' },
  { scheme: 'stripe' },
  { scheme: 'slack' },
  { scheme: 'shopify' },
  described,
])('a test event is signed as the sender of its connection does: $scheme', async sender => {
  const { rest } = await takeService()
  const { connectionId } = await createConnection(rest, { sender, persistEvents: true })
  const path = `/connections/${connectionId}`
  const event = { event: 'parcel.delivered', data: { parcel: 'PKT-7' } }
  const unset = await rest('POST', `${path}/send`, event)
  expect(unset).toMatchObject({ status: 400, body: { message: expect.stringContaining('No secret is set') } })
  await rest('PUT', `${path}/sender/secret`, { secret: encoded })
  expect((await rest('POST', `${path}/send`, event)).body).toMatchObject({ status: 200 })
  expect((await rest('GET', `${path}/events`)).body).toMatchObject({
    events: [{ eventName: 'parcel.delivered', data: { parcel: 'PKT-7' } }],
  })
})

test('a refused request is diagnosed in the scheme of its connection', async () => {
  const { rest, clock } = await takeService()
  const { connectionId, credentials } = await createConnection(rest, { sender: described })
  const path = `/connections/${connectionId}`
  const post = (headers: Record<string, string>) =>
    fetch(credentials.inboundUrl, { method: 'POST', headers, body: '{"type":"a"}' })
  const diagnosis = async () => {
    const { body } = await rest('GET', `${path}/attempts`)
    return JSON.parse(JSON.stringify(body)).attempts[0]?.diagnosis
  }
  await post({ 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` })
  await expect.poll(diagnosis).toMatchObject({ code: 'other_scheme', recognized: 'github' })
  const time = { 'x-pakket-time': String(Math.floor(clock.now / 1000)) }
  await post({ ...time, 'x-pakket-signature': `v1=${'0'.repeat(64)}` })
  await expect.poll(diagnosis).toMatchObject({ code: 'no_secret', scheme: 'template' })
})

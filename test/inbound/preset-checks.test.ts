import { expect, test } from 'vitest'
import { checkOf } from '#shared/model/sender/sender.ts'
import { schemeNames, schemes } from '#shared/model/sender/templates.ts'
import { createConnection, ErrorBody } from '../support/rest-client.ts'
import { sharedService } from '../support/service-fixture.ts'

const takeService = sharedService()

async function start(sender: object, secret?: string) {
  const { rest } = await takeService()
  const { connectionId, credentials } = await createConnection(rest, { sender })
  if (secret !== undefined) await rest('PUT', `/connections/${connectionId}/sender/secret`, { secret })
  const post = (body: string, headers: Record<string, string> = {}, query = '') =>
    fetch(credentials.inboundUrl + query, { method: 'POST', headers, body })
  return { rest, connectionId, post }
}

test('every choice begins with what its preset checks by default, and has each proof once', () => {
  for (const name of schemeNames) {
    const { checks, templates } = schemes[name]
    if (checks.length === 0) continue
    expect(templates[0], name).toEqual(checks[0]?.template)
    for (const check of checks) expect(checkOf(name, check.template.verify), name).toBe(check)
  }
})

const blob = '[{"eventType":"Microsoft.Storage.BlobCreated","data":{}}]'

test('Event Grid with nothing to check still asks its question', async () => {
  const { post } = await start({ scheme: 'event-grid', verify: 'none' })
  const validation = JSON.stringify([
    { eventType: 'Microsoft.EventGrid.SubscriptionValidationEvent', data: { validationCode: '512d' } },
  ])
  const answer = await post(validation, { 'aeg-event-type': 'SubscriptionValidation' })
  expect([answer.status, await answer.json()]).toEqual([200, { validationResponse: '512d' }])
  const accepted = await post(blob, { 'aeg-event-type': 'Notification' })
  expect([accepted.status, await accepted.json()]).toEqual([200, { ok: true, events: 1 }])
})

test.each([{}, { verify: 'token' }])('Event Grid needs its token by default, as with %j', async chosen => {
  const { post } = await start({ scheme: 'event-grid', ...chosen }, 'a-token')
  expect((await post(blob)).status).toBe(401)
  expect((await post(blob, {}, '?token=another')).status).toBe(401)
  expect((await post(blob, {}, '?token=a-token')).status).toBe(200)
  expect((await post(blob, { authorization: 'Bearer a-token' })).status).toBe(200)
  expect((await post(blob, { authorization: 'Bearer another' })).status).toBe(401)
})

test('no event keeps the token of a header beside the one in the URL', async () => {
  const { post, rest, connectionId } = await start(
    { scheme: 'event-grid', eventName: { path: 'eventType' } },
    'a-token',
  )
  await rest('PATCH', `/connections/${connectionId}`, { persistEvents: true })
  expect((await post(blob, { authorization: 'Bearer a-token' }, '?token=a-token')).status).toBe(200)
  const { text } = await rest('GET', `/connections/${connectionId}/events`)
  const [, eventId] = /"eventId":"([^"]+)"/.exec(text) ?? []
  const event = await rest('GET', `/connections/${connectionId}/events/${eventId}`)
  expect(event.body).toMatchObject({
    headers: expect.arrayContaining([['authorization', 'Bearer ••••••••']]),
  })
  expect(event.text).not.toContain('a-token')
})

test('Alertmanager can send a bearer token instead of a password', async () => {
  const { post } = await start({ scheme: 'alertmanager', verify: 'token' }, 'a-token')
  const alerts = '{"status":"firing","alerts":[{"status":"firing"}]}'
  const basic = `Basic ${Buffer.from('user:a-token').toString('base64')}`
  for (const authorization of ['Bearer another', 'a-token', basic])
    expect((await post(alerts, { authorization })).status).toBe(401)
  expect((await post(alerts, { authorization: 'Bearer a-token' })).status).toBe(200)
})

test.each([
  ['event-grid', 'hmac', 'Azure Event Grid is checked by `token` or `none`.'],
  ['gitlab', 'none', 'GitLab is checked by `token`.'],
])('%s cannot be checked by %s', async (scheme, verify, message) => {
  const { rest, connectionId } = await start({ scheme: 'github' })
  const path = `/connections/${connectionId}`
  const refused = await rest('PATCH', path, { sender: { scheme, verify } })
  expect(refused.status).toBe(400)
  expect(ErrorBody.parse(refused.body).data?.issues).toEqual([{ path: 'sender.verify', message }])
  // Nor in a trial, which takes a sender that is not complete.
  const tried = await rest('POST', `${path}/sender/verify`, {
    ...{ sender: { scheme, verify }, secret: 'a-token', headers: [], body: blob },
  })
  expect(tried.body).toMatchObject({ ok: false, code: 'missing_signature' })
})

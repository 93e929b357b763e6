import { expect, test } from 'vitest'
import { hmacHex } from '../signing/sender.ts'
import { createConnection, errorCode, issuePaths } from '../support/rest-client.ts'
import { postInbound, sharedService, startOfTests } from '../support/service-fixture.ts'

const takeService = sharedService()
const secret = 'pk_live_4f1c0b7e'
const seconds = String(startOfTests / 1000)
const body = '{"type":"parcel.delivered","data":{"parcel":"PKT-7"}}'
const sender = {
  ...{ scheme: 'template', signatureHeader: 'x-pakket-signature', prefix: 'v1=', encoding: 'hex' },
  ...{ signed: '{{timestamp}}.{{body}}', timestampHeader: 'x-pakket-time', eventName: { path: 'type' } },
}
const headers = [
  ['x-pakket-time', seconds],
  ['x-pakket-signature', `v1=${hmacHex(secret, `${seconds}.${body}`)}`],
]

async function start() {
  const service = await takeService()
  const { connectionId, credentials } = await createConnection(service.rest, { name: 'Parcels' })
  const verify = (input: object) => service.rest('POST', `/connections/${connectionId}/sender/verify`, input)
  return { service, connectionId, credentials, verify }
}

test('verifies a request with a sender and a secret that are not saved', async () => {
  const { verify, service, connectionId } = await start()
  const answer = await verify({ headers, body, sender, secret })
  expect(answer.body).toMatchObject({ ok: true, code: null, diagnosis: null, refused: { total: 0 } })
  const pasted = headers.map(line => line.join(': ')).join('\n')
  expect((await verify({ text: `${pasted}\n\n${body}`, sender, secret })).body).toMatchObject({ ok: true })
  expect((await service.rest('GET', `/connections/${connectionId}`)).body).toMatchObject({
    sender: { scheme: 'custom-connection' },
    hasSenderSecret: false,
  })
})

test('explains a request that is refused, and shows no secret', async () => {
  const { verify, credentials } = await start()
  const wrong = await verify({ headers, body, sender: { ...sender, signed: '{{body}}' }, secret })
  expect(wrong.body).toMatchObject({
    ok: false,
    code: 'invalid_signature',
    diagnosis: { code: 'other_signed_text', change: { signed: '{{timestamp}}.{{body}}' } },
  })
  const unset = await verify({ headers, body, sender })
  expect(unset.body).toMatchObject({ ok: false, diagnosis: { code: 'no_secret' } })
  for (const { body: shown } of [wrong, unset])
    for (const kept of [secret, credentials.signingSecret, hmacHex(secret, body)])
      expect(JSON.stringify(shown)).not.toContain(kept)
})

test('verifies a refused request, and says how many others the sender would accept', async () => {
  const { service, verify, credentials, connectionId } = await start()
  for (let count = 0; count < 2; count++) {
    const { status } = await fetch(credentials.inboundUrl, {
      method: 'POST',
      headers: Object.fromEntries(headers),
      body,
    })
    expect(status).toBe(401)
  }
  await postInbound(credentials, '{"event":7}', service.clock.now)
  const listed = () => service.rest('GET', `/connections/${connectionId}/attempts`)
  await expect.poll(async () => JSON.stringify((await listed()).body)).toMatch(/other_header.*other_header/)
  const answer = await listed()
  const attempts = JSON.parse(JSON.stringify(answer.body)).attempts
  const { attemptId } = attempts.at(-1)
  expect((await verify({ attemptId, sender, secret })).body).toMatchObject({
    ok: true,
    bodyText: body,
    refused: { total: 3, accepted: 2, eventNames: ['parcel.delivered'] },
  })
  expect((await verify({ attemptId })).body).toMatchObject({
    ok: false,
    code: 'missing_signature',
    diagnosis: { code: 'other_header' },
  })
})

test('refuses what is not a request', async () => {
  const { verify } = await start()
  expect(issuePaths(await verify({ text: body }))).toEqual(['text'])
  expect(issuePaths(await verify({ headers, body, sender: { ...sender, signed: '{{timestamp}}' } }))).toEqual(
    ['sender.signed'],
  )
  expect(errorCode(await verify({ attemptId: 'att_0000000000a' }))).toBe('attempt_not_found')
})

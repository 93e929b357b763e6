import { generateKeyPairSync, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { serve } from '../outbound/support.ts'
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

test('fetches the public keys that a request needs', async () => {
  const { verify } = await start()
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { url } = await serve((_request, response) =>
    response.end(JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'a' }] })),
  )
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${encode({ alg: 'RS256', kid: 'a' })}.${encode({ exp: Number(seconds) + 60 })}`
  const token = `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
  const jwt = { header: 'authorization', algorithm: 'RS256' }
  const own = { scheme: 'template', verify: 'jwt', jwt, eventName: { path: 'type' }, keysUrl: url }
  const given = { headers: [['authorization', `Bearer ${token}`]], body, at: startOfTests }
  expect((await verify({ ...given, sender: own })).body).toMatchObject({ ok: true, code: null })
  const wrong = [['authorization', `Bearer ${token.slice(0, -4)}AAAA`]]
  expect((await verify({ ...given, headers: wrong, sender: own })).body).toMatchObject({
    ...{ ok: false, code: 'invalid_signature' },
    diagnosis: { code: 'unknown' },
  })
})

test('refuses a public key that the proof cannot take, at its field', async () => {
  const { service, connectionId } = await start()
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp384r1' })
  const pem = publicKey.export({ type: 'spki', format: 'pem' })
  const own = {
    scheme: 'template',
    verify: 'ecdsa',
    signatureHeader: 'x-sig',
    encoding: 'base64',
    signed: '{{body}}',
  }
  for (const key of [pem, 'x', 'AAAA', '{"kty":"oct","k":"AA"}']) {
    const change = { sender: { ...own, eventName: { path: 'type' }, publicKey: key } }
    const answer = await service.rest('PATCH', `/connections/${connectionId}`, change)
    expect(answer.status).toBe(400)
    expect(issuePaths(answer)).toEqual(['sender.publicKey'])
  }
})

test('answers a header in one spelling, whichever was written', async () => {
  const { service, connectionId } = await start()
  const own = { scheme: 'template', encoding: 'hex', signed: '{{body}}', eventName: { path: 'type' } }
  const change = { sender: { ...own, signature: { header: 'x-sig' } } }
  await service.rest('PATCH', `/connections/${connectionId}`, change)
  const saved = await service.rest('GET', `/connections/${connectionId}`)
  expect(saved.body).toMatchObject({ sender: { ...own, signatureHeader: 'x-sig' } })
  expect(saved.body).not.toHaveProperty('sender.signature')
})

test('refuses a password without its user', async () => {
  const { service, connectionId } = await start()
  const own = { scheme: 'template', verify: 'basic', eventName: { path: 'type' } }
  await service.rest('PATCH', `/connections/${connectionId}`, { sender: own })
  const set = (value: string) =>
    service.rest('PUT', `/connections/${connectionId}/sender/secret`, { secret: value, graceHours: 0 })
  expect(issuePaths(await set('password'))).toEqual(['secret'])
  expect((await set('me:password')).status).toBe(200)
})

test.each([
  ['gitlab', 'a-token-of-gitlab', { 'X-Gitlab-Token': 'a-token-of-gitlab' }, 'X-Gitlab-Token', '••••••••'],
  [
    'alertmanager',
    'me:a-password',
    { Authorization: `Basic ${btoa('me:a-password')}` },
    'Authorization',
    'Basic ••••••••',
  ],
] as const)('keeps no right token of %s, and tries it', async (scheme, own, proof, name, shown) => {
  const { service, verify, credentials, connectionId } = await start()
  const path = `/connections/${connectionId}`
  await service.rest('PATCH', path, { sender: { scheme } })
  const [user, password] = own.split(':')
  await service.rest(
    'PUT',
    `${path}/sender/secret`,
    password === undefined ? { secret: own } : { user, password },
  )
  const post = (headers: Record<string, string>) =>
    fetch(credentials.inboundUrl, { method: 'POST', headers, body: '{}' })
  expect((await post(proof)).status).toBe(400)
  await service.rest('PATCH', path, { enabled: false })
  expect((await post(proof)).status).toBe(403)
  await service.rest('PATCH', path, { enabled: true })
  expect((await post({ [name]: 'wrong' })).status).toBe(401)

  const { text, body: listed } = await service.rest('GET', `${path}/attempts`)
  expect(text).not.toContain(own)
  expect(text).not.toContain(btoa(own))
  const { attempts } = JSON.parse(JSON.stringify(listed))
  const headersOf = ({ headers }: { headers: string[][] }) =>
    headers.find(([one = '']) => one.toLowerCase() === name.toLowerCase())?.[1]
  expect(attempts.map(headersOf)).toEqual(['wrong', shown, shown])
  const tried = await verify({ attemptId: attempts[2].attemptId })
  expect(tried.body).toMatchObject({ code: 'missing_event', headers: attempts[2].headers })
  expect((await verify({ attemptId: attempts[0].attemptId })).body).toMatchObject({
    code: 'invalid_signature',
  })

  // No setting makes a trial show it.
  const { timestampHeader: _, ...timeless } = sender
  const written = { ...timeless, signed: `{{header:${name}}}.{{body}}` }
  const named = { scheme, eventName: [{ header: name }], data: 'body' }
  const { attemptId } = attempts[2]
  for (const input of [
    { attemptId, sender: written },
    { attemptId, sender: named },
    { headers: [[name, shown]], body: '{}', sender: named },
    { headers: [[name, shown]], body: '{}', sender: written },
  ]) {
    const answer = await verify(input)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.text).not.toContain(own)
    expect(answer.text).not.toContain(btoa(own))
  }
})

test('names the first 20 events of a list, each with how many workflows it would start', async () => {
  const { verify, service, connectionId } = await start()
  const { connectionId: other } = await createConnection(service.rest, { name: 'Other' })
  const create = async (fields: object, more: object = {}) => {
    const trigger = { type: 'external.event', connectionId, eventName: null, ...fields }
    const steps = [{ key: 'end', type: 'stop', outcome: 'succeeded' }]
    const { status, text } = await service.rest('POST', '/workflows', { name: 'W', trigger, steps, ...more })
    expect(status, text).toBe(201)
  }
  await create({ eventName: 'mail.*' })
  await create({ when: { value: '{{headers.x-region}} {{email}}', operator: 'equals', operand: 'eu a@b' } })
  await create({ connectionId: other })
  await create({}, { enabled: false })
  const events = [
    { event: 'mail.open', email: 'a@b' },
    { event: 'mail.bounce', email: 'c@d' },
    ...Array.from({ length: 23 }, () => ({ event: 'other' })),
  ]
  const list = JSON.stringify(events)
  const listed = {
    ...{ scheme: 'template', signatureHeader: 'x-sig', encoding: 'hex', signed: '{{body}}' },
    ...{ eventName: { path: 'event' }, data: { items: 'body' } },
  }
  const request = {
    headers: [
      ['x-sig', hmacHex(secret, list)],
      ['X-Region', 'eu'],
    ],
    ...{ body: list, sender: listed },
  }
  const items = {
    total: 25,
    first: [
      { eventName: 'mail.open', workflows: 2 },
      { eventName: 'mail.bounce', workflows: 1 },
      ...Array.from({ length: 18 }, () => ({ eventName: 'other', workflows: 0 })),
    ],
  }
  expect((await verify({ ...request, secret })).body).toMatchObject({ ok: true, items })
  // Its owner sees what a request has, before its key is right.
  expect((await verify({ ...request, secret: 'another' })).body).toMatchObject({ ok: false, items })
  const whole = await verify({ headers, body, sender, secret })
  expect(whole.body).not.toHaveProperty('items')
})

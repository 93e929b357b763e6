import { createHmac, generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { AllCredentials } from '#shared/model/connection.ts'
import { createConnection, issuePaths } from '../support/rest-client.ts'
import { sharedService, startService } from '../support/service-fixture.ts'

const cleanService = sharedService()

const swapCase = (text: string) =>
  text.replace(/[a-z]/gi, letter => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))

const secret = 'a-secret-that-asana-brings'

test('a verify token is generated with a preset that needs one, and is in the credentials alone', async () => {
  const service = await startService()
  const { rest } = service
  const { connectionId } = await createConnection(rest, { sender: { scheme: 'meta' } })
  const path = `/connections/${connectionId}`
  const credentials = async () => AllCredentials.parse((await rest('GET', `${path}/credentials`)).body)
  const { verifyToken = '', inboundUrl } = await credentials()
  expect(verifyToken).toMatch(/^[\w-]{32}$/)
  expect((await rest('GET', path)).text).not.toContain(verifyToken)

  const question = `${inboundUrl}?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=`
  const mistakes = [
    ['another', 'The token is another one, not that of this connection. Paste the token again.'],
    ['', 'The question has no verify token, or has it twice. Paste the token again.'],
    [verifyToken.slice(0, -3), 'The token lacks 3 characters at its end. Paste the token again.'],
    [verifyToken.slice(1), 'The token lacks one character at its start. Paste the token again.'],
    [`${verifyToken}=`, 'The token has one character too many at its end. Paste the token again.'],
    [`${verifyToken}+`, 'The token has white space around it. Paste the token again.'],
    [swapCase(verifyToken), 'The token differs in upper and lower case only. Paste the token again.'],
  ] as const
  for (const [token, message] of mistakes) {
    const refused = await fetch(question + token)
    expect([refused.status, await refused.json()]).toEqual([
      401,
      {
        ...{ ok: false, error: 'invalid_signature' },
        message: 'The verify token is not that of this connection.',
      },
    ])
    const attempts = await rest('GET', `${path}/attempts`)
    expect(attempts.body).toMatchObject({
      attempts: expect.arrayContaining([
        expect.objectContaining({ diagnosis: { code: 'other_verify_token', message }, headers: [] }),
      ]),
    })
    expect(attempts.text).not.toContain(verifyToken.slice(1, -3))
  }
  expect((await rest('GET', `${path}/sender/activation`)).body).toMatchObject({ state: 'waiting', at: null })
  const answered = await fetch(question + verifyToken)
  expect([answered.status, await answered.text()]).toEqual([200, '1158201444'])
  expect((await rest('GET', `${path}/sender/activation`)).body).toMatchObject({
    ...{ state: 'answered', verifiedAt: null },
  })

  await service.restart()
  expect(await credentials()).toMatchObject({ verifyToken })
  await rest('PUT', `${path}/sender/secret`, { verifyToken: 'chosen' })
  expect(await credentials()).toMatchObject({ verifyToken: 'chosen' })
  await rest('PATCH', path, { sender: { scheme: 'github' } })
  expect(await credentials()).not.toHaveProperty('verifyToken')
  expect((await rest('PUT', `${path}/sender/secret`, { verifyToken: 'chosen' })).status).toBe(400)
  expect((await rest('GET', `${path}/sender/activation`)).body).toEqual({
    ...{ state: 'not_needed', at: null, verifiedAt: null, detail: null },
  })
})

test('a flood of wrong verify tokens is diagnosed ten times a second', async () => {
  // Its clock stands still.
  const { rest } = await startService()
  const { connectionId, credentials } = await createConnection(rest, { sender: { scheme: 'meta' } })
  const question = `${credentials.inboundUrl}?hub.mode=subscribe&hub.challenge=1&hub.verify_token=`
  for (let index = 0; index < 12; index++) expect((await fetch(`${question}wrong-${index}`)).status).toBe(401)
  const { body } = await rest('GET', `/connections/${connectionId}/attempts`)
  const { attempts } = z.object({ attempts: z.array(z.object({ diagnosis: z.unknown() })) }).parse(body)
  expect(attempts.map(({ diagnosis }) => diagnosis !== null)).toEqual([
    ...Array.from({ length: 2 }, () => false),
    ...Array.from({ length: 10 }, () => true),
  ])
})

test('a secret that a handshake brings stays until it is reset or the scheme changes', async () => {
  const { rest } = await cleanService()
  const { connectionId, credentials } = await createConnection(rest, { sender: { scheme: 'asana' } })
  const path = `/connections/${connectionId}`
  const post = (headers: Record<string, string>, body: string) =>
    fetch(credentials.inboundUrl, { method: 'POST', headers, body })
  const isKept = async () => (await rest('GET', path)).body
  const answered = await post({ 'X-Hook-Secret': secret }, '{}')
  expect([answered.status, answered.headers.get('x-hook-secret')]).toEqual([200, secret])
  expect(await isKept()).toMatchObject({ hasSenderSecret: true })
  expect((await post({ 'X-Hook-Secret': 'handshake-two' }, '{}')).status).toBe(401)
  expect((await rest('GET', `${path}/attempts`)).body).toMatchObject({
    attempts: [{ diagnosis: { code: 'other_handshake' } }],
  })

  const events = '{"events":[{"action":"changed"}]}'
  const signature = createHmac('sha256', secret).update(events).digest('hex')
  expect((await post({ 'X-Hook-Signature': signature }, events)).status).toBe(200)
  expect((await rest('GET', `${path}/sender/activation`)).body).toMatchObject({
    ...{ state: 'verified', verifiedAt: expect.stringMatching(/Z$/) },
  })
  // The same handshake again is a question, not an event.
  expect((await post({ 'X-Hook-Secret': secret }, '{}')).status).toBe(200)
  expect((await rest('GET', `${path}/sender/activation`)).body).toMatchObject({ state: 'verified' })

  const reset = await rest('POST', `${path}/sender/activation`, { reset: true })
  expect(reset.body).toMatchObject({ state: 'waiting' })
  expect(await isKept()).toMatchObject({ hasSenderSecret: false })
  expect((await post({ 'X-Hook-Secret': 'handshake-two' }, '{}')).status).toBe(200)
  await rest('PATCH', path, { sender: { scheme: 'github' } })
  expect(await isKept()).toMatchObject({ hasSenderSecret: false })
  const { text } = await rest('GET', `${path}/attempts`)
  expect(text).not.toContain('handshake-two')
  expect(text).not.toContain(secret)
})

test.each([
  ['asana', { 'X-Hook-Secret': secret }, '{}'],
  ['notion', {}, JSON.stringify({ verification_token: secret })],
])(
  'a secret that a handshake of %s brings to a disabled connection is not kept',
  async (scheme, headers, sent) => {
    const { rest } = await cleanService()
    const { connectionId, credentials } = await createConnection(rest, { sender: { scheme } })
    const path = `/connections/${connectionId}`
    await rest('PATCH', path, { enabled: false })
    expect((await fetch(credentials.inboundUrl, { method: 'POST', headers, body: sent })).status).toBe(403)
    const { text } = await rest('GET', `${path}/attempts`)
    expect(text).toContain('connection_disabled')
    expect(text).not.toContain(secret)
  },
)

test('a question counts as no event, and takes nothing back that an event has shown', async () => {
  const { rest } = await cleanService()
  const { connectionId, credentials } = await createConnection(rest, { sender: { scheme: 'dropbox' } })
  const path = `/connections/${connectionId}`
  const { inboundUrl } = credentials
  const state = async () => (await rest('GET', `${path}/sender/activation`)).body
  const accepted = async () => (await rest('GET', `${path}/statistics`)).body
  const ask = async () => expect((await fetch(`${inboundUrl}?challenge=abc`)).status).toBe(200)
  await rest('PUT', `${path}/sender/secret`, { secret })
  await ask()
  expect(await state()).toMatchObject({ state: 'answered' })
  expect(await accepted()).toMatchObject({ accepted: 0, lastEvent: null })

  const headers = { 'X-Dropbox-Signature': createHmac('sha256', secret).update('{}').digest('hex') }
  expect((await fetch(inboundUrl, { method: 'POST', headers, body: '{}' })).status).toBe(200)
  await ask()
  expect(await state()).toMatchObject({ state: 'verified' })
  expect(await accepted()).toMatchObject({ accepted: 1, lastEvent: { eventName: 'change' } })
})

test('a user and a password are kept as a pair', async () => {
  const { rest } = await cleanService()
  const { connectionId } = await createConnection(rest, { sender: { scheme: 'alertmanager' } })
  const path = `/connections/${connectionId}`
  const set = (body: object) => rest('PUT', `${path}/sender/secret`, body)
  expect((await set({ user: 'prometheus', password: 'a:b' })).status).toBe(200)
  expect((await rest('GET', `${path}/credentials`)).body).toMatchObject({ senderSecret: 'prometheus:a:b' })
  expect(issuePaths(await set({ user: 'prometheus' }))).toEqual(['password'])
  expect(issuePaths(await set({ user: 'a:b', password: 'c' }))).toEqual(['user'])
  expect(issuePaths(await set({}))).toEqual(['secret'])
})

test('a public key is set as a field of the sender, which is public', async () => {
  const { rest } = await cleanService()
  const { connectionId } = await createConnection(rest, { sender: { scheme: 'sendgrid' } })
  const path = `/connections/${connectionId}`
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  const set = await rest('PUT', `${path}/sender/secret`, { publicKey: key })
  expect(set).toMatchObject({ status: 200, body: { sender: { scheme: 'sendgrid', publicKey: key } } })
  expect(issuePaths(await rest('PUT', `${path}/sender/secret`, { publicKey: 'no key' }))).toEqual([
    'sender.publicKey',
  ])
  await rest('PATCH', path, { sender: { scheme: 'github' } })
  expect(issuePaths(await rest('PUT', `${path}/sender/secret`, { publicKey: key }))).toEqual(['publicKey'])
})

test('a preset without its settings is refused with where they are found', async () => {
  const { rest } = await cleanService()
  const { connectionId } = await createConnection(rest)
  const refused = await rest('PATCH', `/connections/${connectionId}`, { sender: { scheme: 'paypal' } })
  expect([refused.status, issuePaths(refused)]).toEqual([400, ['sender.settings.webhook_id']])
})

test('a refused token of the URL is explained, and tried again, without being kept on disk', async () => {
  const service = await startService()
  const { rest } = service
  const sender = { scheme: 'event-grid' }
  const { connectionId, credentials } = await createConnection(rest, { sender, persistEvents: true })
  const path = `/connections/${connectionId}`
  await rest('PUT', `${path}/sender/secret`, { secret: 'the right token' })
  const body = '[{"eventType":"a","data":{}}]'
  const called = `${credentials.inboundUrl}?token=${encodeURIComponent('"the right token"')}`
  expect((await fetch(called, { method: 'POST', body })).status).toBe(401)
  const attempts = async () => Object((await rest('GET', `${path}/attempts`)).body).attempts
  await expect.poll(attempts).toMatchObject([{ diagnosis: { code: 'secret_with_whitespace' } }])
  const [{ attemptId }] = await attempts()
  const verify = async (secret: string) =>
    (await rest('POST', `${path}/sender/verify`, { attemptId, secret })).body
  expect(await verify('"the right token"')).toMatchObject({
    ...{ ok: true, refused: { total: 1, accepted: 1, eventNames: ['a'] } },
  })
  expect(await verify('the right token')).toMatchObject({ ok: false, code: 'invalid_signature' })
  await service.restart()
  expect((await rest('GET', `${path}/attempts`)).text).not.toContain('right token')
})

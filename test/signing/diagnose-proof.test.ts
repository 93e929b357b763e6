import { createHmac, generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { diagnose } from '#main/signing/diagnose.ts'
import { postSignerOf } from '#main/signing/sign-as.ts'
import { Sender } from '#shared/model/sender/sender.ts'
import { nowMs } from './sender.ts'

const secret = 'the right secret'
const body = '{"event":"paid"}'
const url = 'https://in.example/api/connect/tok/events'
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const publicKey = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()
const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const pem = other.export({ type: 'pkcs8', format: 'pem' }).toString()
const senderOf = (fields: object) =>
  Sender.parse({ scheme: 'template', eventName: { path: 'event' }, ...fields })
const token = { verify: 'token', signatureHeader: 'x-token' }
const jwt = { verify: 'jwt', jwt: { header: 'authorization', algorithm: 'HS256', audience: 'us' } }
const rsaSigned = { verify: 'rsa', signatureHeader: 'x-sig', encoding: 'base64', signed: '{{body}}' }

/** Returns the diagnosis of a request that a sender with other fields, secret or time signs. */
function diagnosisOf(fields: object, signer: { fields?: object; secret?: string; at?: number } = {}) {
  const sign = postSignerOf(senderOf(signer.fields ?? fields), signer.secret ?? secret)
  const { headers } = sign(body, signer.at ?? nowMs, { id: 'msg_1', url })
  return diagnose({
    ...{ sender: senderOf(fields), secret, oldSecrets: ['an old one'], ownSecret: 'its own' },
    ...{ headers: Object.entries(headers), url, rawBody: Buffer.from(body), nowMs },
    otherConnections: [{ name: 'Shop', secret: 'of the shop' }],
  })
}

test.each([
  ['an old token', diagnosisOf(token, { secret: 'an old one' }), 'old_secret', /has been replaced/],
  [
    'a token of another connection',
    diagnosisOf(token, { secret: 'of the shop' }),
    'other_connection',
    /"Shop"/,
  ],
  [
    'the signing secret',
    diagnosisOf(token, { secret: 'its own' }),
    'connection_secret',
    /own signing secret/,
  ],
  [
    'another token',
    diagnosisOf(token, { secret: 'x' }),
    'unknown',
    /token in the header x-token is not that/,
  ],
  ['a token in quotes', diagnosisOf(token, { secret: `"${secret}"` }), 'secret_with_whitespace', /quotes/],
  ['a JWT with an old secret', diagnosisOf(jwt, { secret: 'an old one' }), 'old_secret', /has been replaced/],
  [
    'a JWT with another algorithm',
    diagnosisOf(jwt, { fields: { ...jwt, jwt: { ...jwt.jwt, algorithm: 'HS512' } } }),
    ...(['unknown', /"alg" "HS512"\. The setting says HS256/] as const),
  ],
  ['an old JWT', diagnosisOf(jwt, { at: nowMs - 900_000 }), 'unknown', /expired 600 seconds before it came/],
  [
    'a JWT for others',
    diagnosisOf(jwt, { fields: { ...jwt, jwt: { ...jwt.jwt, audience: 'them' } } }),
    ...(['unknown', /"aud" "them"\. The setting says "us"/] as const),
  ],
  [
    'another key',
    diagnosisOf({ ...rsaSigned, publicKey }, { fields: rsaSigned, secret: pem }),
    'unknown',
    /public key of this sender/,
  ],
  ['no public key', diagnosisOf(rsaSigned, { secret: pem }), 'no_secret', /No public key/],
  [
    'keys at an address',
    diagnosisOf({ ...rsaSigned, keysUrl: 'https://keys.example/' }, { fields: rsaSigned, secret: pem }),
    ...(['unknown', /public keys at https:\/\/keys\.example/] as const),
  ],
])('the diagnosis names %s', (_what, diagnosis, code, message) => {
  expect(diagnosis.code).toBe(code)
  expect(diagnosis.message).toMatch(message)
  expect(diagnosis.message).not.toContain(secret)
})

test('the diagnosis of a request without its token names the scheme that it has', () => {
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  const found = diagnose({
    ...{ sender: senderOf(token), secret, url, rawBody: Buffer.from(body), nowMs },
    headers: [['x-hub-signature-256', `sha256=${signature}`]],
  })
  expect(found).toMatchObject({ code: 'other_scheme', recognized: 'github' })
})

describe('a sender that signs another URL', () => {
  const called = 'http://proxy.example:8080'
  const diagnosisOfUrl = (sender: object, host: string, signedSecret = secret) => {
    const { headers } = postSignerOf(Sender.parse(sender), signedSecret)(body, nowMs, {
      ...{ id: 'msg_1', url: `${called}/api/connect/tok/events` },
    })
    return diagnose({
      ...{ sender: Sender.parse(sender), secret, url, rawBody: Buffer.from(body), nowMs },
      headers: [...Object.entries(headers), ['Host', host]],
    })
  }
  const square = { scheme: 'square' }

  test.each([{ scheme: 'hubspot' }, { scheme: 'trello' }, square])('is told which ($scheme)', sender => {
    const found = diagnosisOfUrl(sender, 'proxy.example:8080')
    expect(found).toMatchObject({ code: 'other_signed_text', scheme: sender.scheme })
    expect(found.message).toContain(`begins with ${called}, not with https://in.example.`)
    expect(found.message).not.toContain('tok')
  })

  test.each([
    ['it called another host', diagnosisOfUrl(square, 'elsewhere.example')],
    ['its host is none', diagnosisOfUrl(square, 'a b/c')],
    ['its secret is another', diagnosisOfUrl(square, 'proxy.example:8080', 'x')],
  ])('is not told so if %s', (_what, { message }) => {
    expect(message).not.toContain('begins with')
  })
})

import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { expect, test } from 'vitest'
import { verifySender } from '#main/inbound/verify-sender.ts'
import { postSignerOf, signerOf, withQuery } from '#main/signing/sign-as.ts'
import { Sender } from '#shared/model/sender/sender.ts'
import { nowMs } from './sender.ts'

const url = 'https://in.example/api/connect/tok/events'
const body = '{"event":"paid","data":{"amount":1.10},"proof":{"kept":1}}'
const pairs = {
  ed25519: generateKeyPairSync('ed25519'),
  p256: generateKeyPairSync('ec', { namedCurve: 'prime256v1' }),
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
}
const publicOf = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString()
const privateOf = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()
const withKeys = (name: keyof typeof pairs) => ({
  publicKey: publicOf(pairs[name].publicKey),
  secret: privateOf(pairs[name].privateKey),
})
const jwt = (algorithm: string, more: object = {}) => ({
  ...{ verify: 'jwt', jwt: { header: 'authorization', algorithm, issuer: 'me', audience: 'you', ...more } },
})
const signed = { signatureHeader: 'x-sig', encoding: 'base64', signed: '{{body}}' } as const

const kinds: [string, Record<string, unknown>][] = [
  ['a token', { verify: 'token', signatureHeader: 'authorization', prefix: 'Bearer ' }],
  ['a token in the query', { verify: 'token', signature: { query: 'token' } }],
  ['a token in the body', { verify: 'token', signature: { path: 'proof.token' } }],
  ['a user and a password', { verify: 'basic', secret: 'me:password' }],
  ['nothing', { verify: 'none' }],
  [
    'a time and an id in the query',
    { ...signed, signed: '{{query}}\n{{body}}', timestamp: { query: 't' }, id: { query: 'i' } },
  ],
  [
    'a time and an id in the body',
    { ...signed, signed: '{{bodyHash}}', timestamp: { path: 't' }, id: { path: 'proof.id' } },
  ],
  [
    'a time in ISO 8601',
    { ...signed, signed: '{{timestamp}}.{{body}}', timestampHeader: 'x-time', timestampUnit: 'iso' },
  ],
  ['Ed25519', { ...signed, verify: 'ed25519', ...withKeys('ed25519') }],
  ['ECDSA', { ...signed, verify: 'ecdsa', ...withKeys('p256') }],
  ['RSA', { ...signed, verify: 'rsa', ...withKeys('rsa') }],
  ['RSA-PSS', { ...signed, verify: 'rsa-pss', algorithm: 'sha512', ...withKeys('rsa') }],
  ['HS384', jwt('HS384')],
  ['HS256 with a digest', jwt('HS256', { bodyDigestClaim: 'digest' })],
  ['HS512 as the body', { verify: 'jwt', jwt: { body: true, algorithm: 'HS512' } }],
  ['RS256', { ...jwt('RS256'), ...withKeys('rsa') }],
  ['PS384', { ...jwt('PS384'), ...withKeys('rsa') }],
  ['ES256', { ...jwt('ES256'), ...withKeys('p256') }],
  ['EdDSA', { ...jwt('EdDSA'), ...withKeys('ed25519') }],
]

test.each(kinds)('signs as a sender with %s does', (_name, { secret: given, ...fields }) => {
  const secret = typeof given === 'string' ? given : 'a secret'
  const sender = Sender.parse({ scheme: 'template', eventName: { path: 'event' }, data: 'body', ...fields })
  const post = postSignerOf(sender, secret)(body, nowMs, { id: 'msg_1', url })
  const verified = verifySender({
    ...{ sender, secrets: [{ secret, expiresAt: null }], rawHeaders: Object.entries(post.headers).flat() },
    ...{ body: Buffer.from(post.body), url: withQuery(url, post.query), nowMs },
  })
  expect(verified).toMatchObject({ ok: true, message: null })
})

test('a proof outside the headers, and a missing private key, are refused in words', () => {
  const own = { scheme: 'template', eventName: { path: 'event' } } as const
  const inQuery = Sender.parse({ ...own, verify: 'token', signature: { query: 'token' } })
  expect(() => signerOf(inQuery, 'x')(body, nowMs, { id: '', url })).toThrow(/headers alone do not sign/)
  const withKey = Sender.parse({ ...own, ...signed, verify: 'rsa', publicKey: withKeys('rsa').publicKey })
  for (const secret of ['', 'x', withKeys('p256').secret])
    expect(() => postSignerOf(withKey, secret)).toThrow(/give a private key as PEM/)
})

import { constants, createHash, createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { verifySender } from '#main/inbound/verify-sender.ts'
import type { FetchedKeys } from '#main/signing/fetched-keys.ts'
import { prepareSender } from '#main/signing/prepare-sender.ts'
import { proofBodyOf } from '#main/signing/proof-body.ts'
import { publicKeyProblem } from '#main/signing/public-key.ts'
import { identityOf, matchHead, readHead } from '#main/signing/read-sender.ts'
import { Sender } from '#shared/model/sender/sender.ts'
import { nowMs, secret } from './sender.ts'

const seconds = Math.floor(nowMs / 1000)
const url = 'https://in.example/api/connect/tok/events'
const body = '{"event":"paid","data":{"amount":1.10}}'
const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString()
const ed = generateKeyPairSync('ed25519')
const ec = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

const own = { scheme: 'template', eventName: { path: 'event' }, data: { path: 'data' } } as const
const header = { signatureHeader: 'x-sig', signed: '{{body}}' } as const

type Tried = {
  readonly sender: object
  readonly headers: Record<string, string>
  readonly body?: string
  readonly url?: string
  readonly secret?: string
  readonly fetchedKeys?: FetchedKeys
  readonly at?: number
}

function verify({
  sender,
  headers,
  body: sent = body,
  url: called = url,
  secret: own = secret,
  ...others
}: Tried) {
  return verifySender({
    sender: Sender.parse(sender),
    secrets: [{ secret: own, expiresAt: null }],
    rawHeaders: Object.entries(headers).flat(),
    body: Buffer.from(sent),
    url: called,
    nowMs: others.at ?? nowMs,
    fetchedKeys: others.fetchedKeys,
  })
}
const outcome = (tried: Tried) => {
  const { ok, code } = verify(tried)
  return ok ? 'ok' : code
}

const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
const bytes = Buffer.from(body)
const jwk = (key: KeyObject) => JSON.stringify(key.export({ format: 'jwk' }))
const rawOf = (key: KeyObject) => Buffer.from(String(key.export({ format: 'jwk' }).x), 'base64url')

const signatures = {
  'ed25519, hex': {
    verify: 'ed25519',
    encoding: 'hex',
    publicKey: rawOf(ed.publicKey).toString('hex'),
    signature: sign(null, bytes, ed.privateKey),
  },
  'ed25519, JWK': {
    verify: 'ed25519',
    encoding: 'base64',
    publicKey: jwk(ed.publicKey),
    signature: sign(null, bytes, ed.privateKey),
  },
  'ecdsa in DER': {
    verify: 'ecdsa',
    encoding: 'base64',
    publicKey: pem(ec.publicKey),
    signature: sign('sha256', bytes, ec.privateKey),
  },
  'ecdsa as two numbers, bare base64': {
    verify: 'ecdsa',
    encoding: 'base64',
    publicKey: ec.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    signature: sign('sha256', bytes, { key: ec.privateKey, dsaEncoding: 'ieee-p1363' }),
  },
  rsa: {
    verify: 'rsa',
    encoding: 'base64',
    publicKey: pem(rsa.publicKey),
    signature: sign('sha256', bytes, rsa.privateKey),
  },
  'rsa with SHA-1': {
    verify: 'rsa',
    encoding: 'base64',
    algorithm: 'sha1',
    publicKey: pem(rsa.publicKey),
    signature: sign('sha1', bytes, rsa.privateKey),
  },
  'rsa-pss': {
    verify: 'rsa-pss',
    encoding: 'hex',
    publicKey: jwk(rsa.publicKey),
    signature: sign('sha256', bytes, { key: rsa.privateKey, ...pss }),
  },
} as const

describe.each(Object.entries(signatures))('a signature by %s', (_name, { signature, ...kind }) => {
  const sender = { ...own, ...header, ...kind }
  const sent = (one: Buffer) => ({ sender, headers: { 'x-sig': one.toString(kind.encoding) } })

  test('is verified', () => {
    expect(verify(sent(signature))).toMatchObject({ ok: true, code: null })
    const steps = verify(sent(signature)).steps.map(({ step, state }) => [step, state])
    expect(steps).toContainEqual(['signature', 'passed'])
  })

  test('does not fit another body, another key or another length', () => {
    expect(outcome({ ...sent(signature), body: body.replace('1.10', '2.10') })).toBe('invalid_signature')
    expect(outcome(sent(signature.subarray(1)))).toBe('invalid_signature')
    expect(outcome(sent(Buffer.alloc(signature.length)))).toBe('invalid_signature')
    const { publicKey: _, ...without } = sender
    expect(outcome({ ...sent(signature), sender: without })).toBe('invalid_signature')
    expect(outcome({ ...sent(signature), headers: {} })).toBe('missing_signature')
  })
})

test.each(['AQ', 'Ag'])('an RSA key with the exponent %s is none', e => {
  // With the exponent 1, the padded digest is its own signature.
  const start = Buffer.from('3031300d060960864801650304020105000420', 'hex')
  const digest = Buffer.concat([start, createHash('sha256').update(body).digest()])
  const padding = Buffer.concat([
    Buffer.from([0, 1]),
    Buffer.alloc(253 - digest.length, 0xff),
    Buffer.alloc(1),
  ])
  const forged = Buffer.concat([padding, digest]).toString('base64')
  const publicKey = JSON.stringify({ ...rsa.publicKey.export({ format: 'jwk' }), e })
  const sender = { ...own, ...header, verify: 'rsa', encoding: 'base64', publicKey }
  expect(outcome({ sender, headers: { 'x-sig': forged } })).toBe('invalid_signature')
  expect(publicKeyProblem(Sender.parse(sender))).toMatch(/^This is an RSA key with the exponent [12],/)
})

describe('a fixed token', () => {
  const sender = { ...own, verify: 'token', signatureHeader: 'authorization', prefix: 'Bearer ' }

  test('is compared with the secret', () => {
    expect(outcome({ sender, headers: { authorization: `Bearer ${secret}` } })).toBe('ok')
    for (const wrong of [`Bearer ${secret}x`, `Bearer ${secret.slice(1)}`, secret, 'Bearer '])
      expect(outcome({ sender, headers: { authorization: wrong } })).toBe('invalid_signature')
    expect(outcome({ sender, headers: {} })).toBe('missing_signature')
  })

  test.each([
    [{ path: 'token' }, { body: `{"event":"paid","token":"${secret}"}` }],
    [{ query: 'token' }, { url: `${url}?token=${secret}` }],
  ])('is found at %j', (signature, changed) => {
    const placed = { ...own, verify: 'token', signature }
    expect(outcome({ sender: placed, headers: {}, ...changed })).toBe('ok')
    expect(outcome({ sender: placed, headers: {}, ...changed, secret: 'another' })).toBe('invalid_signature')
    expect(outcome({ sender: placed, headers: {} })).toBe('missing_signature')
  })

  test('in a body that cannot be read is missing', () => {
    const placed = { ...own, verify: 'token', signature: { path: 'token' } }
    const deep = `{"token":"${secret}","event":"paid","x":${'['.repeat(64)}${']'.repeat(64)}}`
    const withValues = (count: number) =>
      `{"token":"${secret}","event":"paid","x":[${'1.0,'.repeat(count - 5)}1]}`
    expect(outcome({ sender: placed, headers: {}, body: withValues(20_000) })).toBe('ok')
    for (const sent of ['', '{', '<a/>', '[1', '\xff', deep, withValues(20_001)])
      expect(outcome({ sender: placed, headers: {}, body: sent })).toBe('missing_signature')
  })
})

describe('a user and a password', () => {
  const sender = { ...own, verify: 'basic' }
  const authorization = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })

  test('are compared with the secret', () => {
    const given = { sender, secret: 'me:päss:word' }
    expect(outcome({ ...given, headers: authorization('me:päss:word') })).toBe('ok')
    for (const wrong of ['me:other', 'me', ':', 'you:päss:word'])
      expect(outcome({ ...given, headers: authorization(wrong) })).toBe('invalid_signature')
    expect(outcome({ ...given, headers: { authorization: 'Bearer x' } })).toBe('invalid_signature')
    expect(outcome({ ...given, headers: {} })).toBe('missing_signature')
  })
})

describe('no proof', () => {
  test('needs none', () => {
    expect(outcome({ sender: { ...own, verify: 'none' }, headers: {} })).toBe('ok')
  })
})

describe('a JWT', () => {
  const claims = { iss: 'them', aud: ['us', 'others'], exp: seconds + 60 }
  const digest = createHash('sha256').update(body).digest('hex')
  const setting = { header: 'authorization', algorithm: 'HS256', issuer: 'them', audience: 'us' }
  const senderOf = (jwt: object, more: object = {}) => ({
    ...own,
    ...more,
    verify: 'jwt',
    jwt: { ...setting, ...jwt },
  })
  const make = (payload: object, head: object, by: (text: string) => Buffer) => {
    const text = `${base64url(head)}.${base64url(payload)}`
    return `${text}.${by(text).toString('base64url')}`
  }
  const hs = (hash: string) => (text: string) => createHmac(hash, secret).update(text).digest()
  const tokenOf = (payload: object, head: object = { alg: 'HS256' }, by = hs('sha256')) =>
    make(payload, head, by)
  const sent = (token: string) => ({ authorization: `Bearer ${token}` })

  test.each([
    ['HS256', hs('sha256'), undefined],
    ['HS384', hs('sha384'), undefined],
    ['HS512', hs('sha512'), undefined],
    ['RS256', (text: string) => sign('sha256', Buffer.from(text), rsa.privateKey), rsa.publicKey],
    ['RS512', (text: string) => sign('sha512', Buffer.from(text), rsa.privateKey), rsa.publicKey],
    [
      'PS384',
      (text: string) => sign('sha384', Buffer.from(text), { key: rsa.privateKey, ...pss }),
      rsa.publicKey,
    ],
    [
      'ES256',
      (text: string) => sign('sha256', Buffer.from(text), { key: ec.privateKey, dsaEncoding: 'ieee-p1363' }),
      ec.publicKey,
    ],
    ['EdDSA', (text: string) => sign(null, Buffer.from(text), ed.privateKey), ed.publicKey],
  ] as const)('of %s is verified', (alg, by, key) => {
    const sender = senderOf({ algorithm: alg }, key === undefined ? {} : { publicKey: pem(key) })
    expect(outcome({ sender, headers: sent(make(claims, { alg }, by)) })).toBe('ok')
    expect(outcome({ sender, headers: sent(`${make(claims, { alg }, by).slice(0, -4)}AAAA`) })).toBe(
      'invalid_signature',
    )
  })

  test('has the algorithm of the setting, not its own', () => {
    const forged = make(claims, { alg: 'HS256' }, text =>
      createHmac('sha256', pem(rsa.publicKey)).update(text).digest(),
    )
    const sender = senderOf({ algorithm: 'RS256' }, { publicKey: pem(rsa.publicKey) })
    expect(outcome({ sender, headers: sent(forged) })).toBe('invalid_signature')
    const none = `${base64url({ alg: 'none' })}.${base64url(claims)}.`
    for (const one of [
      none,
      `${none}AA`,
      tokenOf(claims, { alg: 'none' }),
      tokenOf(claims, { alg: 'hs256' }),
      tokenOf(claims, {}),
    ])
      expect(outcome({ sender: senderOf({}), headers: sent(one) })).toBe('invalid_signature')
    expect(
      outcome({ sender: senderOf({}), headers: sent(tokenOf(claims, { alg: 'HS256', crit: ['x'] })) }),
    ).toBe('invalid_signature')
  })

  test.each([
    ['expired', { ...claims, exp: seconds - 301 }, 'token_expired'],
    ['within the window', { ...claims, exp: seconds - 299 }, 'ok'],
    ['of the future', { ...claims, nbf: seconds + 302 }, 'stale_timestamp'],
    ['without an end, but new', { iss: 'them', aud: 'us', iat: seconds }, 'ok'],
    ['without an end, and old', { iss: 'them', aud: 'us', iat: seconds - 301 }, 'token_expired'],
    ['without any time', { iss: 'them', aud: 'us' }, 'missing_timestamp'],
    ['of another issuer', { ...claims, iss: 'me' }, 'invalid_signature'],
    ['for another audience', { ...claims, aud: 'you' }, 'invalid_signature'],
    ['without an audience', { iss: 'them', exp: seconds }, 'invalid_signature'],
  ])('that is %s: %j', (_what, payload, expected) => {
    expect(outcome({ sender: senderOf({}), headers: sent(tokenOf(payload)) })).toBe(expected)
  })

  test('covers the body with its digest', () => {
    const sender = senderOf({ bodyDigestClaim: 'hash' })
    for (const hash of [digest, digest.toUpperCase(), Buffer.from(digest, 'hex').toString('base64')]) {
      const headers = sent(tokenOf({ ...claims, hash }))
      expect(outcome({ sender, headers })).toBe('ok')
      expect(outcome({ sender, headers, body: `${body} ` })).toBe('invalid_signature')
    }
    expect(outcome({ sender, headers: sent(tokenOf(claims)) })).toBe('invalid_signature')
  })

  test('can be the body, whose claims are the event', () => {
    const sender = senderOf({ header: undefined, body: true })
    const token = tokenOf({ ...claims, event: 'paid', data: { amount: 1 } })
    const { ok, steps } = verify({ sender, headers: {}, body: token })
    expect(ok).toBe(true)
    expect(steps.find(({ step }) => step === 'event_name')).toMatchObject({ value: 'paid' })
    expect(outcome({ sender, headers: {}, body })).toBe('invalid_signature')
  })

  test('has at most 8 KiB', () => {
    const long = tokenOf({ ...claims, note: 'x'.repeat(8000) })
    expect(outcome({ sender: senderOf({}), headers: sent(long) })).toBe('invalid_signature')
  })

  test('finds its key by its id, and each fitting one without', () => {
    const sign_ = (text: string) => sign('sha256', Buffer.from(text), rsa.privateKey)
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey
    const keyOf = (kid: string | null, key: KeyObject) => ({ kid, key, valid: null })
    const keys = [keyOf('a', other), keyOf('b', rsa.publicKey), keyOf('c', ec.publicKey)]
    const known = { keys, isFresh: true, mayFetch: false }
    const sender = senderOf({ algorithm: 'RS256' }, { keysUrl: 'https://keys.example/jwks' })
    const at = (kid: string | undefined, now: ReturnType<FetchedKeys>) =>
      outcome({ sender, headers: sent(make(claims, { alg: 'RS256', kid }, sign_)), fetchedKeys: () => now })
    expect(at('b', known)).toBe('ok')
    expect(at(undefined, known)).toBe('ok')
    expect(at('a', known)).toBe('invalid_signature')
    expect(at('z', known)).toBe('unknown_key')
    expect(at('z', { ...known, mayFetch: true })).toBe('unknown_key')
    expect(at('b', { ...known, isFresh: false })).toBe('ok')
    expect(at('b', { keys: null, isFresh: false, mayFetch: false })).toBe('keys_unavailable')
  })
})

describe('a signed text', () => {
  const hmac = (text: string, key: string | Buffer = secret) =>
    createHmac('sha256', key).update(text).digest('hex')
  const template = (signed: string, more: object = {}) => ({
    ...own,
    signatureHeader: 'x-sig',
    encoding: 'hex',
    signed,
    ...more,
  })
  const hash = createHash('sha256').update(body).digest('hex')

  test.each([
    ['{{method}} {{path}}\n{{query}}\n{{body}}', `POST /api/connect/tok/events\na=1&b=%20\n${body}`],
    ['{{url}}\n{{bodyHash}}', `${url}?a=1&b=%20\n${hash}`],
    ['{{bodyCrc32}}.{{body}}', `${crc32(bytes)}.${body}`],
    ['{{body:data.amount}}.{{body}}', `1.10.${body}`],
    ['{{line:Amount:data.amount}};{{line:None:data.none}};{{bodyHash}}', `Amount\n1.10\n;;${hash}`],
    ['{{setting:account}}:{{body}}', `ümlaut:${body}`],
  ])('%s', (signed, text) => {
    const sender = template(signed, { settings: { account: 'ümlaut' } })
    // One has its separator in its value.
    const tried = { sender, url: `${url}?a=1&b=%20`, headers: { 'x-sig': hmac(text) } }
    expect(outcome(tried)).toBe(signed.startsWith('{{body:data') ? 'invalid_signature' : 'ok')
  })

  test.each(['account', 'constructor', '__proto__'])('needs the value of its setting %s', name => {
    const { error } = Sender.safeParse(template(`{{setting:${name}}}.{{body}}`, { settings: {} }))
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['settings'])
  })

  test('has the sorted fields of a form', () => {
    const form = 'b=2+2&a=%C3%A9&b=1&c='
    const sender = template('{{url}}{{sortedForm}}', { eventName: { path: 'b' }, data: 'body' })
    const headers = { 'x-sig': hmac(`${url}aéb1b2 2c`), 'content-type': 'application/x-www-form-urlencoded' }
    expect(outcome({ sender, headers, body: form })).toBe('ok')
    expect(outcome({ sender, headers, body: '{"a":1}' })).toBe('missing_signature')
  })

  test('has the time in ISO 8601 and the key in hexadecimal digits', () => {
    const sender = template('{{timestamp}}.{{body}}', {
      timestampHeader: 'x-time',
      timestampUnit: 'iso',
      key: 'hex',
    })
    const at = (time: string) =>
      outcome({
        sender,
        secret: '00ff',
        headers: { 'x-sig': hmac(`${time}.${body}`, Buffer.from('00ff', 'hex')), 'x-time': time },
      })
    const now = new Date(nowMs).toISOString()
    expect(now).toBe('2023-11-14T22:13:20.123Z')
    expect(at('2023-11-14T22:13:20Z')).toBe('ok')
    expect(at('2023-11-15T00:13:20+02:00')).toBe('ok')
    expect(at('2023-11-15T00:13:20+0200')).toBe('ok')
    expect(at('2023-11-14T22:13:20+02:00')).toBe('stale_timestamp')
    for (const wrong of ['2023-11-14T22:13:20', '2023-11-14', '1700000000', '2023-13-14T22:13:20Z'])
      expect(at(wrong)).toBe('invalid_timestamp')
    // Its separator is in it.
    expect(at('2023-11-14T22:13:20.123Z')).toBe('invalid_signature')
  })

  test('has its signature, time and id in the body', () => {
    const signature = hmac(`${seconds}|msg_1|${hash}`)
    // The signature is part of the body, so the body cannot be part of what is signed: only presets sign so.
    const sender = template('{{timestamp}}|{{id}}|{{bodyHash}}', {
      timestamp: { query: 't' },
      id: { query: 'i' },
    })
    expect(outcome({ sender, headers: { 'x-sig': signature }, url: `${url}?t=${seconds}&i=msg_1` })).toBe(
      'ok',
    )
    expect(outcome({ sender, headers: { 'x-sig': signature }, url: `${url}?t=${seconds}&i=msg_2` })).toBe(
      'invalid_signature',
    )
    expect(outcome({ sender, headers: { 'x-sig': signature }, url: `${url}?i=msg_1` })).toBe(
      'missing_timestamp',
    )
  })
})

describe('what identifies a request', () => {
  const identityWith = (sender: object, headers: Record<string, string>, sent: string) => {
    const prepared = prepareSender(Sender.parse(sender), [{ secret, expiresAt: null }])
    const raw = Buffer.from(sent)
    const request = { rawHeaders: Object.entries(headers).flat(), url: () => url, body: proofBodyOf(raw) }
    const head = readHead(prepared, request, nowMs)
    const match = matchHead(head, raw, nowMs)
    if (match.problem !== null) throw new Error(match.problem.detail)
    return identityOf(head, match.digest, raw)
  }
  const token = { ...own, verify: 'token', signatureHeader: 'x-token', idHeader: 'x-id' }

  test('is the id with the body, where the proof does not cover it', () => {
    const headers = { 'x-token': secret, 'x-id': '1' }
    const first = identityWith(token, headers, body)
    expect(first).toMatch(/^[0-9a-f]{64}$/)
    expect(identityWith(token, headers, body)).toBe(first)
    expect(identityWith(token, headers, `${body} `)).not.toBe(first)
    expect(identityWith(token, { ...headers, 'x-id': '2' }, body)).not.toBe(first)
  })

  test('is a token alone that is the body, whatever stands around it', () => {
    const claims = { exp: seconds + 60, event: 'paid' }
    const text = `${base64url({ alg: 'HS256' })}.${base64url(claims)}`
    const sent = `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
    const sender = { ...own, verify: 'jwt', jwt: { body: true, algorithm: 'HS256' } }
    const first = identityWith(sender, {}, sent)
    for (const copy of [`${sent}\n`, ` ${sent}`, `Bearer ${sent}`])
      expect(identityWith(sender, {}, copy)).toBe(first)
  })

  test('is nothing without an id', () => {
    expect(identityWith(token, { 'x-token': secret }, body)).toBe('')
    expect(identityWith({ ...own, verify: 'none' }, {}, body)).toBe('')
  })
})

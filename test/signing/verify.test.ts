import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { signatureOf, signedHeaders } from '#main/signing/sign.ts'
import { SigningKey } from '#main/signing/signing-key.ts'
import {
  checkSignatureShape,
  checkTimestamp,
  matchKey,
  type VerificationKey,
  verificationKeysOf,
  verifyRequest,
} from '#main/signing/verify.ts'
import { hmacHex, nowMs, secret } from './sender.ts'

const body = Buffer.from('{"event":"order.created","data":{"orderId":42}}')
const timestamp = String(nowMs)
const signature = `sha256=${hmacHex(secret, `${timestamp}.${body}`)}`
const keys = verificationKeysOf({ signingSecret: secret })
const request = { keys, timestamp, signature, rawBody: body, nowMs }

describe('the timestamp header', () => {
  it.each([undefined, ''])('%j is missing', header => {
    expect(checkTimestamp(header, nowMs)).toBe('missing_timestamp')
  })

  it.each([
    '2023-11-14T22:13:20.123Z',
    '+1700000000123',
    '-1700000000123',
    '1700000000123.0',
    '1700000000.123',
    '1.700000000123e12',
    '0x18bcfe5687b',
    ' 1700000000123',
    '1700000000123 ',
    '1700000000123\n',
    '1 700 000 000 123',
    '1,700,000,000,123',
    '１７０００００００００００１２３'.slice(0, 13),
    '١٧٠٠٠٠٠٠٠٠١٢٣',
    '123abc',
    '1700000000123n',
    'NaN',
    'Infinity',
    '1700000000123, 1700000000123',
    '1700000000123000',
    '0001700000000123',
  ])('%j is invalid', header => {
    expect(checkTimestamp(header, nowMs)).toBe('invalid_timestamp')
  })

  it.each(['1700000000', '0', '999999999999999'])('%j is stale', header => {
    expect(checkTimestamp(header, nowMs)).toBe('stale_timestamp')
  })

  it.each([-300_000, -299_999, 0, 299_999, 300_000])('%i ms from the clock passes', difference => {
    expect(checkTimestamp(String(nowMs + difference), nowMs)).toBeNull()
  })

  it.each([-300_001, 300_001])('%i ms from the clock is stale', difference => {
    expect(checkTimestamp(String(nowMs + difference), nowMs)).toBe('stale_timestamp')
  })

  it('may have leading zeros, which are signed with it', () => {
    const padded = `00${timestamp}`
    const signedAsSent = `sha256=${hmacHex(secret, `${padded}.${body}`)}`
    expect(verifyRequest({ ...request, timestamp: padded, signature: signedAsSent })).toMatchObject({
      ok: true,
    })
    expect(verifyRequest({ ...request, timestamp: padded })).toEqual({ ok: false, code: 'invalid_signature' })
  })
})

const hex = signature.slice('sha256='.length)
const malformed = [
  `sha256=${hex.toUpperCase()}`,
  `SHA256=${hex}`,
  `Sha256=${hex}`,
  hex,
  `sha256=${Buffer.from(hex, 'hex').toString('base64')}`,
  `sha256=${hex.slice(1)}`,
  `sha256=${hex}0`,
  `sha256=${hex}, sha256=${hex}`,
  `sha256=${hex},sha256=${hex}`,
  ` sha256=${hex}`,
  `sha256=${hex}\n`,
  `sha256= ${hex}`,
  `sha256:${hex}`,
  `sha512=${hex}`,
  'sha256=',
  'sha256',
  `sha256=${'g'.repeat(64)}`,
  `sha256=${'é'.repeat(64)}`,
  `sha256=${'é'.repeat(32)}`,
  'a'.repeat(100_000),
]

describe('the signature header', () => {
  it.each([undefined, ''])('%j is missing', header => {
    expect(checkSignatureShape(header)).toBe('missing_signature')
  })

  it.each(malformed)('%.90j is invalid', header => {
    expect(checkSignatureShape(header)).toBe('invalid_signature')
    expect(verifyRequest({ ...request, signature: header })).toEqual({ ok: false, code: 'invalid_signature' })
  })

  it('passes in the right form', () => {
    expect(checkSignatureShape(signature)).toBeNull()
  })
})

describe('matching a key', () => {
  it.each([...malformed, ''])('takes %.90j for no match, not for an error', header => {
    expect(matchKey(keys, timestamp, header, body, nowMs)).toBeNull()
  })

  it('refuses a wrong secret and the signature of another connection', () => {
    const others = verificationKeysOf({ signingSecret: 'whsec_of-another-connection' })
    expect(matchKey(others, timestamp, signature, body, nowMs)).toBeNull()
  })

  it('accepts the old secret until just before its grace period ends, and says so', () => {
    const expiresAt = nowMs + 3_600_000
    const rotated = verificationKeysOf({ signingSecret: 'whsec_new', oldSecrets: [{ secret, expiresAt }] })
    expect(matchKey(rotated, timestamp, signature, body, nowMs)).toMatchObject({
      kind: 'previous',
      expiresAt,
    })
    expect(matchKey(rotated, timestamp, signature, body, expiresAt - 1)).not.toBeNull()
    expect(matchKey(rotated, timestamp, signature, body, expiresAt)).toBeNull()
    expect(matchKey(rotated, timestamp, signature, body, expiresAt + 1)).toBeNull()
  })

  it('prefers the current secret to an old one that is the same', () => {
    const same = verificationKeysOf({
      signingSecret: secret,
      oldSecrets: [{ secret, expiresAt: nowMs + 1 }],
    })
    expect(matchKey(same, timestamp, signature, body, nowMs)).toMatchObject({ kind: 'current' })
  })
})

describe('a connection with an empty secret', () => {
  it.each(['', '{}'])('refuses the request that anybody can sign, body %j', text => {
    const empty = verificationKeysOf({
      signingSecret: '',
      oldSecrets: [{ secret: '', expiresAt: nowMs + 1 }],
    })
    expect(empty).toEqual([])
    const forged = `sha256=${hmacHex('', `${timestamp}.${text}`)}`
    const result = verifyRequest({ ...request, keys: empty, signature: forged, rawBody: Buffer.from(text) })
    expect(result).toEqual({ ok: false, code: 'invalid_signature' })
  })
})

describe('verifying a request', () => {
  it('accepts what was signed, naming the key', () => {
    expect(verifyRequest(request)).toEqual({ ok: true, key: keys[0] })
  })

  it.each([
    [{ timestamp: undefined, signature: undefined }, 'missing_timestamp'],
    [{ timestamp: 'soon', signature: undefined }, 'invalid_timestamp'],
    [{ timestamp: '1700000000' }, 'stale_timestamp'],
    [{ signature: undefined }, 'missing_signature'],
    [{ rawBody: Buffer.alloc(0) }, 'invalid_signature'],
  ])('with %j answers %s', (change, code) => {
    expect(verifyRequest({ ...request, ...change })).toEqual({ ok: false, code })
  })
})

describe('for any secret, body and clock', () => {
  const anySecret = fc.string({ minLength: 1, unit: 'binary' }).filter(text => text.isWellFormed())
  const anyBody = fc.uint8Array({ maxLength: 2000 }).map(bytes => Buffer.from(bytes))
  const anyClock = fc.integer({ min: 600_000, max: 999_999_000_000_000 })
  const keysOf = (signingSecret: string): VerificationKey[] => verificationKeysOf({ signingSecret })

  const signed = (signingSecret: string, rawBody: Buffer, signedAt: number) => {
    const headers = signedHeaders(new SigningKey(signingSecret), signedAt, rawBody)
    return {
      keys: keysOf(signingSecret),
      timestamp: headers['x-service-timestamp'],
      signature: headers['x-service-signature'],
      rawBody,
    }
  }

  it('what is signed verifies within five minutes', () => {
    const skew = fc.integer({ min: -300_000, max: 300_000 })
    fc.assert(
      fc.property(anySecret, anyBody, anyClock, skew, (signingSecret, rawBody, clock, difference) => {
        const verification = verifyRequest({
          ...signed(signingSecret, rawBody, clock),
          nowMs: clock + difference,
        })
        expect(verification).toMatchObject({ ok: true })
      }),
    )
  })

  it('and is stale outside them', () => {
    const skew = fc.integer({ min: 300_001, max: 10_000_000_000 })
    fc.assert(
      fc.property(anyBody, anyClock, skew, fc.constantFrom(-1, 1), (rawBody, clock, difference, side) => {
        const verification = verifyRequest({
          ...signed(secret, rawBody, clock),
          nowMs: clock + side * difference,
        })
        expect(verification).toEqual({ ok: false, code: 'stale_timestamp' })
      }),
    )
  })

  it('any one byte of the body changed is refused', () => {
    const nonEmpty = anyBody.filter(bytes => bytes.length > 0)
    fc.assert(
      fc.property(nonEmpty, fc.nat(), fc.integer({ min: 1, max: 255 }), (rawBody, position, flip) => {
        const changed = Buffer.from(rawBody)
        const index = position % changed.length
        changed[index] = (changed[index] ?? 0) ^ flip
        const verification = verifyRequest({ ...signed(secret, rawBody, nowMs), rawBody: changed, nowMs })
        expect(verification).toEqual({ ok: false, code: 'invalid_signature' })
      }),
    )
  })

  it('any one character of signature, timestamp or secret changed is refused', () => {
    fc.assert(
      fc.property(
        anyBody,
        fc.nat(),
        fc.constantFrom('signature', 'timestamp', 'secret'),
        (rawBody, position, which) => {
          const good = signed(secret, rawBody, nowMs)
          const change = (text: string, from: number) => {
            const index = from + (position % (text.length - from))
            return text.slice(0, index) + (text[index] === '1' ? '2' : '1') + text.slice(index + 1)
          }
          const changed = {
            signature: { ...good, signature: change(good.signature, 0) },
            timestamp: { ...good, timestamp: change(good.timestamp, 8) },
            secret: { ...good, keys: keysOf(change(secret, 0)) },
          }[which]
          expect(verifyRequest({ ...changed, nowMs })).toEqual({ ok: false, code: 'invalid_signature' })
        },
      ),
    )
  })

  it('no signature text ever throws', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.string({ unit: 'binary' }),
        (header, time) => {
          expect(matchKey(keys, time, header, body, nowMs)).toBeNull()
          expect(verifyRequest({ ...request, timestamp: time, signature: header }).ok).toBe(false)
        },
      ),
    )
  })

  it('two implementations make the same signature', () => {
    fc.assert(
      fc.property(anySecret, anyBody, anyClock, (signingSecret, rawBody, clock) => {
        const message = Buffer.concat([Buffer.from(`${clock}.`), rawBody])
        const made = signatureOf(new SigningKey(signingSecret), String(clock), rawBody)
        expect(made).toBe(`sha256=${hmacHex(signingSecret, message)}`)
      }),
    )
  })
})

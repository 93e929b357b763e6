import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { signatureOf, signedHeaders } from '#main/signing/sign.ts'
import { SigningKey } from '#main/signing/signing-key.ts'
import { hasProgram } from '../support/has-program.ts'
import { secret } from './sender.ts'

const key = new SigningKey(secret)
const bytes0To255 = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))

/** Made with Python's hmac module; see the tests below, which ask it again where it is installed. */
const vectors = [
  {
    name: 'an event',
    timestamp: '1700000000123',
    body: '{"event":"order.created","data":{"orderId":42}}',
    digest: '210d35015b16e055e8421bc0a024fe79fe7588d68526bcd0fe1de011a0979eea',
  },
  {
    name: 'an empty body',
    timestamp: '1700000000123',
    body: '',
    digest: '992a545330c82a4be4d1ab4c0f0086310b55b85504e04b4fadcb056fe6a2e168',
  },
  {
    name: 'a body beyond ASCII, under a timestamp with leading zeros',
    timestamp: '001700000000123',
    body: '{"event":"café ☃ 😀"}',
    digest: '13ddbc25cd447144f035afdede5558fcd2f5cd29d5e86855919000260cd74a7a',
  },
  {
    name: 'every byte there is',
    timestamp: '1',
    body: bytes0To255,
    digest: 'c2b3bc5b4e4bbd37d95ba8df43662064bf8086f68248e27330a0a4a203a09428',
  },
]

const pythonProgram = `
import sys, hmac, hashlib
for line in sys.stdin:
    print(hmac.new(sys.argv[1].encode(), bytes.fromhex(line), hashlib.sha256).hexdigest())
`

describe('a signature', () => {
  it.each(vectors)('of $name is the known one', ({ timestamp, body, digest }) => {
    expect(signatureOf(key, timestamp, body)).toBe(`sha256=${digest}`)
  })

  it.runIf(hasProgram('python3'))('is the one Python makes', () => {
    const signed = ({ timestamp, body }: (typeof vectors)[number]) =>
      Buffer.concat([Buffer.from(`${timestamp}.`), Buffer.from(body)]).toString('hex')
    const input = `${vectors.map(signed).join('\n')}\n`
    const digests = execFileSync('python3', ['-c', pythonProgram, secret], { input }).toString().trim()
    expect(digests.split('\n').map(digest => `sha256=${digest}`)).toEqual(
      vectors.map(({ timestamp, body }) => signatureOf(key, timestamp, body)),
    )
  })

  it.runIf(hasProgram('openssl')).each(vectors)(
    'of $name is the one OpenSSL makes',
    ({ timestamp, body }) => {
      const input = Buffer.concat([Buffer.from(`${timestamp}.`), Buffer.from(body)])
      const output = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret], { input }).toString()
      expect(signatureOf(key, timestamp, body)).toBe(`sha256=${output.trim().split('= ')[1]}`)
    },
  )

  it('of a text is that of its UTF-8 bytes', () => {
    const text = '{"event":"café ☃ 😀"}'
    expect(signatureOf(key, '1', text)).toBe(signatureOf(key, '1', Buffer.from(text, 'utf8')))
  })
})

describe('the signed headers', () => {
  it('carry the timestamp that was signed, in milliseconds', () => {
    const headers = signedHeaders(key, 1_700_000_000_123, '{}')
    expect(headers).toEqual({
      'x-service-timestamp': '1700000000123',
      'x-service-signature': signatureOf(key, '1700000000123', '{}'),
    })
  })
})

describe('an empty secret', () => {
  it('makes no key', () => {
    expect(() => new SigningKey('')).toThrow(RangeError)
  })
})

import { createHmac } from 'node:crypto'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SigningKey } from '#main/signing/signing-key.ts'

const ascii = fc.string({ unit: 'binary-ascii', maxLength: 40 })

test('is HMAC-SHA256, for keys shorter and longer than a block', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' }),
      ascii,
      fc.uint8Array({ maxLength: 300 }),
      (secret, prefix, body) => {
        const expected = createHmac('sha256', secret).update(prefix).update(body).digest('hex')
        expect(new SigningKey(secret).digest(prefix, body)).toBe(expected)
      },
    ),
    { numRuns: 500 },
  )
})

test.each([16_383, 16_384, 16_385, 1_000_000])('is HMAC-SHA256 of a body of %i bytes', length => {
  const body = Buffer.alloc(length, 'é')
  const expected = createHmac('sha256', 'whsec_a').update('1.').update(body).digest('hex')
  expect(new SigningKey('whsec_a').digest('1.', body)).toBe(expected)
})

test('gives the same digest again after others', () => {
  const key = new SigningKey('whsec_a')
  const first = key.digest('1.', Buffer.from('x'))
  key.digest('2.', Buffer.alloc(100_000, 1))
  expect(key.digest('1.', Buffer.from('x'))).toBe(first)
})

test('shows nothing of itself', () => {
  const key = new SigningKey('whsec_canary')
  expect(inspect(key, { depth: 9, showHidden: true })).not.toMatch(/canary|<Buffer/)
  expect(JSON.stringify({ key })).toBe('{"key":{}}')
})

test('refuses an empty secret', () => {
  expect(() => new SigningKey('')).toThrow(RangeError)
})

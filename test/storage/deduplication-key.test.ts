import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deduplicationKey, groupedKey } from '#main/storage/deduplication-key.ts'

const digestOf = (text: string) => deduplicationKey('wf_a', text, 0, 1).digest

test('the digest of a text that UTF-8 can write stays what earlier versions have kept', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), text => {
      const whole = createHash('sha256').update(`wf_a\n${text}`).digest('base64url')
      expect(digestOf(text)).toBe(whole.slice(0, 22))
    }),
  )
})

test('different texts have different digests, also with lone surrogates', () => {
  const unit = fc.constantFrom('a', '\ud800', '\ud801', '\udc00', '\ufffd', '\u{10000}', '\xff')
  const text = fc.string({ unit, maxLength: 3 })
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(digestOf(one) === digestOf(other)).toBe(one === other)
    }),
  )
})

test('the keys of one text have the same group, those of others another one, and none another digest', () => {
  const key = (scope: string, text: string) => groupedKey(scope, text, 0, 1)
  expect(key('wf_a', 'ORD-1').group).toBe(key('wf_b', 'ORD-1').group)
  expect(key('wf_a', 'ORD-2').group).not.toBe(key('wf_a', 'ORD-1').group)
  expect(key('wf_a', '').group).toBeGreaterThan(1)
  expect(key('wf_a', 'ORD-1').digest).toBe(deduplicationKey('wf_a', 'ORD-1', 0, 1).digest)
})

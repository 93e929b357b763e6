import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSealer, SealedTextError, sealedPattern } from '#main/storage/local/secrets.ts'
import { keyNamed, sealer } from './config-fixtures.ts'

const context = 'connection/conn_1/signingSecret'

describe('a sealed text', () => {
  test('opens to the sealed text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (text, place) => {
        const sealed = sealer.seal(text, place)
        expect(sealed).toMatch(sealedPattern)
        expect(sealer.open(sealed, place)).toBe(text)
      }),
    )
  })

  test('is different each time', () => {
    const texts = new Set(Array.from({ length: 1000 }, () => sealer.seal('whsec_1', context)))
    expect(texts.size).toBe(1000)
  })

  test('does not open in another place', () => {
    const sealed = sealer.seal('whsec_1', context)
    for (const place of ['connection/conn_1/previousSecret', 'connection/conn_2/signingSecret', '']) {
      expect(() => sealer.open(sealed, place)).toThrow(SealedTextError)
    }
  })

  test('does not open with another key', () => {
    const sealed = sealer.seal('whsec_1', context)
    expect(() => createSealer(keyNamed('another')).open(sealed, context)).toThrow(SealedTextError)
  })

  test('does not open after any bit flip or cut', () => {
    const [scheme, data = ''] = sealer.seal('whsec_1', context).split(':')
    const bytes = Buffer.from(data, 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(() => sealer.open(`${scheme}:${changed.toString('base64url')}`, context)).toThrow(
        SealedTextError,
      )
    }
    for (let length = 0; length < bytes.length; length += 1) {
      const cut = bytes.subarray(0, length).toString('base64url')
      expect(() => sealer.open(`${scheme}:${cut}`, context)).toThrow(SealedTextError)
    }
  })

  test('has an error that names the context and not the text', () => {
    expect(() => sealer.open('aes-256-gcm:whsecplain', context)).toThrow(
      /^The encrypted text of connection\/conn_1\/signingSecret cannot be decrypted/,
    )
  })

  test.for(['', 'whsec_plain', 'aes-256-gcm:', 'aes-256-gcm:a b', 'aes-128-gcm:AAAA'])(
    'does not include %j',
    text => {
      expect(() => sealer.open(text, context)).toThrow(SealedTextError)
    },
  )
})

test('a key has 32 bytes', () => {
  expect(() => createSealer(randomBytes(16))).toThrow(RangeError)
})

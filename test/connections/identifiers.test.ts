import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newId, newInboundToken, newSigningSecret, slugOf } from '#main/connections/identifiers.ts'
import { ConnectionId, EventTypeId, WorkspaceId } from '#shared/model/identifiers.ts'

describe('identifiers and credentials', () => {
  test('have the form that was decided', () => {
    expect(newId('conn', randomBytes)).toMatch(/^conn_[A-Za-z0-9_-]{21}$/)
    expect(newInboundToken(randomBytes)).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(newSigningSecret(randomBytes)).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/)
  })

  test('ids are what their models accept', () => {
    expect(ConnectionId.safeParse(newId('conn', randomBytes)).success).toBe(true)
    expect(WorkspaceId.safeParse(newId('ws', randomBytes)).success).toBe(true)
    expect(EventTypeId.safeParse(newId('evtype', randomBytes)).success).toBe(true)
    expect(ConnectionId.safeParse(newId('ws', randomBytes)).success).toBe(false)
  })

  test('credentials keep all 32 random bytes', () => {
    const bytes = randomBytes(32)
    const decoded = (text: string) => Buffer.from(text, 'base64url')
    expect(decoded(newInboundToken(() => bytes))).toEqual(bytes)
    expect(decoded(newSigningSecret(() => bytes).slice('whsec_'.length))).toEqual(bytes)
  })

  test('differ with the random bytes', () => {
    const ids = Array.from({ length: 1000 }, () => newId('conn', randomBytes))
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('slugOf', () => {
  test.each([
    ['Shop', 'shop'],
    ['  My  Shop! ', 'my_shop'],
    ['Café Zoë', 'cafe_zoe'],
    ['order2 API', 'order2_api'],
    ['2nd shop', 'c_2nd_shop'],
    ['a'.repeat(30), 'a'.repeat(20)],
    ['nineteen characters_x', 'nineteen_characters'],
    ['1'.repeat(30), `c_${'1'.repeat(18)}`],
    ['___', /^c_[0-9a-f]{8}$/],
    ['日本', /^c_[0-9a-f]{8}$/],
    ['🛒', /^c_[0-9a-f]{8}$/],
  ])('%s → %s', (name, slug) => {
    expect(slugOf(name)).toMatch(slug instanceof RegExp ? slug : new RegExp(`^${slug}$`))
  })

  test('always begins a tool name: a letter, words of letters and digits, at most 20 characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), name => {
        const slug = slugOf(name)
        expect(slug).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/)
        expect(slug.length).toBeLessThanOrEqual(20)
        expect(slugOf(name)).toBe(slug)
      }),
    )
  })

  test('gives a slug back as it is', () => {
    fc.assert(
      fc.property(fc.string(), name => {
        expect(slugOf(slugOf(name))).toBe(slugOf(name))
      }),
    )
  })

  test('tells apart names of which no letter is left', () => {
    expect(slugOf('日本')).not.toBe(slugOf('中国'))
  })
})

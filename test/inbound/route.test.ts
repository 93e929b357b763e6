import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inboundPath, tokenOf } from '#main/inbound/route.ts'

const token = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/)

test('the path of a token leads to it, with any query', () => {
  fc.assert(
    fc.property(token, fc.stringMatching(/^[\w/?&=%.-]*$/), (token, query) => {
      expect(tokenOf(inboundPath(token))).toBe(token)
      expect(tokenOf(`${inboundPath(token)}?${query}`)).toBe(token)
    }),
  )
})

test('no other path does, whatever is put into it', () => {
  const extra = fc.constantFrom('/', '//', '/..', '/.', '%2f', '#', ';x', '\\', ' ', 'x')
  fc.assert(
    fc.property(token, extra, fc.nat(), (token, piece, place) => {
      const path = inboundPath(token)
      const index = place % (path.length + 1)
      expect(tokenOf(path.slice(0, index) + piece + path.slice(index))).not.toBe(token)
    }),
  )
})

test('nothing is decoded, normalised or guessed', () => {
  expect(tokenOf('/api/connect/%41/events')).toBe('%41')
  expect(tokenOf('/api/connect/../events')).toBe('..')
  for (const target of [
    '',
    '/',
    '*',
    '/api/connect/events',
    '/api/connect//events',
    '/api/connect/a',
    '/api/connect/a/b/events',
    '/api/connect/a/events/',
    '/api/connect?x=/api/connect/a/events',
    '/api/connect/a?/events',
    'http://host/api/connect/a/events',
    '//host/api/connect/a/events',
    '/API/connect/a/events',
  ])
    expect(tokenOf(target), target).toBeNull()
})

test('any text at all is a token or none', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map(text => `/api/connect/${text}/events`),
      ),
      target => {
        const found = tokenOf(target)
        if (found !== null) {
          expect(found).not.toBe('')
          expect(found).not.toMatch(/[/?]/)
          expect(target.startsWith(inboundPath(found))).toBe(true)
        }
      },
    ),
  )
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GraceHours, NewConnection, Retention, TimeoutMs } from '#shared/model/connection.ts'
import { EventName, EventQuery } from '#shared/model/inbound-event.ts'
import { hasAtMost, Name, NewName, withoutTurning } from '#shared/model/text.ts'

describe('names', () => {
  test('count characters as Unicode does, after white space at the ends is gone', () => {
    for (const character of ['x', 'é', '🛒']) {
      expect(Name.parse(` ${character.repeat(120)}\t`)).toBe(character.repeat(120))
      expect(Name.safeParse(character.repeat(121)).success).toBe(false)
    }
    for (const empty of ['', ' ', '\t\n\u00a0']) expect(Name.safeParse(empty).success).toBe(false)
  })

  test('cannot turn the direction of text, if they are new', () => {
    for (const character of '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069') {
      const name = `Shop ${character}gnp.exe`
      expect(NewName.safeParse(name).success).toBe(false)
      // Earlier versions have stored such names.
      expect(Name.safeParse(name).success).toBe(true)
      expect(withoutTurning(name)).toBe('Shop gnp.exe')
    }
    for (const name of ['متجر', 'חנות', 'a\u200fb', 'e\u0301']) expect(NewName.parse(name)).toBe(name)
  })

  test('of events are kept to the letter, white space too', () => {
    expect(EventName.parse(' a ')).toBe(' a ')
    expect(EventName.safeParse('').success).toBe(false)
    expect(EventName.safeParse('🛒'.repeat(255)).success).toBe(true)
    expect(EventName.safeParse('🛒'.repeat(256)).success).toBe(false)
  })

  test('hasAtMost counts code points', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, limit) => {
        expect(hasAtMost(limit, text)).toBe(Array.from(text).length <= limit)
      }),
    )
  })
})

test.each([
  { schema: TimeoutMs, accepted: [1000, 120_000], refused: [999, 120_001, 1000.5, Number.NaN, '1000', null] },
  { schema: GraceHours, accepted: [0, 1, 24, 168], refused: [2, -0.5, '24', null] },
  {
    schema: Retention,
    accepted: [
      { maxEvents: 1, maxDays: 1 },
      { maxEvents: 10_000_000, maxDays: 3650 },
    ],
    refused: [{ maxEvents: 0, maxDays: 1 }, { maxEvents: 1, maxDays: 3651 }, { maxEvents: 1 }, null],
  },
  {
    schema: EventQuery,
    accepted: [{}, { limit: '1' }, { limit: 200 }, { before: 'evt_0i3mxhytq80' }, { text: 'x'.repeat(200) }],
    refused: [{ limit: 0 }, { limit: 201 }, { limit: '1.5' }, { before: 'x' }, { text: 'x'.repeat(201) }],
  },
])('bounds hold at their edges', ({ schema, accepted, refused }) => {
  for (const value of accepted) expect(schema.safeParse(value).success, JSON.stringify(value)).toBe(true)
  for (const value of refused) expect(schema.safeParse(value).success, JSON.stringify(value)).toBe(false)
})

test('a new connection names all that is wrong with it', () => {
  const { error } = NewConnection.safeParse({ baseUrl: 'x', persistEvents: 'no', workspaceId: null })
  expect(error?.issues.map(issue => issue.path.join('.'))).toEqual([
    'name',
    'baseUrl',
    'persistEvents',
    'workspaceId',
  ])
})

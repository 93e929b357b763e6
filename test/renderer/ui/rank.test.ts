import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bestOf, fitness, markMatches } from '#renderer/ui/rank.ts'

describe('the palette', () => {
  test('ranks the start of the text above the start of a word, that of a keyword, and the middle of words', () => {
    const entries = [
      { text: 'refund' },
      { text: 'create refund' },
      { text: 'unrefunded refund' },
      { text: 'nothing', also: 'a refund' },
      { text: 'unrefunded' },
      { text: 'nothing' },
    ]
    expect(entries.map(entry => fitness(entry, 'refund'))).toEqual([6, 5, 5, 4, 3, 0])
  })

  test('tolerates a typo in words of four letters or more, ranked last', () => {
    const text = { text: 'Create a refund', also: 'acme' }
    for (const typed of ['refnd', 'refundd', 'rufund', 'erfund', 'craete', 'refu', 'acmee'])
      expect(fitness(text, typed), typed).toBeGreaterThan(0)
    for (const typed of ['rfn', 'rufnd', 'dnufer', 'refuseal', 'akm'])
      expect(fitness(text, typed), typed).toBe(0)
    expect(fitness({ text: 'x', also: 'refund' }, 'refund')).toBeGreaterThan(fitness(text, 'refnd'))
  })

  test('finds an id by a part of eight characters or more, not by a word that it contains by chance', () => {
    const entry = { text: 'Create a refund', id: 'act_V1StGXR8_Z5jdHi6B-myT' }
    for (const typed of [
      'act_V1StGXR8_Z5jdHi6B-myT',
      'V1StGXR8',
      'act_v1stgx',
      ' act_V1StGXR8_Z5jdHi6B-myT ',
    ])
      expect(fitness(entry, typed), typed).toBeGreaterThan(0)
    for (const typed of ['act', 'act_', 'GXR8', 'act_V1StGXR9_Z5jdHi6B-myT'])
      expect(fitness(entry, typed), typed).toBe(0)
  })

  test('requires every word to match', () => {
    expect(fitness({ text: 'Create a refund', also: 'acme' }, 'refund acme')).toBeGreaterThan(0)
    expect(fitness({ text: 'Create a refund' }, 'refund acme')).toBe(0)
  })

  test('shows the first entries without a query', () => {
    const entries = ['a', 'b', 'c'].map(text => ({ text }))
    expect(bestOf(entries, '  ', 2)).toEqual(entries.slice(0, 2))
  })

  test('shows only matches, best first, up to the limit', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ text: fc.string() })),
        fc.string({ minLength: 1 }),
        fc.nat(10),
        (entries, query, limit) => {
          fc.pre(query.trim() !== '')
          const best = bestOf(entries, query, limit)
          const fits = best.map(entry => fitness(entry, query))
          expect(best.length).toBeLessThanOrEqual(limit)
          expect(fits.every(fit => fit > 0)).toBe(true)
          expect(fits).toEqual([...fits].sort((a, b) => b - a))
        },
      ),
    )
  })

  test('marks matches without changing any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, query) => {
        expect(
          markMatches(text, query)
            .map(piece => piece.text)
            .join(''),
        ).toBe(text)
      }),
    )
    expect(markMatches('Create a refund', 'REF')).toEqual([
      { text: 'Create a ', marked: false },
      { text: 'ref', marked: true },
      { text: 'und', marked: false },
    ])
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bestOf, fitness, markMatches } from '#renderer/features/palette/rank.ts'

describe('what the palette finds', () => {
  test('the beginning of the text beats the beginning of a word, its middle, and what is searched alone', () => {
    const fits = ['refund', 'create refund', 'unrefunded', 'nothing'].map(text =>
      fitness({ text, also: 'refund' }, 'refund'),
    )
    expect(fits).toEqual([...fits].sort((a, b) => b - a))
    expect(new Set(fits).size).toBe(4)
  })

  test('a typo is tolerated in a word of four letters or more, and comes after everything that fits', () => {
    const text = { text: 'Create a refund', also: 'acme' }
    for (const typed of ['refnd', 'refundd', 'rufund', 'erfund', 'craete', 'refu', 'acmee'])
      expect(fitness(text, typed), typed).toBeGreaterThan(0)
    for (const typed of ['rfn', 'rufnd', 'dnufer', 'refuseal', 'akm'])
      expect(fitness(text, typed), typed).toBe(0)
    expect(fitness({ text: 'x', also: 'refund' }, 'refund')).toBeGreaterThan(fitness(text, 'refnd'))
  })

  test('every word has to fit', () => {
    expect(fitness({ text: 'Create a refund', also: 'acme' }, 'refund acme')).toBeGreaterThan(0)
    expect(fitness({ text: 'Create a refund' }, 'refund acme')).toBe(0)
  })

  test('without a query it is the first ones, as they stand', () => {
    const entries = ['a', 'b', 'c'].map(text => ({ text }))
    expect(bestOf(entries, '  ', 2)).toEqual(entries.slice(0, 2))
  })

  test('what it shows fits, best first, and never more than asked for', () => {
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

  test('the pieces that are marked and not are the text, whatever it is', () => {
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

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchedSpans, matches, tryPatterns } from '#shared/platform/crawler-patterns.ts'
import { cpuMs } from '../../support/cpu-ms.ts'

const verdicts = (patterns: object, ...urls: string[]) =>
  tryPatterns(
    { startUrl: 'https://shop.example/help', includePatterns: [], excludePatterns: [], ...patterns },
    urls,
  ).map(({ taken, rule, reason }) => `${taken ? 'taken' : 'dropped'} ${reason} ${rule ?? ''}`.trim())

describe('tryPatterns', () => {
  test('names the pattern that took or dropped a URL; an excluding one wins', () => {
    const patterns = {
      includePatterns: ['/help/*', '/products/*'],
      excludePatterns: ['/products/archive/*', '*/print'],
    }
    expect(
      verdicts(
        patterns,
        ...['https://shop.example/help/returns', 'https://shop.example/help/returns/print'],
        ...['https://shop.example/products/archive/kb-60', 'https://shop.example/products/kb?ref=mail#top'],
        ...[
          'https://shop.example/Help/Shipping',
          'https://blog.shop.example/launch',
          'htp:/shop.example/help',
        ],
      ),
    ).toEqual([
      'taken included /help/*',
      'dropped excluded */print',
      'dropped excluded /products/archive/*',
      'taken included /products/*',
      'dropped no_pattern',
      'dropped other_host',
      'dropped not_a_url',
    ])
  })

  test('takes every path of the host without including patterns', () => {
    expect(
      verdicts({}, 'https://SHOP.example:443', 'http://shop.example/', 'https://shop.example:444/'),
    ).toEqual(['taken under_start', 'taken under_start', 'dropped other_host'])
  })
})

describe('matches', () => {
  const piece = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*', '.'), maxLength: 12 })

  test('agrees with a regular expression', () => {
    fc.assert(
      fc.property(piece, piece, (pattern, text) => {
        const source = pattern.split('*').map(part => part.replaceAll('.', '\\.'))
        expect(matches(pattern, text)).toBe(new RegExp(`^${source.join('.*')}$`, 's').test(text))
      }),
      { numRuns: 2000 },
    )
  })

  test('gives the places of the literal parts, in order', () => {
    expect(matchedSpans('/help/*', '/help/returns')).toEqual([
      { start: 0, end: 6 },
      { start: 13, end: 13 },
    ])
    fc.assert(
      fc.property(piece, fc.array(piece), (pattern, fillers) => {
        const literals = pattern.split('*')
        const text = literals.map((literal, index) => literal + (fillers[index] ?? '')).join('')
        const spans = matchedSpans(`${pattern}*`, text)
        expect(spans?.map(({ start, end }) => text.slice(start, end))).toEqual([...literals, ''])
        for (const [index, { start }] of (spans ?? []).entries())
          expect(start).toBeGreaterThanOrEqual(spans?.[index - 1]?.end ?? 0)
      }),
    )
  })

  test('takes at most six times as long for four times the text, whatever the pattern', () => {
    const unit = fc.constantFrom('a', 'b', '*', 'aaaa', 'ab', '*a', 'a*b')
    const hostile = fc.array(unit, { maxLength: 400 }).map(units => `/${units.join('')}`.slice(0, 1024))
    const texts = fc
      .constantFrom('a', 'ab', 'aaab', 'b')
      .map(repeated => (size: number) => `/${repeated.repeat(size)}`)
    fc.assert(
      fc.property(hostile, texts, (pattern, text) => {
        const [quarter, whole] = [text(100_000), text(400_000)].map(one => cpuMs(() => matches(pattern, one)))
        // Shorter times say nothing.
        expect(whole).toBeLessThanOrEqual(6 * Math.max(quarter ?? 0, 20))
      }),
    )
  })

  test('reads a hostile pattern in time that grows with the text alone', () => {
    const text = `/${'a'.repeat(200_000)}`
    expect(matches(`/${'*a'.repeat(500)}b`, text)).toBe(false)
    expect(matches(`/${'a*'.repeat(500)}`, text)).toBe(true)
  })
})

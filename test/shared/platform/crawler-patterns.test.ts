import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matches, tryPatterns } from '#shared/platform/crawler-patterns.ts'

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

  test('reads a hostile pattern in time that grows with the text alone', () => {
    const text = `/${'a'.repeat(200_000)}`
    expect(matches(`/${'*a'.repeat(500)}b`, text)).toBe(false)
    expect(matches(`/${'a*'.repeat(500)}`, text)).toBe(true)
  })
})

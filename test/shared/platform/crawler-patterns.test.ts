import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchedSpans, matches, tryPatterns } from '#shared/platform/crawler-patterns.ts'

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

describe('a page', () => {
  const drop = (pattern: string) => ({ excludePatterns: [pattern] })
  const paths = (spellings: readonly string[]) => spellings.map(path => `https://shop.example${path}`)

  test.each([
    ['/k\u00e4se/*', ['/k\u00e4se/1', '/k%C3%A4se/1', '/k%c3%a4se/1', '/k%C3%a4se/%31', '/%6b\u00e4se/1']],
    ['/k%c3%a4se/*', ['/k\u00e4se/1', '/k%C3%A4se/1', '/x/../k%C3%A4se/1', '/./k%C3%A4se/1?q#f']],
    ['/my page/*', ['/my%20page/1', '/my page/1', '/a/%2e%2E/my%20page/1', '/a/.%2e/my page/1']],
    ['/my%20page/*', ['/my page/1', '/my%20page/', '\\my%20page\\1']],
    ['/%7Euser/*', ['/~user/1', '/%7euser/1']],
    ['/100%/*', ['/100%/1', '/100%25/1']],
    ['/a|b[c]"d"/*', ['/a|b[c]"d"/1', '/a%7Cb%5Bc%5D%22d%22/1', '/a%7cb%5bc%5d%22d%22/1']],
    ['/\ud83d\ude00/*', ['/%F0%9F%98%80/1', '/%f0%9f%98%80/1', '/\ud83d\ude00/1']],
    ['/latin%e4/*', ['/latin%E4/1', '/latin%e4/1']],
    ['/a%2fb/*', ['/a%2Fb/1', '/a%2fb/1']],
    ['/x/../private/*', ['/private/1', '/%70rivate/1', '/private/x/../1']],
    ['*/pr%69nt', ['/a/print', '/a/b/../print', '/a/%70rint']],
    ['*.P%44F', ['/a.PDF', '/a/./b.P%44F', '/a%2EPDF']],
    ['*', ['', '/', '/a']],
    ['/', ['', '/', '/.', '/a/..', '?q']],
  ])('is dropped by %s in every spelling', (pattern, spellings) => {
    for (const url of paths(spellings))
      expect([url, ...verdicts(drop(pattern), url)]).toEqual([url, `dropped excluded ${pattern}`])
  })

  test.each([
    ['/a/b', ['/a%2Fb', '/A/b', '/a/b/', '//a/b']],
    ['/a%2Fb', ['/a/b']],
    ['/a?b', ['/a', '/a?b', '/a%3Fb']],
    ['/a#b', ['/a', '/a#b']],
    ['/k%C3*', ['/k\u00e4se']],
    ['/a+b', ['/a%20b', '/a b']],
    ['/*/../b', ['/a/b']],
  ])('is another one than %s', (pattern, spellings) => {
    expect(verdicts(drop(pattern), ...paths(spellings))).toEqual(spellings.map(() => 'taken under_start'))
  })

  const hosts = 'https://m\u00fcnchen.example/'
  test.each([
    [
      hosts,
      [
        'https://xn--mnchen-3ya.example/',
        'https://M\u00dcNCHEN.example:443/a',
        'http://XN--MNCHEN-3YA.example:80/',
      ],
    ],
    [
      'https://xn--mnchen-3ya.example/',
      [hosts, 'https://m\u00fcnchen.example', 'https://m%C3%BCnchen.example/'],
    ],
    ['http://127.0.0.1:8080/', ['http://0x7f.1:8080/', 'http://2130706433:8080/']],
    ['http://[::1]/', ['http://[0:0:0:0:0:0:0:1]:80/']],
  ])('is on the host of %s in every spelling', (startUrl, urls) => {
    expect(verdicts({ startUrl }, ...urls)).toEqual(urls.map(() => 'taken under_start'))
  })

  test('has one form, however its characters are encoded', () => {
    const character = fc.oneof(
      fc.constantFrom('a', '~', '/', ' ', '%', 'ß', '😀', '"', '[', '.', '=\u0338'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    )
    const plain = fc.array(
      character.filter(one => !/[?#*\\\p{Cc}\p{Cs}]/u.test(one)),
      { maxLength: 12 },
    )
    const encoded = (text: string, isLower: boolean) => {
      const bytes = encodeURIComponent(text)
      const all = bytes === text ? `%${text.charCodeAt(0).toString(16)}` : bytes
      return all.replace(/%../g, byte => (isLower ? byte.toLowerCase() : byte.toUpperCase()))
    }
    fc.assert(
      fc.property(plain, fc.infiniteStream(fc.nat(2)), (characters, choices) => {
        // A % that is followed by digits is an encoding, and a dot or a reserved character has a meaning of its own.
        const spell = () =>
          characters
            // A grapheme may begin with a reserved character.
            .flatMap(one => [...one])
            .map(one => {
              const [choice] = choices.take(1)
              if (one === '%') return '%25'
              return choice === 0 || /^[!$&'()+,;=:@/]$/.test(one) ? one : encoded(one, choice === 1)
            })
            .join('')
        const [pattern, url] = [`/x${spell()}y`, `https://shop.example/x${spell()}y`]
        expect(verdicts(drop(pattern), url)).toEqual([`dropped excluded ${pattern}`])
      }),
      { numRuns: 500 },
    )
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

  test('reads a hostile pattern in time that grows with the text alone', () => {
    const text = `/${'a'.repeat(200_000)}`
    expect(matches(`/${'*a'.repeat(500)}b`, text)).toBe(false)
    expect(matches(`/${'a*'.repeat(500)}`, text)).toBe(true)
  })
})

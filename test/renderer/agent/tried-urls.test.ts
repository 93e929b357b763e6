import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decidedBy, marksOf } from '#renderer/features/agent/crawler/explain.ts'
import { samplePath, sampleUrls } from '#renderer/features/agent/crawler/sample-urls.ts'
import { addUrls, maxTried, readPasted } from '#renderer/features/agent/crawler/tried-urls.ts'
import { Crawler } from '#shared/model/platform/crawler.ts'
import { matches, normalPattern, parseHttp, tryPatterns } from '#shared/platform/crawler-patterns.ts'

const line = fc.string({ minLength: 1, maxLength: 30 }).map(text => text.replace(/[\r\n<]/g, '').trim())
const path = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*', '.'), maxLength: 8 })
const pattern = fc.tuple(fc.constantFrom('/', '*'), path).map(parts => parts.join(''))

describe('readPasted', () => {
  test('returns the lines that are not empty', () => {
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom('\n', '\r\n', '\r', '\n\n'), (lines, separator) => {
        expect(readPasted(lines.join(separator))).toEqual({
          urls: lines.filter(one => one !== ''),
          isIndex: false,
        })
      }),
    )
  })

  test('returns the locations of a sitemap, decoded, and nothing of a comment', () => {
    const encode = (text: string) =>
      text.replace(
        /[&<>"']/g,
        sign => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' }[sign] ?? 'apos'};`,
      )
    fc.assert(
      fc.property(fc.array(line), line, (lines, hidden) => {
        const urls = lines.map(one => `https://a.example/${one}`)
        const entries = urls.map(url => `<url><loc>\n${encode(url)}</loc><lastmod>2026</lastmod></url>`)
        const comment = `<!-- <loc>${encode(hidden).replaceAll('-', '')}</loc> -->`
        expect(readPasted(`<?xml?>\n<urlset>${comment}${entries.join('\n')}</urlset>`).urls).toEqual(urls)
      }),
    )
  })

  test('expands no entity but the five, once', () => {
    const xml = '<!DOCTYPE a [<!ENTITY b "x">]><urlset><loc>https://a.example/&b;&amp;lt;&#65;</loc></urlset>'
    expect(readPasted(xml).urls).toEqual(['https://a.example/&b;&lt;&#65;'])
    expect(readPasted('<loc><![CDATA[https://a.example/<b>]]></loc>').urls).toEqual(['https://a.example/<b>'])
    expect(readPasted('<urlset><loc>https://a.example').urls).toEqual([])
  })
})

describe('addUrls', () => {
  test('keeps each URL once, and says how many do not fit', () => {
    const many = Array.from({ length: maxTried + 5 }, (_, index) => `https://a.example/${index}`)
    expect(addUrls(many.slice(0, 10), many)).toEqual({ urls: many.slice(0, maxTried), leftOut: 5 })
    expect(addUrls([], ['x'.repeat(2049), 'y'])).toEqual({ urls: ['y'], leftOut: 1 })
    const long = Array.from({ length: 200 }, (_, index) => String(index).padEnd(2048, 'x'))
    expect(addUrls([], long)).toMatchObject({ leftOut: 72 })
  })
})

describe('the explanation of a verdict', () => {
  test('marks exactly the parts that the pattern matched', () => {
    fc.assert(
      fc.property(fc.array(pattern), fc.array(pattern), fc.array(path), (take, drop, paths) => {
        const urls = [...new Set(paths.map(one => `https://a.example/${one.replaceAll('*', '')}?q`))]
        const patterns = { startUrl: 'https://a.example', includePatterns: take, excludePatterns: drop }
        const verdicts = tryPatterns(patterns, urls)
        for (const verdict of verdicts) {
          const marked = marksOf(verdict).map(({ start, end }) => verdict.url.slice(start, end))
          const written = verdict.url.slice('https://a.example'.length, -'?q'.length)
          const isNormal = written === parseHttp(verdict.url)?.path
          if (verdict.rule === null) expect(marked).toEqual([])
          else if (!isNormal) expect(marked).toEqual([written])
          else
            expect(marked).toEqual(
              normalPattern(verdict.rule)
                ?.split('*')
                .filter(part => part !== ''),
            )
        }
        const counts = decidedBy('includePatterns', take, verdicts)
        const taken = verdicts.filter(({ reason }) => reason === 'included').length
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(taken)
      }),
    )
  })

  test('marks the whole path if it is another spelling of what the pattern matched', () => {
    const url = 'https://a.example/k%c3%a4se/1?q'
    const [verdict] = tryPatterns({ startUrl: '', includePatterns: ['/käse/*'], excludePatterns: [] }, [url])
    expect(verdict && marksOf(verdict).map(({ start, end }) => url.slice(start, end))).toEqual([
      '/k%c3%a4se/1',
    ])
  })

  test('marks nothing outside the text of a URL without a path', () => {
    const [verdict] = tryPatterns({ startUrl: '', includePatterns: ['/*'], excludePatterns: [] }, [
      'https://a.example',
    ])
    expect(verdict && marksOf(verdict)).toEqual([])
  })
})

test('a sample has a path that each pattern matches, and one of another host', () => {
  fc.assert(
    fc.property(pattern, one => {
      expect(matches(one, samplePath(one))).toBe(true)
      expect(samplePath(one)).toMatch(/^\//)
    }),
  )
  const crawler = Crawler.parse({ startUrl: 'https://a.example/help', excludePatterns: ['*/print'] })
  expect(tryPatterns(crawler, sampleUrls(crawler)).map(({ reason }) => reason)).toEqual([
    ...['under_start', 'excluded', 'under_start', 'under_start'],
    'other_host',
  ])
  expect(sampleUrls({ ...crawler, includePatterns: ['', 'help', '/a?b', '/a#b'] })).toEqual(
    sampleUrls(crawler),
  )
  expect(sampleUrls(Crawler.parse({}))).toEqual([])
})

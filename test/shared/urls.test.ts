import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BaseUrl } from '#shared/model/urls.ts'

describe('a base URL', () => {
  test.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['https://api.example.com///', 'https://api.example.com'],
    ['https://api.example.com/v2/', 'https://api.example.com/v2'],
    ['  http://localhost:3000  ', 'http://localhost:3000'],
    ['HTTPS://API.example.com', 'HTTPS://API.example.com'],
    ['http://192.168.1.5:8080/a/b', 'http://192.168.1.5:8080/a/b'],
    ['http://[::1]:8080/', 'http://[::1]:8080'],
    ['https://bücher.example', 'https://bücher.example'],
    ['https://api.example.com/@team', 'https://api.example.com/@team'],
    ['https://api.example.com/a%20b', 'https://api.example.com/a%20b'],
    // Saving one only warns; calling it is refused.
    ['http://169.254.169.254', 'http://169.254.169.254'],
  ])('%j is kept as %j', (text, kept) => {
    expect(BaseUrl.parse(text)).toBe(kept)
  })

  test.each([
    ['', /absolute/],
    ['api.example.com', /absolute/],
    ['/v2', /absolute/],
    ['//api.example.com', /absolute/],
    ['ftp://api.example.com', /absolute/],
    ['javascript:alert(1)', /absolute/],
    ['file:///etc/passwd', /absolute/],
    ['https://', /absolute/],
    ['https:///path', /absolute/],
    ['https:api.example.com', /absolute/],
    ['https://exa mple.com', /white space/],
    ['https://api.example.com\\@evil.example', /backslash/],
    ['https://api.example.com/a\nb', /white space/],
    ['https://api.example.com/a\u0000b', /control/],
    ['https://api.example.com:99999', /absolute/],
    ['https://user@api.example.com', /user name/],
    ['https://user:password@api.example.com', /user name/],
    ['https://api.example.com?key=1', /query/],
    ['https://api.example.com/?', /query/],
    ['https://api.example.com/#part', /fragment/],
    ['https://api.example.com#', /fragment/],
    [`https://api.example.com/${'x'.repeat(2048)}`, /2048/],
  ])('%j is refused', (text, reason) => {
    const { success, error } = BaseUrl.safeParse(text)
    expect(success).toBe(false)
    expect(error?.issues.map(issue => issue.message).join(' ')).toMatch(reason)
  })

  test('of 2,048 characters is the longest', () => {
    const start = 'https://api.example.com/'
    expect(BaseUrl.safeParse(start + 'x'.repeat(2048 - start.length)).success).toBe(true)
    expect(BaseUrl.safeParse(start + 'x'.repeat(2049 - start.length)).success).toBe(false)
  })

  const urls = fc.webUrl({ withQueryParameters: false, withFragments: false })

  test('that is kept has no slash at its end, and is kept as it is when it is saved again', () => {
    fc.assert(
      fc.property(urls, fc.stringMatching(/^\/*$/), (url, slashes) => {
        const kept = BaseUrl.parse(url + slashes)
        expect(kept).not.toMatch(/\/$/)
        expect(BaseUrl.parse(kept)).toBe(kept)
        expect(new URL(kept).host).toBe(new URL(url).host)
      }),
    )
  })

  test('is never one that holds credentials, a query or a fragment, whatever was written', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl().map(url => url.replace('//', '//user@')),
          fc.webUrl(),
        ),
        text => {
          const { data } = BaseUrl.safeParse(text)
          if (data === undefined) return
          const { protocol, username, password, search, hash } = new URL(data)
          expect(['http:', 'https:']).toContain(protocol)
          expect([username, password, search, hash]).toEqual(['', '', '', ''])
        },
      ),
    )
  })
})

import { describe, expect, test } from 'vitest'
import { AllowedHosts, isAllowed } from '#shared/workflows/http-hosts.ts'

describe('a list of hosts', () => {
  test.for([
    ['https://api.example.com/a', 'api.example.com', true],
    ['https://API.Example.COM:8443/a', 'api.example.com', true],
    ['https://api.example.com/a', 'API.EXAMPLE.com', true],
    ['https://api.example.com.evil.org/', 'api.example.com', false],
    ['https://evilapi.example.com/', 'api.example.com', false],
    ['https://api.example.com./', 'api.example.com', false],
    ['https://api.example.com:443/', 'api.example.com:443', true],
    ['https://api.example.com/', 'api.example.com:443', true],
    ['http://api.example.com/', 'api.example.com:443', false],
    ['https://api.example.com:8443/', 'api.example.com:443', false],
    ['https://a.example.com/', '*.example.com', true],
    ['https://a.b.example.com/', '*.example.com', true],
    ['https://example.com/', '*.example.com', false],
    ['https://notexample.com/', '*.example.com', false],
    ['https://bücher.example/', 'xn--bcher-kva.example', true],
    ['https://xn--bcher-kva.example/', 'Bücher.example', true],
    ['http://[::1]:8080/', '[0:0:0:0:0:0:0:1]', true],
    ['http://0x7f.1/', '127.0.0.1', true],
    ['http://127.0.0.1/', 'api.example.com', false],
    ['https://user@api.example.com/', 'api.example.com', false],
    ['https://api.example.com@evil.org/', 'api.example.com', false],
    ['https://evil.org#@api.example.com/', 'api.example.com', false],
    ['https://evil.org\\@api.example.com/', 'api.example.com', false],
    ['https://api.example.com\t/', 'api.example.com', false],
    [' https://api.example.com/', 'api.example.com', false],
    ['ftp://api.example.com/', 'api.example.com', false],
    ['//api.example.com/', 'api.example.com', false],
    ['api.example.com', 'api.example.com', false],
  ] as const)('for %s has %s: %s', ([url, host, expected]) => {
    expect(isAllowed(url, ['other.example', host])).toBe(expected)
  })

  test.for([
    'api.example.com',
    'localhost',
    'localhost:3000',
    '*.example.co.uk',
    '[::1]',
    '[::1]:8080',
    '10.0.0.1',
  ])('may have %s', host => {
    expect(AllowedHosts.safeParse([host]).success).toBe(true)
  })

  test.for([
    '*',
    '*.com',
    '*.10.0.0.1',
    '*.[::1]',
    'a.*.com',
    '{{host}}',
    'https://a.example',
    'a.example/b',
    'a@b.example',
    'a:99999',
    'a b',
    '',
  ])('may not have %s', host => {
    expect(AllowedHosts.safeParse([host]).success).toBe(false)
  })

  test('is not empty, and has at most 20 entries', () => {
    expect(AllowedHosts.safeParse([]).success).toBe(false)
    expect(AllowedHosts.safeParse(Array(21).fill('a.example')).success).toBe(false)
  })
})

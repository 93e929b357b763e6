import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decimal, joinUrl, withQuery } from '#shared/model/action-url.ts'
import { parameter } from '../outbound/support.ts'

const urlOf = (base: string, path: string) => {
  const { origin, target } = joinUrl(base, path)
  return origin + target
}

describe('base URL and path', () => {
  test.each([
    ['https://h.example', '/a', 'https://h.example/a'],
    ['https://h.example/', 'a', 'https://h.example/a'],
    ['https://h.example/v2', 'a/b/', 'https://h.example/v2/a/b/'],
    ['https://h.example/v2///', '///a', 'https://h.example/v2/a'],
    ['https://h.example/v2', '/', 'https://h.example/v2'],
    ['https://h.example/v2/', '', 'https://h.example/v2'],
    ['https://h.example/v2', '?a=1', 'https://h.example/v2?a=1'],
    ['https://h.example/v2', '/?a=1', 'https://h.example/v2?a=1'],
    // A URL without a path has one slash (URL standard).
    ['https://h.example', '/', 'https://h.example/'],
    ['https://h.example', '?a=1', 'https://h.example/?a=1'],
    ['HTTPS://H.Example:443/V2', '/A', 'https://h.example/V2/A'],
    ['http://h.example:8080', '/items:cancel', 'http://h.example:8080/items:cancel'],
    ['http://h.example', '/ü?x=ü', 'http://h.example/%C3%BC?x=%C3%BC'],
    ['http://h.example', '/a%2Fb?x=%2f+%20\'"|&&=', 'http://h.example/a%2Fb?x=%2f+%20\'"|&&='],
    ['http://h.example', '/a??b=/../c', 'http://h.example/a??b=/../c'],
    ['http://[::1]:80/x', '/y', 'http://[::1]/x/y'],
    ['http://2130706433', '/y', 'http://127.0.0.1/y'],
  ])('%s and %s make %s', (base, path, url) => {
    expect(urlOf(base, path)).toBe(url)
  })

  test('keep every fixed query of ASCII byte for byte', () => {
    const ascii = fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map(code => String.fromCharCode(code)),
    })
    fc.assert(
      fc.property(ascii, query => {
        expect(urlOf('https://h.example/v2', `/a?${query}`)).toBe(`https://h.example/v2/a?${query}`)
      }),
    )
  })

  test('have exactly one slash at the join, whatever they had', () => {
    fc.assert(
      fc.property(fc.nat(4), fc.nat(4), (trailing, leading) => {
        const url = urlOf(`https://h.example/v2${'/'.repeat(trailing)}`, `${'/'.repeat(leading)}a`)
        expect(url).toBe('https://h.example/v2/a')
      }),
    )
  })
})

describe('arguments in the query', () => {
  const types = { text: 'string', count: 'number', flag: 'boolean', more: 'object' } as const
  const parameters = Object.entries(types).map(([name, type]) => parameter(name, type))

  test('stand in declared order behind the fixed query, absent ones left out', () => {
    const given = { more: { a: [1] }, flag: false, text: 'a b' }
    expect(withQuery('/x?f=1', parameters, given)).toBe(
      '/x?f=1&text=a%20b&flag=false&more=%7B%22a%22%3A%5B1%5D%7D',
    )
    expect(withQuery('/x', parameters, { count: 0, text: '' })).toBe('/x?text=&count=0')
    expect(withQuery('/x?', parameters, { count: 1 })).toBe('/x?count=1')
    expect(withQuery('/x?f&', parameters, { count: 1 })).toBe('/x?f&count=1')
    expect(withQuery('/x?f', parameters, {})).toBe('/x?f')
  })

  test('never change the path, and read back they are what was given', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '&',
        '#',
        '../',
        '\n',
        '?a=1',
        '%2e%2e%2f',
        '+',
        '\\',
        '\0',
        'a=b&text=c',
        '//evil.example',
      ),
      fc.string(),
    )
    const given = fc.record(
      {
        text,
        count: fc.double({ noNaN: true, noDefaultInfinity: true }),
        flag: fc.boolean(),
        more: fc.dictionary(text, fc.jsonValue({ maxDepth: 3 })),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(given, fields => {
        const { origin, target } = joinUrl('https://h.example/v2', '/search;v=1?fixed=%41')
        const url = new URL(origin + withQuery(target, parameters, fields))
        expect(url.pathname).toBe('/v2/search;v=1')
        expect(url.host).toBe('h.example')
        expect(url.hash).toBe('')
        const back = [...url.searchParams]
        const expected = parameters.flatMap(({ name }): [string, string][] => {
          const value = Reflect.get(fields, name)
          if (value === undefined) return []
          if (typeof value === 'number') return [[name, decimal(String(value))]]
          return [[name, (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed()]]
        })
        expect(back).toEqual([['fixed', 'A'], ...expected])
      }),
      { numRuns: 500 },
    )
  })

  test('may have any name that a parameter can have', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9_\-.[\]]{1,64}$/), fc.string(), (name, value) => {
        const given = Object.fromEntries([[name, value]])
        const url = new URL(`http://h.example${withQuery('/p', [parameter(name)], given)}`)
        expect([...url.searchParams]).toEqual([[name, value.toWellFormed()]])
        expect(url.pathname).toBe('/p')
      }),
    )
  })
})

describe('numbers', () => {
  test.each([
    [0, '0'],
    [-0, '0'],
    [1e21, '1000000000000000000000'],
    [-1.25e22, '-12500000000000000000000'],
    [1e-7, '0.0000001'],
    [-1.5e-9, '-0.0000000015'],
    [9007199254740991, '9007199254740991'],
    [0.1, '0.1'],
  ])('%d is %s', (value, text) => {
    expect(decimal(String(value))).toBe(text)
  })

  test('have no exponent and keep their value', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), value => {
        const text = decimal(String(value))
        expect(text).toMatch(/^-?\d+(\.\d+)?$/)
        expect(Number(text)).toBe(value + 0)
      }),
      { numRuns: 1000 },
    )
  })
})

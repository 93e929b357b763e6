import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ExactJson, parseExact } from '#shared/json/exact-json.ts'

/** Returns the value of a number's text: sign, digits, power of ten. Equal numbers have equal results. */
function meaning(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? []
  const digits = BigInt(whole + fraction)
  if (digits === 0n) return `${sign}0`
  const trimmed = String(digits).replace(/0+$/, '')
  const zeros = String(digits).length - trimmed.length
  return `${sign}${trimmed}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(zeros)}`
}

/** The numbers of a JSON text in order, by meaning. */
function numbersOf(text: string): string[] {
  const withoutStrings = text.replace(/"(?:[^"\\]|\\.)*"/gs, '""')
  return (withoutStrings.match(/-?\d[\d.eE+-]*/g) ?? []).map(meaning)
}

const digits = fc.stringMatching(/^[0-9]{1,30}$/)
const number = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9][0-9]{0,25}$/)),
    fraction: fc.oneof(
      fc.constant(''),
      digits.map(text => `.${text}`),
    ),
    exponent: fc.oneof(fc.constant(''), fc.stringMatching(/^[eE][+-]?[0-9]{1,4}$/)),
  })
  .map(({ sign, whole, fraction, exponent }) => sign + whole + fraction + exponent)

/** Texts that a search for numbers could take for some. */
const tricky = fc.constantFrom(
  '',
  ':9007199254740993,',
  '[1e400]',
  '\\',
  '"',
  ',-0}',
  '__proto__',
  'constructor',
  '0',
  '1',
)
const string = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), tricky).map(text => JSON.stringify(text))
/**
 * Not of one escaped character alone: this version of the engine may take such a key for one that it parsed
 * before (nodejs/node#63785), in JSON.parse itself.
 */
const key = string.filter(text => !/^"\\(?:u[0-9a-f]{4}|.)"$/i.test(text))
const space = fc.constantFrom('', ' ', '\n\t ', '\r\n')

/** JSON texts with all kinds of numbers, white space in all places, and repeated keys. */
const { value: anyJson } = fc.letrec<{ value: string }>(tie => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(number, string, fc.constantFrom('true', 'false', 'null')),
    fc
      .tuple(fc.array(tie('value'), { maxLength: 6 }), space)
      .map(([values, gap]) => `[${gap}${values.join(`${gap},${gap}`)}${gap}]`),
    fc
      .tuple(
        fc.uniqueArray(fc.tuple(key, tie('value')), {
          maxLength: 6,
          selector: ([key]) => JSON.parse(key),
        }),
        space,
      )
      .map(
        ([fields, gap]) =>
          `{${gap}${fields.map(([key, value]) => `${key}${gap}:${gap}${value}`).join(`${gap},`)}${gap}}`,
      ),
  ),
}))

const withoutIntegerKeys = (text: string) => !/"\d+"\s*:/.test(text)

describe('parseExact', () => {
  test('gives back the numbers of any JSON text, in their places', () => {
    fc.assert(
      fc.property(anyJson.filter(withoutIntegerKeys), text => {
        expect(numbersOf(JSON.stringify(parseExact(text)))).toEqual(numbersOf(text))
      }),
      { numRuns: 2000 },
    )
  })

  test('gives back all of them where integer keys have changed places', () => {
    fc.assert(
      fc.property(anyJson, text => {
        expect(numbersOf(JSON.stringify(parseExact(text))).sort()).toEqual(numbersOf(text).sort())
      }),
      { numRuns: 500 },
    )
  })

  test('is JSON.parse for what JavaScript can hold', () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), text => {
        const expected: unknown = JSON.parse(text)
        if (numbersOf(text).join() !== numbersOf(JSON.stringify(expected)).join()) return
        expect(isDeepStrictEqual(parseExact(text), expected)).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  test('written out and parsed by JSON.parse, gives the same value', () => {
    fc.assert(
      fc.property(anyJson, text => {
        const readBack: unknown = JSON.parse(JSON.stringify(parseExact(text)))
        expect(isDeepStrictEqual(readBack, JSON.parse(text))).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  test('refuses what JSON.parse refuses', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          anyJson.map(text => text.slice(0, -1)),
        ),
        text => {
          const outcome = (parse: (text: string) => unknown) => {
            try {
              parse(text)
              return 'parsed'
            } catch (error) {
              return error instanceof SyntaxError ? 'refused' : error
            }
          }
          expect(outcome(parseExact)).toBe(outcome(JSON.parse))
        },
      ),
    )
  })

  test.each([
    ['{"n":9007199254740991}', Number.MAX_SAFE_INTEGER],
    ['{"n":9007199254740992}', 2 ** 53],
    ['{"n":5e-324}', Number.MIN_VALUE],
    ['{"n":0.1}', 0.1],
    ['{"n":12.5}', 12.5],
    ['{"n":1000}', 1000],
  ])('%s is an ordinary number', (text, expected) => {
    expect(parseExact(text)).toEqual({ n: expected })
  })

  test.each([
    '9007199254740993',
    '-9007199254740993',
    '1e400',
    '-1E+400',
    '1e-400',
    '-0',
    '-0.0',
    '-0e5',
    '0.1000000000000000055511151231257827',
    '123456789012345678901234567890',
    '1e99999999999999999999',
    '1.7976931348623159e308',
    '1.7976931348623157e308',
    '12.50',
    '1.0',
    '0.0000001',
    '1E3',
    '0e400',
    '100000000000000000000000',
  ])('%s keeps its text, anywhere', number => {
    for (const text of [number, `[${number}]`, `{"a":${number}}`, `[0,${number},{"b":[${number}]}]`])
      expect(JSON.stringify(parseExact(text))).toBe(text)
    expect(JSON.stringify(parseExact(` \n${number}\t`))).toBe(number)
  })

  test.each([
    ['{"a":1,"a":9007199254740993}', '{"a":9007199254740993}'],
    ['{"a":9007199254740993,"a":1}', '{"a":1}'],
    ['{"a":[9007199254740993],"a":{"b":-0}}', '{"a":{"b":-0}}'],
    ['{"a":{"b":-0},"a":[9007199254740993]}', '{"a":[9007199254740993]}'],
    ['{"a":{"b":1e400},"a":{"c":1,"b":2}}', '{"a":{"c":1,"b":2}}'],
    ['{"a":[1,2,3],"a":[-0]}', '{"a":[-0]}'],
    ['{"2":1e400,"1":5,"2":6}', '{"1":5,"2":6}'],
    ['{"__proto__":1e400,"__proto__":-0}', '{"__proto__":-0}'],
  ])('of %s the last of a key counts', (text, expected) => {
    expect(JSON.stringify(parseExact(text))).toBe(expected)
  })
})

describe('ExactJson', () => {
  test('is written out as it was parsed', () => {
    const text = '{"__proto__":{"n":9007199254740993},"b":[-0,1e400],"a":"\\ud800"}'
    expect(JSON.stringify({ data: new ExactJson(text) })).toBe(`{"data":${text}}`)
  })
})

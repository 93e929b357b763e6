import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseBody } from '#main/inbound/body.ts'
import { readEventText } from '#main/inbound/event-text.ts'
import { parseExact } from '#shared/json/exact-json.ts'

describe('the text of data', () => {
  test.each([
    ['{"event":"a","data":{"x":1}}', '{"x":1}'],
    ['{"data":{"x":1},"event":"a"}', '{"x":1}'],
    ['{ "data" : { "x" :\r\n [ 1 , 2 ] } , "event" : "a" }', '{ "x" :\r\n [ 1 , 2 ] }'],
    [
      '{"event":"a","data":{"n":9007199254740993,"m":1.50,"e":1E3,"z":-0}}',
      '{"n":9007199254740993,"m":1.50,"e":1E3,"z":-0}',
    ],
    [
      '{"event":"a","data":{"x":"\\u00e9\\/","y":"\u20ac\ud83d\ude00"}}',
      '{"x":"\\u00e9\\/","y":"\u20ac\ud83d\ude00"}',
    ],
    ['{"event":"a","data":{"x":"}]\\"{["}}', '{"x":"}]\\"{["}'],
    ['{"event":"a","data":{}}', '{}'],
    ['{"event":"a","data":{ }}', '{ }'],
    ['{"event":"a","data":null}', '{}'],
    ['{"event":"a"}', '{}'],
    ['{"event":"a","data":{"data":{"y":1}}}', '{"data":{"y":1}}'],
    ['{"event":"a","meta":{"data":{"y":1}}}', '{}'],
    ['{"event":"a","meta":[{"data":{"y":1}}],"data":{"x":1}}', '{"x":1}'],
    ['{"event":"a","\\u0064ata":{"x":1}}', '{"x":1}'],
    ['{"data":{"x":1},"event":"a","data":{"y":2}}', '{"y":2}'],
    ['{"data":{"x":1},"event":"a","data":null}', '{}'],
    ['{"data":null,"event":"a","data":{"y":2}}', '{"y":2}'],
    ['{"data":[1],"event":"a","data":{"y":2}}', '{"y":2}'],
  ])('%s', (body, expected) => {
    expect(readEventText(body).dataText).toBe(expected)
  })

  test('is a slice of the body that means what was parsed of it', () => {
    const key = fc.oneof(fc.constantFrom('data', 'event', 'eventName', '__proto__', '1'), fc.string())
    const data = fc.dictionary(key, fc.jsonValue({ maxDepth: 4 }), { noNullPrototype: true })
    const extra = fc.dictionary(fc.stringMatching(/^x[a-z]*$/), fc.jsonValue({ maxDepth: 3 }), {
      noNullPrototype: true,
    })
    fc.assert(
      fc.property(
        data,
        extra,
        fc.constantFrom(undefined, 1, '\t'),
        fc.boolean(),
        (data, extra, indent, dataFirst) => {
          const fields = dataFirst ? { ...extra, data, event: 'a' } : { event: 'a', data, ...extra }
          const body = JSON.stringify(fields, null, indent)
          const { dataText, notes } = readEventText(body)
          expect(body).toContain(dataText)
          const parsed = parseBody(Buffer.from(body))
          if (!parsed.ok) throw new Error(parsed.code)
          expect(parseExact(dataText)).toEqual(parsed.data)
          expect(notes.includes('extra_fields')).toBe(Object.keys(extra).length > 0)
          expect(notes.includes('reserved_keys')).toBe(Object.hasOwn(data, 'eventName'))
          expect(notes).not.toContain('duplicate_keys')
        },
      ),
      { numRuns: 500 },
    )
  })
})

describe('the notes', () => {
  test.each<[string, string[]]>([
    ['{"event":"a"}', []],
    ['{"event":"a","data":{"x":{"x":[{"x":1},{"x":2}]}}}', []],
    ['{"event":"a","id":1}', ['extra_fields']],
    ['{"event":"a","Data":{}}', ['extra_fields']],
    ['{"event":"a","event":"b"}', ['duplicate_keys']],
    ['{"event":"a","data":{"x":1,"\\u0078":2}}', ['duplicate_keys']],
    ['{"event":"a","data":{"list":[{"x":1,"x":2}]}}', ['duplicate_keys']],
    ['{"event":"a","data":{"__proto__":1,"__proto__":2}}', ['duplicate_keys']],
    ['{"event":"a","data":{"eventName":1}}', ['reserved_keys']],
    ['{"event":"a","data":{"connectionId":1}}', ['reserved_keys']],
    ['{"event":"a","data":{"x":{"connectionId":1}}}', []],
    ['{"event":"a","data":{"x":[{"connectionId":1}]}}', []],
    ['{"event":"a","meta":{"connectionId":1}}', ['extra_fields']],
    ['{"event":"a","data":{"eventName":1},"data":{"x":1}}', ['duplicate_keys']],
    ['{"event":"a","data":{"eventName":1},"data":null}', ['duplicate_keys']],
    ['{"event":"a","data":{"x":1},"data":{"eventName":1}}', ['duplicate_keys', 'reserved_keys']],
    [
      '{"event":"a","id":1,"id":2,"data":{"eventName":1}}',
      ['extra_fields', 'duplicate_keys', 'reserved_keys'],
    ],
  ])('of %s are %j', (body, notes) => {
    expect(readEventText(body).notes).toEqual(notes)
  })

  test('are found as deep as events may be nested', () => {
    const body = `{"event":"a","data":{"x":${'['.repeat(997)}{"y":1,"y":2}${']'.repeat(997)}}}`
    expect(readEventText(body)).toMatchObject({ notes: ['duplicate_keys'] })
  })
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatJson } from '#renderer/ui/format-json.ts'
import { jsonLines } from '#renderer/ui/json-lines.ts'

test('puts each value on its own line and keeps the digits of numbers', () => {
  expect(formatJson('{"number":9007199254740993 ,"total":149.00,\n\n"empty":{},"list":[1e400]}')).toBe(
    '{\n  "number": 9007199254740993,\n  "total": 149.00,\n  "empty": {},\n  "list": [\n    1e400\n  ]\n}',
  )
})

test('does not change text that is not JSON', () => {
  expect(formatJson("{'a':1}")).toBe("{'a':1}")
})

test('changes only white space, and nothing the second time', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), text => {
      const formatted = formatJson(text)
      expect(JSON.parse(formatted)).toEqual(JSON.parse(text))
      expect(formatJson(formatted)).toBe(formatted)
    }),
  )
})

test('colours JSON line by line', () => {
  expect(jsonLines('{\n  "a": [1.50, "b"],\r\n  "c": null }')).toEqual([
    [{ text: '{', kind: 'pun' }],
    [
      { text: '  ', kind: 'key' },
      { text: '"a"', kind: 'key' },
      { text: ':', kind: 'pun' },
      { text: ' ', kind: 'key' },
      { text: '[', kind: 'pun' },
      { text: '1.50', kind: 'num' },
      { text: ',', kind: 'pun' },
      { text: ' ', kind: 'key' },
      { text: '"b"', kind: 'str' },
      { text: ']', kind: 'pun' },
      { text: ',', kind: 'pun' },
    ],
    [
      { text: '  ', kind: 'key' },
      { text: '"c"', kind: 'key' },
      { text: ':', kind: 'pun' },
      { text: ' ', kind: 'key' },
      { text: 'null', kind: 'lit' },
      { text: ' ', kind: 'key' },
      { text: '}', kind: 'pun' },
    ],
  ])
})

test('keeps all of any text, whether it is JSON or not', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.json(), fc.string(), fc.constantFrom("{'a': 1} // b", 'upstream timed out')),
      text => {
        const shown = jsonLines(text).map(line => line.map(piece => piece.text).join(''))
        expect(shown).toEqual(text.split(/\r\n?|\n/))
      },
    ),
  )
})

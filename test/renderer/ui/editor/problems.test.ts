import { expect, test } from 'vitest'
import { lengthAt, messageParts, syntaxProblems } from '#renderer/ui/editor/problems.ts'

test.each([
  ['"path": "/orders/{order_id}",', 17, '{order_id}'],
  ['"type": "te\\"xt", "required": true', 8, '"te\\"xt"'],
  ['"retries": 2,', 0, '"retries"'],
  ['  nul,', 2, 'nul'],
  ['{ "a" 1 }', 0, '{'],
  [', ]', 0, ','],
  ['"open', 0, '"open'],
  ['', 0, ''],
])('of %s at %i the problem is about %s', (line, column, expected) => {
  expect(line.slice(column, column + lengthAt(line, column))).toBe(expected)
})

test('a blank text has no problems', () => {
  expect(syntaxProblems(' \n')).toEqual([])
  expect(syntaxProblems('{"a": 1}')).toEqual([])
  expect(syntaxProblems('{"a": 1,}')).toEqual([
    {
      from: 7,
      message: 'Remove this trailing comma: no value follows it before the }.',
      severity: 'error',
    },
  ])
})

test('messageParts separates the first sentence and the code of a message', () => {
  const shown = (message: string) =>
    messageParts(message).map(({ text, isCode, isFirst }) =>
      isCode ? `<${text}>` : isFirst ? `*${text}*` : text,
    )
  expect(shown('A path takes no placeholder. Use `/orders/lookup` here.')).toEqual([
    '*A path takes no placeholder.*',
    ' Use ',
    '</orders/lookup>',
    ' here.',
  ])
  expect(shown('Use `v1.2` or later')).toEqual(['*Use *', '<v1.2>', '* or later*'])
})

import { expect, it } from 'vitest'
import { isBeyond, isNestedDeeper } from '#shared/json/json-depth.ts'

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const levels = 3

it.each([
  ['nested as deep as allowed', nested(3), false],
  ['nested deeper', nested(4), true],
  ['nested deeper in objects and arrays', '{"a":[{"b":[1]}]}', true],
  ['nested deeper without its ends', '[[[[[[[[', true],
  ['nested deeper at the end', `[${'[],'.repeat(20)}${nested(3)}]`, true],
  ['with many brackets side by side', `[${'[{}],'.repeat(20)}[]]`, false],
  ['with brackets in strings', JSON.stringify(['[[[[{{{{', '"[[[[', '\\']), false],
  ['nested deeper after an escaped quote', `["\\"", ${nested(3)}]`, true],
])('tells the depth of a text %s', (_, text, isDeeper) => {
  expect(isNestedDeeper(text, levels)).toBe(isDeeper)
  expect(isBeyond(text, { levels, values: 1000 })).toBe(isDeeper)
})

it.each([
  ['an escaped backslash before its end', JSON.stringify(['a\\', [[['b']]]])],
  ['quotes and backslashes', JSON.stringify(['\\"\\\\"[[[[', '"', [[[]]]])],
  ['brackets and no end', '["[[[[\\"'],
])('reads over a string with %s', (_, text) => {
  expect(isNestedDeeper(text, 4)).toBe(false)
  expect(isNestedDeeper(text, 3)).toBe(text.endsWith(']'))
})

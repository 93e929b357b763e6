import { expect, test } from 'vitest'
import { isQuick } from '#shared/json-schema/quick-patterns.ts'

test.each([
  '^[a-z]+$',
  '^a{1,64}$',
  '^(foo|bar)$',
  '^[0-9a-f]{8}-[0-9a-f]{4}$',
  '^\\d+$',
  'a|b',
  '^[()*+]*$',
])('the pattern %s is quick', pattern => {
  expect(isQuick(pattern, 'a')).toBe(true)
})

test.each([
  '^(a|a)*$',
  '(a+)+',
  'a+b',
  '^a*a*$',
  '^(a|a)(a|a)$',
  '^(a|b){30}$',
  '^a|b+c',
  '^(?:a)$',
  '^a+?b?$',
])('the pattern %s has a time limit', pattern => {
  expect(isQuick(pattern, 'a')).toBe(false)
})

test('a long text has a time limit', () => {
  expect(isQuick('^a+$', 'a'.repeat(10_001))).toBe(false)
})

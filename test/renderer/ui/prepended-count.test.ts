import { expect, test } from 'vitest'
import { prependedCount } from '#renderer/ui/use-prepended.ts'

const counted = (before: string, now: string) => prependedCount([...before], [...now], item => item)

test.each([
  ['abc', 'xyabc', 2],
  ['abc', 'xyab', 2],
  ['abc', 'abc', 0],
  ['abc', 'abcd', 0],
  ['', 'abc', 0],
  ['abc', '', 0],
  ['abc', 'xyz', 0],
  ['abc', 'cba', 0],
  ['abcd', 'xabdc', 0],
])('from %j to %j, %i are new in front', (before, now, expected) => {
  expect(counted(before, now)).toBe(expected)
})

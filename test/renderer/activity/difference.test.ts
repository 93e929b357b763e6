import { expect, test } from 'vitest'
import { commonStart, visible } from '#renderer/features/activity/rejection-story.ts'

test('two texts are the same up to the first character that differs', () => {
  expect(commonStart('{"a":1}', '{"a": 1}')).toBe(5)
  expect(commonStart('{}', '{}\n')).toBe(2)
  expect(commonStart('', 'a')).toBe(0)
})

test('line breaks and other control characters can be seen', () => {
  expect(visible('a\n\r\tb\u0000\ufeff')).toBe('a\\n\\r\\tb\\u0000\\ufeff')
})

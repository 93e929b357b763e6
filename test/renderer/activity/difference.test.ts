import { expect, test } from 'vitest'
import { commonStart, visible } from '#renderer/features/activity/rejection-story.ts'

test('commonStart counts the characters up to the first difference', () => {
  expect(commonStart('{"a":1}', '{"a": 1}')).toBe(5)
  expect(commonStart('{}', '{}\n')).toBe(2)
  expect(commonStart('', 'a')).toBe(0)
})

test('visible escapes line breaks and other control characters', () => {
  expect(visible('a\n\r\tb\u0000\ufeff')).toBe('a\\n\\r\\tb\\u0000\\ufeff')
})

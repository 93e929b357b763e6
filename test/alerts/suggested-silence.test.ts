import { expect, test } from 'vitest'
import { suggestedSilence } from '#main/alerts/suggested-silence.ts'

test('suggests one and a half times the longest gap between hours with events', () => {
  expect(suggestedSilence([100, 110, 104])).toBe(9)
  expect(suggestedSilence([1, 2, 3])).toBe(2)
})

test('suggests nothing for too few hours, and nothing above the limit of the threshold', () => {
  expect(suggestedSilence([])).toBeNull()
  expect(suggestedSilence([1, 300])).toBeNull()
  expect(suggestedSilence([1, 2, 900])).toBe(720)
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  withKeyChanged,
  withNameChanged,
  withoutName,
  withText,
} from '#renderer/features/agent/languages/edit-translations.ts'

const languages = { primaryLanguage: 'en', secondaryLanguage: 'de' }
const texts = { greeting_en: 'Hello', late_en: 'Late', greeting_de: 'Hallo', welcome: 'Hi' }

test('a text is set in its place, added at the end, and removed when it is empty', () => {
  expect(Object.entries(withText(texts, 'late_en', 'Sorry'))).toEqual(
    Object.entries({ ...texts, late_en: 'Sorry' }),
  )
  expect(Object.keys(withText(texts, 'late_de', 'Zu spät')).at(-1)).toBe('late_de')
  expect(withText(texts, 'welcome', '')).not.toHaveProperty('welcome')
  expect(Object.entries(withText({}, '__proto__', 'x'))).toEqual([['__proto__', 'x']])
})

test('a text is renamed and deleted in all languages', () => {
  expect(Object.keys(withNameChanged(texts, languages, 'greeting', 'hello'))).toEqual([
    'hello_en',
    'late_en',
    'hello_de',
    'welcome',
  ])
  expect(withoutName(texts, languages, 'greeting')).toEqual({ late_en: 'Late', welcome: 'Hi' })
  expect(withKeyChanged(texts, 'welcome', 'welcome_en')).toMatchObject({ welcome_en: 'Hi', late_en: 'Late' })
})

test('renaming to a free name and back changes nothing', () => {
  const key = fc.stringMatching(/^[a-c]{1,2}_(en|de|sv|now)$/)
  fc.assert(
    fc.property(fc.dictionary(key, fc.string()), fc.constantFrom('a', 'bb'), (given, name) => {
      const renamed = withNameChanged(given, languages, name, 'free')
      expect(withNameChanged(renamed, languages, 'free', name)).toEqual(given)
    }),
  )
})

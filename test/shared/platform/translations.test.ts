import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LanguageSettings } from '#shared/model/platform/language.ts'
import { variablesIn } from '#shared/platform/text-variables.ts'
import { joinKey, lostVariables, splitKey, translationTable } from '#shared/platform/translations.ts'

const settings = (translations: Record<string, string>, languages: object = {}) =>
  LanguageSettings.parse({ ...languages, translations })

describe('splitKey', () => {
  const split = (key: string, languages = settings({})) => splitKey(key, languages)

  test('takes the language after the last underscore', () => {
    expect(split('order_late_de')).toEqual({ name: 'order_late', language: 'de' })
    expect(split('greeting_zh-Hant-TW')).toEqual({ name: 'greeting', language: 'zh-Hant-TW' })
  })

  test.each(['welcome', 'order_late', 'call_now', '_en', 'greeting_', 'greeting_en-', '', 'a_en GB'])(
    'returns null for %j',
    key => expect(split(key)).toBeNull(),
  )

  test('accepts the agent’s own languages even without a known name', () => {
    expect(split('greeting_xx')).toBeNull()
    expect(split('greeting_xx', settings({}, { secondaryLanguage: 'xx' }))).not.toBeNull()
  })
})

describe('translationTable', () => {
  test('groups by name, with the agent’s languages first', () => {
    const texts = { greeting_sv: 'Hej', greeting_en: 'Hello', bye_da: 'Farvel', bye_en: '', welcome: 'Hi' }
    expect(translationTable(settings(texts, { secondaryLanguage: 'de' }))).toEqual({
      languages: ['en', 'de', 'da', 'sv'],
      rows: [
        { name: 'greeting', texts: new Map(Object.entries({ sv: 'Hej', en: 'Hello' })) },
        { name: 'bye', texts: new Map([['da', 'Farvel']]) },
      ],
      strayKeys: ['welcome'],
    })
  })

  const name = fc.constantFrom('greeting', 'order_late', 'constructor', '__proto__', 'a.b-c', '_')
  const language = fc.constantFrom('en', 'de', 'sv', 'en-GB', 'now', 'EN')
  const key = fc.oneof(
    fc.tuple(name, language).map(parts => parts.join('_')),
    fc.stringMatching(/^[a-z_]{1,9}$/),
  )
  const translations = fc.dictionary(key, fc.constantFrom('', 'Hello', '{name}', '{a} {name}'))

  const codes = { primaryLanguage: 'en', secondaryLanguage: 'de' }

  test('contains every text exactly once, and nothing else', () => {
    fc.assert(
      fc.property(translations, given => {
        // Not parsed: the schema drops `__proto__`, which the generator likes.
        const { rows, strayKeys, languages } = translationTable({ ...codes, translations: given })
        const texts = rows.flatMap(row =>
          [...row.texts].map(([code, text]) => [joinKey(row.name, code), text] as const),
        )
        const rest = strayKeys.map(stray => [stray, given[stray]] as const)
        const filled = Object.entries(given).filter(
          ([one, text]) => text !== '' || splitKey(one, codes) === null,
        )
        expect(new Map([...texts, ...rest])).toEqual(new Map(filled))
        expect(texts).toHaveLength(filled.length - rest.length)
        expect(new Set(rows.map(row => row.name)).size).toBe(rows.length)
        expect(new Set(languages).size).toBe(languages.length)
        for (const row of rows) expect(languages).toEqual(expect.arrayContaining([...row.texts.keys()]))
      }),
    )
  })
})

describe('lostVariables', () => {
  const row = (texts: Record<string, string>) => ({ name: 'late', texts: new Map(Object.entries(texts)) })

  test('names what the primary text has and its translation has not', () => {
    const late = row({
      en: 'Sorry {name}, {order} is late.',
      de: 'Es tut uns leid, {Name}, {order}.',
      sv: '',
    })
    expect(lostVariables(late, 'en', 'de')).toEqual(['name'])
    expect(lostVariables(late, 'en', 'en')).toEqual([])
    expect(lostVariables(late, 'en', 'da')).toEqual([])
    expect(lostVariables(late, 'da', 'de')).toEqual([])
  })

  test('is empty exactly if the translation has every variable', () => {
    const text = fc.string({ unit: fc.constantFrom('{a}', '{b}', '{{a}}', '{', 'x') })
    fc.assert(
      fc.property(text, text, (en, de) => {
        const lost = lostVariables(row({ en, de }), 'en', 'de')
        const kept = variablesIn(de)
        expect(lost).toEqual(variablesIn(en).filter(one => !kept.includes(one)))
      }),
    )
  })
})

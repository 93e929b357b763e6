import { joinKey, type Languages, splitKey } from '#shared/platform/translations.ts'

type Translations = Readonly<Record<string, string>>

/** Returns translations with a text; an empty one is removed. A new key comes last. */
export function withText(translations: Translations, key: string, text: string): Record<string, string> {
  if (text !== '') return { ...translations, [key]: text }
  return Object.fromEntries(Object.entries(translations).filter(([one]) => one !== key))
}

/** Returns translations with a text renamed in all languages, each in its place. */
export function withNameChanged(
  translations: Translations,
  languages: Languages,
  from: string,
  to: string,
): Record<string, string> {
  const renamed = Object.entries(translations).map(([key, text]) => {
    const parts = splitKey(key, languages)
    return [parts?.name === from ? joinKey(to, parts.language) : key, text] as const
  })
  return Object.fromEntries(renamed)
}

/** Returns translations without a text, in any language. */
export function withoutName(
  translations: Translations,
  languages: Languages,
  name: string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(translations).filter(([key]) => splitKey(key, languages)?.name !== name),
  )
}

/** Returns translations with one key renamed in its place. */
export function withKeyChanged(translations: Translations, from: string, to: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(translations).map(([key, text]) => [key === from ? to : key, text]),
  )
}

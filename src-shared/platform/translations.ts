import type { LanguageSettings } from '../model/platform/language.ts'
import { LanguageCode } from '../model/platform/parts.ts'
import { variablesIn } from './text-variables.ts'

const englishNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
const names = new Map<string, string | null>()

/** Returns the English name of a language: “British English” for `en-GB`. Null if the code is not known. */
export function languageName(code: string): string | null {
  const known = names.get(code)
  if (known !== undefined) return known
  const name = LanguageCode.safeParse(code).success ? nameOf(code) : null
  // Codes come from requests, so the cache must not grow for ever.
  if (names.size >= 1000) names.clear()
  names.set(code, name)
  return name
}

function nameOf(code: string): string | null {
  try {
    return englishNames.of(code) ?? null
  } catch {
    return null
  }
}

export type Languages = Pick<LanguageSettings, 'primaryLanguage' | 'secondaryLanguage'>

/**
 * Splits a translation's key at its last `_`. Returns null if it has no name, or its language is neither known nor one
 * of the agent's.
 */
export function splitKey(
  key: string,
  { primaryLanguage, secondaryLanguage }: Languages,
): { readonly name: string; readonly language: string } | null {
  const at = key.lastIndexOf('_')
  const [name, language] = [key.slice(0, at), key.slice(at + 1)]
  if (at < 1 || language === '') return null
  const isOfAgent = language === primaryLanguage || language === secondaryLanguage
  return isOfAgent || languageName(language) !== null ? { name, language } : null
}

export const joinKey = (name: string, language: string) => `${name}_${language}`

/** The translations of one text by their languages. */
export type TranslatedText = { readonly name: string; readonly texts: ReadonlyMap<string, string> }

/**
 * Groups translations by their names, in the order in which the names first appear. An empty text is left out. The
 * languages are the primary one, the secondary one, then the others by their codes. Stray keys name no known language.
 */
export function translationTable(settings: Pick<LanguageSettings, keyof Languages | 'translations'>) {
  const { primaryLanguage, secondaryLanguage, translations } = settings
  const rows = new Map<string, Map<string, string>>()
  const languages = new Set<string>()
  const strayKeys: string[] = []
  for (const [key, text] of Object.entries(translations)) {
    const parts = splitKey(key, settings)
    if (parts === null) {
      strayKeys.push(key)
      continue
    }
    const texts = rows.get(parts.name) ?? new Map<string, string>()
    rows.set(parts.name, texts)
    languages.add(parts.language)
    if (text !== '') texts.set(parts.language, text)
  }
  const first = [primaryLanguage, secondaryLanguage].filter(code => code !== '')
  return {
    languages: [...new Set([...first, ...[...languages].sort()])],
    rows: [...rows].map(([name, texts]) => ({ name, texts })),
    strayKeys,
  }
}

/** Returns the variables of the primary language's text that its translation lacks. */
export function lostVariables(
  { texts }: TranslatedText,
  primaryLanguage: string,
  language: string,
): readonly string[] {
  const [primary, translation] = [texts.get(primaryLanguage), texts.get(language)]
  if (primary === undefined || translation === undefined || language === primaryLanguage) return []
  const kept = new Set(variablesIn(translation))
  return variablesIn(primary).filter(name => !kept.has(name))
}

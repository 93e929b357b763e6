import { useDeferredValue, useMemo } from 'react'
import type { LanguageSettings } from '#shared/model/platform/language.ts'
import { type TranslatedText, translationTable } from '#shared/platform/translations.ts'
import { figuresOf } from './figures.ts'

/** Shown while there are no texts, so that the first can be written. */
const firstRow: TranslatedText = { name: 'greeting', texts: new Map() }

/**
 * Returns the translations as a table, and its figures, which lag behind while there are thousands of texts.
 *
 * @param added languages that have a column although they have no text yet.
 */
export function useTable(settings: LanguageSettings, added: readonly string[]) {
  const { primaryLanguage, secondaryLanguage, translations } = settings
  const table = useMemo(() => {
    const found = translationTable({ primaryLanguage, secondaryLanguage, translations })
    return {
      ...found,
      primaryLanguage,
      rows: found.rows.length > 0 ? found.rows : [firstRow],
      languages: [...new Set([...found.languages, ...added])],
    }
  }, [primaryLanguage, secondaryLanguage, translations, added])
  const counted = useDeferredValue(table)
  const figures = useMemo(
    () => figuresOf(counted.rows, counted.languages, counted.primaryLanguage),
    [counted],
  )
  return { ...table, figures }
}

import { lostVariables, type TranslatedText } from '#shared/platform/translations.ts'

export type Place = { readonly name: string; readonly language: string }

/** Counts of texts, and the places where a table of translations lacks one. */
export type Figures = {
  readonly texts: number
  /** How many texts there are in each language. */
  readonly counts: ReadonlyMap<string, number>
  /** Places without a text, row by row. */
  readonly missing: readonly Place[]
  /** Texts that lack variables of the primary language's text. */
  readonly differing: readonly (Place & { readonly lost: readonly string[] })[]
}

/** Counts the texts of a table, and finds those that are missing or lost a variable. */
export function figuresOf(
  rows: readonly TranslatedText[],
  languages: readonly string[],
  primaryLanguage: string,
): Figures {
  const places = rows.flatMap(row =>
    languages.map(language => ({ row, place: { name: row.name, language } })),
  )
  const counts = new Map(
    languages.map(language => [language, rows.filter(({ texts }) => texts.has(language)).length]),
  )
  return {
    texts: [...counts.values()].reduce((sum, count) => sum + count, 0),
    counts,
    missing: places.flatMap(({ row, place }) => (row.texts.has(place.language) ? [] : [place])),
    differing: places.flatMap(({ row, place }) => {
      const lost = lostVariables(row, primaryLanguage, place.language)
      return lost.length === 0 ? [] : [{ ...place, lost }]
    }),
  }
}

/** Returns the first missing place after one, row by row, then from the start. Null if none is missing. */
export function nextMissing(
  { missing }: Figures,
  rows: readonly TranslatedText[],
  languages: readonly string[],
  from: { readonly name: string; readonly language: string | null } | null,
): Place | null {
  const rowIndex = new Map(rows.map(({ name }, index) => [name, index]))
  const indexOf = ({ name, language }: NonNullable<typeof from>) =>
    (rowIndex.get(name) ?? 0) * (languages.length + 1) +
    (language === null ? 0 : languages.indexOf(language) + 1)
  const start = from === null ? -1 : indexOf(from)
  return missing.find(place => indexOf(place) > start) ?? missing[0] ?? null
}

/** Returns the keys whose texts differ, and those that only one side has. */
export function changedKeys(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...keys].filter(key => before[key] !== after[key])
}

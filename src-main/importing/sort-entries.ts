import type { JsonPath } from './json-path.ts'
import type { Entry } from './validate-document.ts'

/** An entry of a document, and what is in its way: the connection has its name, or the entry at this path. */
export type SortedEntry<Fields> = Entry<Fields> & { readonly skippedBecause: 'present' | JsonPath | null }

/**
 * The entries in their order: the first one of each name that the connection does not have is created.
 * Duplicates are skipped, never updated.
 *
 * @param present names that the connection has.
 */
export function sortEntries<Fields>(
  entries: readonly Entry<Fields>[],
  present: readonly string[],
  nameOf: (fields: Fields) => string,
): SortedEntry<Fields>[] {
  const there = new Set(present)
  const first = new Map<string, JsonPath>()
  return entries.map(entry => {
    const name = nameOf(entry.fields)
    if (there.has(name)) return { ...entry, skippedBecause: 'present' }
    const before = first.get(name)
    if (before === undefined) first.set(name, entry.path)
    return { ...entry, skippedBecause: before ?? null }
  })
}

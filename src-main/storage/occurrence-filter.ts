import { fold, searchable } from './fold.ts'
import type { OccurrenceFilter, StoredOccurrence } from './occurrence-storage.ts'

/** Returns a function that tells whether an occurrence is wanted, by all but its number. */
export function occurrenceMatcher(filter: OccurrenceFilter): (occurrence: StoredOccurrence) => boolean {
  const { subject, sources } = filter
  const kinds = new Set(filter.kinds)
  const connectionIds = filter.connectionIds && new Set(filter.connectionIds)
  const text = fold(filter.text ?? '')
  return occurrence => {
    const { kind, connectionId, summary, finding, details } = occurrence
    if (!kinds.has(kind) || (subject !== undefined && occurrence.subject !== subject)) return false
    if (connectionIds !== null && !connectionIds.has(connectionId)) return false
    if (sources !== undefined && !isOneOf(sources, JSON.parse(summary))) return false
    return text === '' || [summary, finding ?? '', details].some(part => searchable(part).includes(text))
  }
}

function isOneOf(sources: readonly string[], summary: unknown): boolean {
  const source: unknown = Object(summary).source
  return typeof source !== 'string' || sources.includes(source)
}

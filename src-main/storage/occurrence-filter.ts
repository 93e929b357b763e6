import { type Matchers, matcherOf } from '#main/lib/matcher.ts'
import { tryParseExact } from '#shared/json/exact-json.ts'
import { normalizeForSearch, searchable } from './normalize-for-search.ts'
import type {
  OccurrenceBounds,
  OccurrenceFilter,
  OccurrenceSummary,
  StoredOccurrence,
} from './occurrence-storage.ts'

/** Returns a function that tells whether an occurrence is wanted, by all but its number. @param bounds by kind. */
export function occurrenceMatcher(
  filter: OccurrenceFilter,
  bounds: Readonly<Record<string, OccurrenceBounds>>,
): (occurrence: StoredOccurrence) => boolean {
  const kinds = new Set(filter.kinds)
  const connectionIds = filter.connectionIds && new Set(filter.connectionIds)
  const text = normalizeForSearch(filter.text ?? '')
  const matchers: Matchers<Omit<OccurrenceFilter, 'above' | 'below'>, StoredOccurrence> = {
    kinds: () => one => kinds.has(one.kind),
    subjects: wanted => one => wanted.includes(one.subject),
    connectionIds: () => one => connectionIds === null || connectionIds.has(one.connectionId),
    sources: wanted => one => isOneOf(wanted, JSON.parse(one.summary)),
    failed: wanted => one => (causeOf(one) !== null) === wanted,
    cause: wanted => one => causeOf(one) === wanted,
    causes:
      ({ areWanted, among }) =>
      one =>
        among.has(causeOf(one) ?? '') === areWanted,
    text: () => one => {
      const searched = bounds[one.kind]?.searched ?? []
      const parts = [one.summary, one.finding ?? '', one.details]
      return text === '' || parts.some(part => hasText(part, searched, text))
    },
  }
  return matcherOf(matchers, filter)
}

/** @param json of an object. @param text normalized. */
function hasText(json: string, searched: readonly string[], text: string): boolean {
  // Most records have the text nowhere, and need not be parsed.
  return searchable(json).includes(text) && searchable(textAt(tryParseExact(json), searched)).includes(text)
}

/** Returns what a value has at these paths, one below the other: texts as they are, and all else as JSON. */
export function textAt(value: unknown, paths: readonly string[]): string {
  return paths
    .map(path => path.split('.').reduce<unknown>((parent, key) => Object(parent)[key], value) ?? '')
    .map(found => (typeof found === 'string' ? found : JSON.stringify(found)))
    .join('\n')
}

/**
 * Returns why something failed: the `code` of what was found later, else the `code` in the summary, else `http_` and the
 * `status` of a summary that is not `ok`. Null for what did not fail.
 */
export function causeOf({ summary, finding }: OccurrenceSummary): string | null {
  const found = finding === null ? undefined : codeOf(JSON.parse(finding))
  if (found !== undefined) return found
  const parsed: unknown = JSON.parse(summary)
  const { ok, status } = Object(parsed)
  return codeOf(parsed) ?? (ok === false && typeof status === 'number' ? `http_${status}` : null)
}

function codeOf(value: unknown): string | undefined {
  const code: unknown = Object(value).code
  return typeof code === 'string' ? code : undefined
}

function isOneOf(sources: readonly string[], summary: unknown): boolean {
  const source: unknown = Object(summary).source
  return typeof source !== 'string' || sources.includes(source)
}

import type { Crawler } from '#shared/model/platform/crawler.ts'
import {
  matchedSpans,
  matches,
  normalPattern,
  parseHttp,
  type Span,
  type Verdict,
} from '#shared/platform/crawler-patterns.ts'

/** One of the two lists of patterns. */
export type PatternList = 'includePatterns' | 'excludePatterns'

/** Returns the list of the pattern that decided about a URL; null if none did. */
export const listOf = ({ reason }: Verdict): PatternList | null =>
  reason === 'included' ? 'includePatterns' : reason === 'excluded' ? 'excludePatterns' : null

/** Returns how many of the tried URLs each pattern of a list decided. The first of equal patterns decides. */
export function decidedBy(list: PatternList, patterns: readonly string[], verdicts: readonly Verdict[]) {
  const counts = new Map<string, number>()
  for (const verdict of verdicts)
    if (listOf(verdict) === list && verdict.rule !== null)
      counts.set(verdict.rule, (counts.get(verdict.rule) ?? 0) + 1)
  return patterns.map((pattern, index) =>
    patterns.indexOf(pattern) === index ? (counts.get(pattern) ?? 0) : 0,
  )
}

/** Returns the parts of a URL that decided about it: what a pattern matched, another host, or all that is not a URL. */
export function marksOf({ url, rule, reason }: Verdict): Span[] {
  const parsed = parseHttp(url)
  if (parsed === null) return [{ start: 0, end: url.length }]
  if (reason === 'other_host') return [{ start: 0, end: parsed.pathAt }]
  if (rule === null) return []
  const path = { start: parsed.pathAt, end: parsed.pathEnd }
  const isNormal = url.slice(path.start, path.end) === parsed.path || path.start === path.end
  // In another spelling of the path, the parts that matched have no places.
  if (!isNormal) return [path]
  return (matchedSpans(normalPattern(rule) ?? '', parsed.path) ?? [])
    .map(({ start, end }) => ({
      start: parsed.pathAt + start,
      // A URL without a path has the path `/`, which is not in its text.
      end: Math.min(parsed.pathAt + end, url.length),
    }))
    .filter(({ start, end }) => start < end)
}

/** Returns a remark about why a URL is not taken; null if there is none. */
export function remarkOn({ url, reason }: Verdict, { startUrl, includePatterns }: Crawler): string | null {
  if (reason === 'other_host') return `The start URL is on ${parseHttp(startUrl)?.writtenHost ?? startUrl}`
  if (reason !== 'no_pattern') return null
  const path = parseHttp(url)?.path.toLowerCase() ?? ''
  const near = includePatterns.find(pattern =>
    matches((normalPattern(pattern) ?? pattern).toLowerCase(), path),
  )
  return near === undefined ? null : `Only case differs from ${near}: paths are compared as written`
}

/** Returns how many URLs are taken, dropped by a pattern, not taken, and not URLs. */
export function sharesOf(verdicts: readonly Verdict[]) {
  const count = (fits: (verdict: Verdict) => boolean) => verdicts.filter(fits).length
  return [
    { word: 'taken', tone: 'ok', count: count(({ taken }) => taken) },
    { word: 'dropped', tone: 'bad', count: count(({ reason }) => reason === 'excluded') },
    { word: 'not taken', tone: 'mute', count: count(({ reason }) => /no_pattern|other_host/.test(reason)) },
    { word: 'not a URL', tone: 'warn', count: count(({ reason }) => reason === 'not_a_url') },
  ]
}

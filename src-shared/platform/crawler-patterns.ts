import type { Crawler } from '../model/platform/crawler.ts'
import { HttpUrl } from '../model/platform/parts.ts'

/** Whether a URL is read, and why. */
export type Verdict = {
  readonly url: string
  readonly taken: boolean
  /** The pattern that decided; null without one. */
  readonly rule: string | null
  readonly reason: 'included' | 'under_start' | 'excluded' | 'no_pattern' | 'other_host' | 'not_a_url'
}

type Patterns = Pick<Crawler, 'startUrl' | 'includePatterns' | 'excludePatterns'>

/**
 * Returns for each URL whether a crawler reads it, and which pattern decided. Patterns are compared with the path as
 * written, without query and fragment. Excluding patterns win; without including ones, all paths of the host count.
 */
export function tryPatterns(patterns: Patterns, urls: readonly string[]): Verdict[] {
  const start = parseHttp(patterns.startUrl)
  return urls.map(url => ({ url, ...judge(patterns, start, url) }))
}

function judge(
  { includePatterns, excludePatterns }: Patterns,
  start: ReturnType<typeof parseHttp>,
  text: string,
): Omit<Verdict, 'url'> {
  const url = parseHttp(text)
  if (url === null) return { taken: false, rule: null, reason: 'not_a_url' }
  if (start !== null && url.host !== start.host) return { taken: false, rule: null, reason: 'other_host' }
  const excluding = excludePatterns.find(pattern => matches(pattern, url.path))
  if (excluding !== undefined) return { taken: false, rule: excluding, reason: 'excluded' }
  if (includePatterns.length === 0) return { taken: true, rule: null, reason: 'under_start' }
  const including = includePatterns.find(pattern => matches(pattern, url.path))
  if (including === undefined) return { taken: false, rule: null, reason: 'no_pattern' }
  return { taken: true, rule: including, reason: 'included' }
}

/** Returns host and path of an http(s) URL, the host in lower case, and where its path begins; null for another text. */
export function parseHttp(text: string): { host: string; path: string; pathAt: number } | null {
  const [all = '', scheme = '', host = '', path = ''] = /^(https?):\/\/([^/?#\s]+)([^?#]*)/i.exec(text) ?? []
  if (host === '' || !HttpUrl.safeParse(text).success) return null
  const port = scheme.toLowerCase() === 'https' ? ':443' : ':80'
  const name = host.toLowerCase()
  return {
    host: name.endsWith(port) ? name.slice(0, -port.length) : name,
    path: path === '' ? '/' : path,
    pathAt: all.length - path.length,
  }
}

/** A part of a text, from `start` up to `end`. */
export type Span = { readonly start: number; readonly end: number }

/**
 * Returns where a text has the parts of a pattern between its stars, in order; null if the pattern does not match the
 * whole text. `*` matches any characters, or none. Each part is found at its first place after the previous one, so no
 * character is a candidate twice for the same part.
 */
export function matchedSpans(pattern: string, text: string): Span[] | null {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return text === first ? [{ start: 0, end: text.length }] : null
  if (!text.startsWith(first)) return null
  const spans = [{ start: 0, end: first.length }]
  let at = first.length
  for (const part of rest) {
    const start = text.indexOf(part, at)
    if (start < 0) return null
    at = start + part.length
    spans.push({ start, end: at })
  }
  if (text.length - last.length < at || !text.endsWith(last)) return null
  return [...spans, { start: text.length - last.length, end: text.length }]
}

/** Returns whether a pattern matches the whole text. */
export const matches = (pattern: string, text: string): boolean => matchedSpans(pattern, text) !== null

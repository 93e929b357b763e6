import type { Crawler } from '../model/platform/crawler.ts'

// Node and browsers both have it, but their types are not available here.
declare const URL: new (text: string) => { readonly host: string; readonly pathname: string }

/** Whether a URL is read, and why. */
export type Verdict = {
  readonly url: string
  readonly taken: boolean
  /** The pattern that decided; null without one. */
  readonly rule: string | null
  readonly reason: 'included' | 'under_start' | 'excluded' | 'no_pattern' | 'other_host' | 'not_a_url'
}

type Patterns = Pick<Crawler, 'startUrl' | 'includePatterns' | 'excludePatterns'>

/** A pattern as it was written, and as it is compared. */
type Rule = { readonly pattern: string; readonly form: string | null }

/**
 * Returns for each URL whether a crawler reads it, and which pattern decided. Patterns and paths are compared in their
 * normal form, without query and fragment. Excluding patterns win; without including ones, all paths of the host count.
 */
export function tryPatterns(
  { startUrl, includePatterns, excludePatterns }: Patterns,
  urls: readonly string[],
): Verdict[] {
  const host = parseHttp(startUrl)?.host ?? null
  const rulesOf = (patterns: readonly string[]) =>
    patterns.map(pattern => ({ pattern, form: normalPattern(pattern) }))
  const [including, excluding] = [rulesOf(includePatterns), rulesOf(excludePatterns)]
  return urls.map(url => ({ url, ...evaluate(host, including, excluding, url) }))
}

function evaluate(
  host: string | null,
  including: readonly Rule[],
  excluding: readonly Rule[],
  text: string,
): Omit<Verdict, 'url'> {
  const url = parseHttp(text)
  if (url === null) return { taken: false, rule: null, reason: 'not_a_url' }
  if (host !== null && url.host !== host) return { taken: false, rule: null, reason: 'other_host' }
  const matching = (rules: readonly Rule[]) =>
    rules.find(({ form }) => form !== null && matches(form, url.path))?.pattern
  const excluded = matching(excluding)
  if (excluded !== undefined) return { taken: false, rule: excluded, reason: 'excluded' }
  if (including.length === 0) return { taken: true, rule: null, reason: 'under_start' }
  const included = matching(including)
  if (included === undefined) return { taken: false, rule: null, reason: 'no_pattern' }
  return { taken: true, rule: included, reason: 'included' }
}

export type ParsedUrl = {
  /** Compared with other hosts: in lower case, IDNA in ASCII, without the default port. */
  readonly host: string
  /** As it was written. */
  readonly writtenHost: string
  /** In its normal form, in which paths are compared. */
  readonly path: string
  /** Where the path begins and ends in the text. */
  readonly pathAt: number
  readonly pathEnd: number
}

/** Parses an http(s) URL as browsers do; returns null for another text. */
export function parseHttp(text: string): ParsedUrl | null {
  const [, origin = '', writtenHost = '', path = ''] = /^(https?:\/\/([^/?#\\\s]+))([^?#]*)/i.exec(text) ?? []
  const url = origin === '' ? null : parseUrl(text)
  if (url === null) return null
  const pathAt = origin.length
  return {
    ...{ host: url.host, writtenHost, path: normalPath(url.pathname) },
    ...{ pathAt, pathEnd: pathAt + path.length },
  }
}

function parseUrl(text: string): InstanceType<typeof URL> | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

/**
 * Returns a pattern in the normal form of paths; null for one that no path matches, because it has a query or a
 * fragment. A star stays a star. Dot segments are resolved where a star does not hide what is before them.
 */
export function normalPattern(pattern: string): string | null {
  if (/[?#]/.test(pattern)) return null
  const path = (text: string) => normalPath(parseUrl(`http://h${text}`)?.pathname ?? text)
  if (pattern.startsWith('/')) return path(pattern)
  // Begins with a star, which a URL cannot: the rest is read as a path of its own, or as the end of a segment.
  const stars = /^\**/.exec(pattern)?.[0] ?? ''
  const rest = pattern.slice(stars.length)
  if (rest === '' || rest.startsWith('/')) return stars + (rest && path(rest))
  const after = path(`/x${rest}`)
  return stars + (after.startsWith('/x') ? after.slice(2) : after)
}

/** Characters that stay encoded, because URLs give them a meaning: they are another path than the character itself. */
const reserved = new Set("/?#%:@!$&'()*+,;=")

/**
 * Returns the path of a parsed URL with percent-encodings decoded, except those of reserved characters and of bytes that
 * are not UTF-8, which get upper-case digits. Two spellings of a path have the same form. At most three times as long.
 */
function normalPath(pathname: string): string {
  return pathname.replace(/(?:%[\da-f]{2})+|%/gi, run => (run === '%' ? '%25' : decoded(run)))
}

function decoded(run: string): string {
  let result = ''
  for (let at = 0; at < run.length; ) {
    const byte = Number.parseInt(run.slice(at + 1, at + 3), 16)
    const bytes = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
    const encoded = run.slice(at, at + 3 * bytes)
    const character = characterOf(encoded)
    if (character === null || reserved.has(character)) {
      result += run.slice(at, at + 3).toUpperCase()
      at += 3
    } else {
      result += character
      at += encoded.length
    }
  }
  return result
}

/** Returns the character of percent-encoded bytes; null if they are not UTF-8. */
function characterOf(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return null
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

import type { Crawler } from '#shared/model/platform/crawler.ts'
import { parseHttp } from '#shared/platform/crawler-patterns.ts'

/**
 * Returns URLs to try that follow from the start URL and the first patterns: some that are taken, some that are dropped,
 * one of another host. Empty without a start URL.
 */
export function sampleUrls({ startUrl, includePatterns, excludePatterns }: Crawler): string[] {
  const start = parseHttp(startUrl)
  if (start === null) return []
  const origin = startUrl.slice(0, start.pathAt)
  const scheme = origin.slice(0, origin.indexOf('//') + 2)
  return [
    ...new Set([
      startUrl,
      ...[...includePatterns.slice(0, 4), ...excludePatterns.slice(0, 3)]
        // Others are refused, and match no path.
        .filter(pattern => /^[/*][^?#]*$/.test(pattern))
        .map(pattern => origin + samplePath(pattern)),
      `${origin}/`,
      `${origin}/another-page`,
      `${scheme}blog.${start.writtenHost}/`,
    ]),
  ]
}

/** Returns a path that a pattern matches. */
export const samplePath = (pattern: string) => pattern.replace(/^\*/, '/example').replace(/\*+/g, 'example')
